// JSON files of chat exports: the same entries as JSON.parse gives, and bounded memory whatever they hold.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { parseExactJson } from '../../../src/contract/exact-json.ts';
import { type FileSet, UnreadableError } from '../../../src/service/import/file-set.ts';
import { readJsonFile } from '../../../src/service/import/json-file.ts';

/** Reads a file with this content. */
function read(content: string | Uint8Array) {
  const files = { read: async () => Buffer.from(content) } as unknown as FileSet;
  return readJsonFile(files, 'x.json');
}

/** The entries of a list, with the reasons of those that are not read. */
async function entriesOf(content: string) {
  const file = await read(content);
  return typeof file === 'string'
    ? file
    : [...(file.entries ?? [])].map((entry) => (entry instanceof UnreadableError ? entry.message : entry));
}

const spaced = fc.constantFrom(0, 1, 2);
property.prop([fc.array(fc.jsonValue()), spaced])(
  'a list has the entries of JSON.parse',
  async (list, indent) => {
    const text = JSON.stringify(list, null, indent);
    expect(await entriesOf(text)).toEqual(parseExactJson(text));
  },
);
property.prop([fc.dictionary(fc.string(), fc.array(fc.jsonValue())), spaced])(
  'an object has the lists of JSON.parse',
  async (object, indent) => {
    const text = JSON.stringify({ ...object, more: { lists: [1] }, no: 'list' }, null, indent);
    const file = await read(text);
    if (typeof file === 'string') throw new Error(file);
    const { more: _more, no: _no, ...lists } = parseExactJson(text) as Record<string, unknown>;
    expect(Object.fromEntries([...file.lists].map(([name, list]) => [name, [...list]]))).toEqual(lists);
  },
);
property.prop([
  fc.array(fc.jsonValue()),
  fc.nat(),
  fc.constantFrom('', ',', ']', '{', '"', '\\', 'x', '\u0000'),
])('what JSON.parse refuses is refused', async (list, at, inserted) => {
  const text = JSON.stringify(list);
  const cut = at % text.length;
  for (const changed of [text.slice(0, cut), text.slice(0, cut) + inserted + text.slice(cut)]) {
    let expected: unknown;
    try {
      expected = parseExactJson(changed);
    } catch {
      expected = 'is not valid JSON';
    }
    expect(await entriesOf(changed)).toEqual(expected);
  }
});

test.each([
  ['', 'is not valid JSON'],
  ['[1,]', 'is not valid JSON'],
  ['[,1]', 'is not valid JSON'],
  ['[1] 2', 'is not valid JSON'],
  ['[1}', 'is not valid JSON'],
  ['{"a":[1}]', 'is not valid JSON'],
  ['{a:[1]}', 'is not valid JSON'],
  ['[[1]', 'is not valid JSON'],
  ['\ufeff [ 1 , 2 ]\n', [1, 2]],
  ['["\\"],[", "\\\\"]', ['"],[', '\\']],
  ['{"a":1}', []],
  ['7', []],
])('%j', async (text, expected) => {
  expect(await entriesOf(text)).toEqual(expected);
});

test('bytes that are no UTF-8 are read, and said', async () => {
  const file = await read(Buffer.from('["\xe9"]', 'latin1'));
  expect(file).toMatchObject({ decodable: false });
});

describe('what would take gigabytes', () => {
  test('an entry nested too deep or with too many values is not read, the others are', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const many = `[${'[],'.repeat(500_000)}[]]`;
    const long = JSON.stringify('a'.repeat(9 * 1024 * 1024));
    expect(await entriesOf(`[1,${deep},${many},${long},2]`)).toEqual([
      1,
      'is nested too deep',
      'has more than 500000 values',
      'is larger than 8388608 bytes',
      2,
    ]);
  });
  test.each([
    ['open brackets', '['.repeat(20_000_000), 'is not valid JSON'],
    ['entries', `[${'0,'.repeat(2_000_000)}0]`, 'has a list of more than 2000000 entries'],
    ['keys', `[{${'"a":0,'.repeat(1_000_000)}"b":0}]`, ['has more than 500000 values']],
  ])('many %s', async (_, text, expected) => {
    const before = process.memoryUsage().rss;
    expect(await entriesOf(text)).toEqual(expected);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });
});
