// Pages of unknown services: integers survive whatever their size, and rows are found where they are, or not at all.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { isWithin } from '../../src/client/base-url.ts';
import { parseJson } from '../../src/client/strict-json.ts';
import { ExactNumber } from '../../src/contract/exact-json.ts';
import { createUnknownListParser, type GivenPaths } from '../../src/client/unknown-list.ts';

const parsed = (text: string): unknown => parseJson(Buffer.from(text)).value;
const page = (body: unknown, given: GivenPaths = {}) => {
  const list = createUnknownListParser(given);
  const answer = { status: 200, headers: {}, bytes: Buffer.from(JSON.stringify(body)) };
  return { ...list.parse(answer).body, place: list.guess()?.rows };
};

describe('numbers that JavaScript would round', () => {
  test.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', new ExactNumber('9007199254740992')],
    ['-9007199254740993', new ExactNumber('-9007199254740993')],
    ['{"a":[12345678901234567890,1]}', { a: [new ExactNumber('12345678901234567890'), 1] }],
    [
      '["12345678901234567890","\\\\\\"1234567890123456789"]',
      ['12345678901234567890', '\\"1234567890123456789'],
    ],
    [
      '[1.2345678901234567890, 1e25, 10000000000000000.0]',
      [new ExactNumber('1.2345678901234567890'), 1e25, 1e16],
    ],
  ])('%s', (text, value) => expect(parsed(text)).toEqual(value));

  test('what is no JSON stays none', () => {
    for (const text of ['12345678901234567890a', '01234567890123456789', '{12345678901234567890:1}', '-'])
      expect(() => parsed(text)).toThrow('answer is not JSON');
  });

  property.prop([fc.array(fc.bigInt()), fc.array(fc.string())])('keep their digits', (numbers, texts) => {
    const text = `{"n": [${numbers.join(' ,')}], "t": ${JSON.stringify(texts)}}`;
    const { n, t } = parsed(text) as { n: (ExactNumber | number)[]; t: string[] };
    expect(n.map((each) => BigInt(String(each)))).toEqual(numbers);
    expect(t).toEqual(texts);
  });

  property.prop([fc.jsonValue()])('and nothing else is touched', (value) => {
    const text = JSON.stringify(value);
    fc.pre(!/\d{16}/.test(text));
    expect(parsed(text)).toEqual(JSON.parse(text));
  });
});

describe('rows', () => {
  const row = { id: 'a' };
  test.each([
    [[row], ''],
    [{ data: [row], items: [] }, 'data'],
    [{ results: [row], data: {} }, 'results'],
    [{ orders: [row] }, 'orders'],
    [{ tags: ['x'], orders: [row] }, 'orders'],
  ])('%j: at %j', (body, place) => expect(page(body)).toMatchObject({ place, data: [{ id: 'a', row }] }));

  test('what a page says of itself, and positions that are numbers', () => {
    const body = { data: [{ id: 7, at: 3 }], has_more: true, drift_ratio: 0.5 };
    expect(page(body, { position: 'at' })).toEqual({
      data: [{ id: '7', sequence: 3, row: { id: 7, at: 3 } }],
      place: 'data',
      has_more: true,
      drift_ratio: 0.5,
    });
    expect(page({ data: [{ id: 7, at: '3' }], has_more: 'perhaps' }, { position: 'at' })).toEqual({
      data: [{ id: '7', row: { id: 7, at: '3' } }],
      place: 'data',
    });
  });

  test('nor where no field is, by whatever name', () => {
    const bodies: unknown[] = [
      { 'a.b': [row] },
      { data: [{ id: 'x'.repeat(1001) }] },
      { constructor: [], x: [] },
    ];
    for (const body of bodies) expect(() => page(body)).toThrow(/^rows: (answer has|row 1 of)/);
    expect(() => page({}, { rows: 'constructor.name' })).toThrow('answer has no list at constructor.name');
  });
});

test.each([
  ['https://h/a/x', 'https://h/a', true],
  ['https://h/a', 'https://h/a/', true],
  ['https://h/a/../b', 'https://h/a', false],
  ['https://h/a/%2e%2e/b', 'https://h/a', false],
  ['https://h/a\\..\\b', 'https://h/a', false],
  ['https://h/a/..%2fb', 'https://h/a', false],
  ['https://h/a/..;x/b', 'https://h/a', false],
  ['https://h/a/..x/.../b?c=/../', 'https://h/a', true],
  ['https://h/ab', 'https://h/a', false],
  ['https://h:444/a', 'https://h/a', false],
  ['http://h/a', 'https://h/a', false],
  ['https://h.evil/a', 'https://h/a', false],
  ['https://h/anything', 'https://h', true],
])('%s behind %s: %s', (url, base, behind) => expect(isWithin(new URL(url), new URL(base))).toBe(behind));

test('a row of a map has its id, which only the key shows', () => {
  const { data } = page({ orders: { o7: { sum: 1 }, o5: { sum: 2, id: 'o5' } } }, { name: 'orders' });
  expect(data.map(({ row }) => row)).toEqual([
    { id: 'o7', sum: 1 },
    { id: 'o5', sum: 2 },
  ]);
});
