// The fields that `--fields` knows of each command are compared with what the commands really print.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { COMMAND_LIST, type CommandWords } from '../../src/command-list/index.ts';
import type { CommandSpec } from '../../src/command-list/command-spec.ts';
import { printedRecord } from '../../src/command-list/printed-records.ts';
import { fieldsOf } from '../../src/contract/record-fields.ts';
import { arx } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { serveList } from '../support/cursor-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeAll(async () => {
  dir = tempFolder('printed');
  await sampleData(join(dir, 'data'));
  writeFileSync(join(dir, 'new.eml'), 'Subject: a\nFrom: a@b\n\na\n');
  const made = [
    'attachments pull att_1 att_2 att_3 --to files',
    'conversations walk --after conv_174 --freeze log',
    'config set --profile work timeout 5',
  ];
  for (const line of made) expect((await arx(dir, line)).exit).toBe(0);
  expect(existsSync(join(dir, 'log'))).toBe(true);
});

/** Command lines of each command. Not run: what prints bytes, waits, or prints rows of any shape. */
const LINES: Partial<Record<CommandWords, readonly string[]>> = {
  login: ['login'],
  whoami: ['whoami'],
  token: ['token'],
  search: [
    'search glass',
    'search glass --count',
    'search glass --facet year',
    'search glass --facet conversation',
  ],
  'attachments ls': ['attachments ls', 'attachments ls --all'],
  'attachments cities': ['attachments cities'],
  'attachments types': ['attachments types'],
  'attachments sources': ['attachments sources'],
  'attachments senders': ['attachments senders'],
  'attachments show': ['attachments show att_1', 'attachments show att_5'],
  'attachments pull': ['attachments pull att_1 att_5 --to more', 'attachments pull --all --dry-run'],
  'attachments verify': ['attachments verify files'],
  'attachments export': ['attachments export files --to bag'],
  read: ['read msg_1 msg_2', 'read msg_1 --lore'],
  'content get': ['content get msg_1', 'content get msg_1 --view lore --pipeline --stego'],
  'content diff': ['content diff msg_1', 'content diff msg_1 msg_2'],
  'conversations ls': ['conversations ls', 'conversations ls --matching glass'],
  'conversations show': ['conversations show conv_1'],
  'conversations walk': ['conversations walk --after conv_174'],
  'conversations verify': ['conversations verify log'],
  'conversations diff': ['conversations diff log log'],
  'conversations plot': ['conversations plot log'],
  'messages ls': ['messages ls', 'messages ls --walk --conversation conv_1'],
  'messages show': ['messages show msg_2', 'messages show msg_2 --around 1'],
  'sequence show': ['sequence show arc_reconstruction'],
  'sequence watch': ['sequence watch arc_reconstruction --reads 1'],
  'events send': [`events send mirror.detected --id evt_9 --payload '{"layer":"x"}'`],
  'events types': ['events types'],
  'events ls': ['events ls'],
  'events reconcile': ['events reconcile'],
  report: ['report', 'report --verify files'],
  health: ['health'],
  doctor: ['doctor'],
  'about api': ['about api'],
  import: ['import new.eml'],
  redact: ['redact --yes att_2'],
  'tokens ls': ['tokens ls'],
  'tokens revoke': ['tokens revoke --all --yes'],
  fsck: ['fsck'],
  backup: ['backup --to copy'],
  'archive copy': [
    'archive copy sqlite:data sqlite:copied --dry-run',
    'archive copy sqlite:data sqlite:copied',
  ],
  'config get': ['config get timeout'],
  'config set': ['config set timeout 30'],
  'config unset': ['config unset timeout'],
  'config ls': ['config ls'],
  'config path': ['config path'],
  'profile ls': ['profile ls'],
  'profile use': ['profile use default'],
  'profile rm': ['profile rm work --yes'],
  completion: ['completion bash', 'completion install bash'],
  logout: ['logout'],
};

/** Paths of all fields of a record, through lists. */
function pathsIn(value: unknown, before = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, before));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    before + key,
    ...pathsIn(member, `${before}${key}.`),
  ]);
}

/** Returns a record without the fields of these paths that are null. */
function withoutNulls(value: unknown, paths: ReadonlySet<string>, before = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, paths, before));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      member === null && paths.has(before + key)
        ? []
        : [[key, withoutNulls(member, paths, `${before}${key}.`)]],
    ),
  );
}

const cases = Object.entries(LINES).flatMap(([words, lines]) =>
  lines.map((line) => [line, words as CommandWords] as const),
);

describe('what a command prints has only the fields that it lists', () => {
  test.each(cases)('%s', async (line, words) => {
    const ran = await arx(dir, `${line} -o ndjson`);
    const records = ran.stdout.split('\n').filter((text) => text !== '');
    const [, shell] = line.split(' ');
    const given = { count: line.includes('--count'), dryRun: line.includes('--dry-run'), shell };
    const facet = line.includes('--facet') ? { facet: 'year' } : {};
    const matching = line.includes('--matching') ? { matching: 'glass' } : {};
    const run = { given: { ...given, ...facet, ...matching }, isOneRowPerLine: true, isRemote: false };
    const legal = fieldsOf(printedRecord(words, run)!);
    const isOpen = (path: string): boolean =>
      legal.some(({ name, type }) => path.startsWith(`${name}.`) && /object|value/.test(type));
    const names = new Set(legal.map(({ name }) => name));
    for (const record of records)
      for (const path of pathsIn(JSON.parse(record)))
        expect(names.has(path) || isOpen(path), `${path} in ${words}`).toBe(true);
    if (!['events ls', 'conversations diff'].includes(words)) expect(records).not.toStrictEqual([]);
    // Every record has every key; without those that are null for a missing field it fits its schema.
    const top = legal.filter(({ name }) => !name.includes('.')).map(({ name }) => name);
    const missing = new Set(
      legal.flatMap(({ name, type, required }) => (required || type.endsWith(' or null') ? [] : [name])),
    );
    for (const text of records) {
      const record = JSON.parse(text) as object;
      expect(Object.keys(record)).toEqual(expect.arrayContaining(top));
      expect(printedRecord(words, run)!.safeParse(withoutNulls(record, missing)).error).toBe(undefined);
    }
  });
});

describe('an output form that a command lacks is refused before anything is done', () => {
  // Nobody listens there: what asked first would be exit 10.
  const env = { ARX_BASE_URL: 'http://127.0.0.1:9', ARX_TOKEN: 'tok_given' };
  const WITH_SUMS = new Set(['attachments pull', 'attachments verify']);

  const lines = COMMAND_LIST.filter(({ words }) => !WITH_SUMS.has(words)).map((spec: CommandSpec) => {
    const needed = (spec.arguments ?? []).filter(([syntax]) => syntax.startsWith('<'));
    return [spec.words, ...needed.map(() => 'bash')].join(' ');
  });
  test.each(lines)('%s -o sums', async (line) => {
    const ran = await arx(tempFolder('form'), `${line} -o sums`, { env });
    expect(ran).toMatchObject({ exit: 2, stdout: '' });
    expect(ran.stderr).toContain('arx: this command has no output form sums [usage, exit 2]');
    expect(ran.stderr).toContain('hint: arx attachments verify DIR -o sums');
  });

  test.each(['attachments pull --all --dry-run', 'content get msg_1'])('%s -o sums', async (line) => {
    expect(await arx(tempFolder('form'), `${line} -o sums`, { env })).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('no output form sums'),
    });
  });

  test.each(['attachments pull att_1 --to out', 'attachments verify files', 'content get msg_1 --save out'])(
    '%s has the form sums',
    async (line) => {
      const { stdout, stderr } = await arx(dir, `${line} -o sums`);
      expect([stderr.includes('no output form'), /^[0-9a-f]{64} {2}\S/.test(stdout)]).toEqual([false, true]);
    },
  );

  const BYTES = [
    'attachments cat att_1',
    'read msg_1 --raw',
    'content get msg_1 --raw',
    'conversations export conv_1',
  ];
  const FORMS = ['table', 'tsv', 'csv', 'json', 'ndjson', 'sums'];
  test.each(BYTES.flatMap((line) => FORMS.map((form) => [line, form] as const)))(
    '%s -o %s',
    async (line, form) => {
      const ran = await arx(tempFolder('form'), `${line} -o ${form}`, { env });
      expect(ran).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringMatching(/output form/) });
    },
  );

  test('a setting of it can be mended', async () => {
    const home = tempFolder('form');
    expect((await arx(home, 'config set output sums')).exit).toBe(0);
    expect((await arx(home, 'health')).stderr).toContain('no output form sums');
    await arx(home, 'config unset output');
    expect((await arx(home, 'config get output -o json')).stdout).not.toContain('sums');
  });
});

describe('--fields without a value', () => {
  test.each(COMMAND_LIST.map(({ words }) => words))(
    '%s lists names and types, and asks nobody',
    async (words) => {
      const ran = await arx(dir, `${words} --fields --json`, { env: { ARX_BASE_URL: 'http://127.0.0.1:9' } });
      const run = { given: {}, isOneRowPerLine: false, isRemote: true };
      if (printedRecord(words, run) === undefined) {
        expect(ran).toMatchObject({ exit: 2, stdout: '' });
        return;
      }
      expect(ran).toMatchObject({ exit: 0, stderr: '' });
      const { data } = JSON.parse(ran.stdout) as { data: object[] };
      expect(data.length).toBeGreaterThan(0);
      for (const row of data)
        expect(Object.keys(row)).toStrictEqual(['name', 'type', 'required', 'only_selected']);
    },
  );

  test('as lines', async () => {
    const { stdout } = await arx(dir, 'content get --fields');
    expect(stdout.split('\n')).toContain('data.subject\ttext or null\tfalse\tfalse');
  });
});

describe('the names that --fields lists are those of the rows', () => {
  const LISTS = [
    'attachments ls',
    'attachments ls --from edie',
    'attachments cities',
    'attachments types',
    'attachments sources',
    'attachments senders',
    'conversations ls',
    'conversations ls --matching glass',
    'conversations walk --after conv_174',
    'messages ls',
    'search glass',
    'search glass --facet year',
    'sequence show arc_reconstruction',
    'events types',
    'about api',
    'config ls',
    'profile ls',
  ];
  type Field = { name: string; only_selected: boolean };
  const fieldsOfLine = async (line: string): Promise<Field[]> =>
    (JSON.parse((await arx(dir, `${line} --fields --json`)).stdout) as { data: Field[] }).data;
  const isTop = ({ name }: Field): boolean => !name.includes('.');

  test.each(LISTS)('%s: rows have those that need not be selected, and no other', async (line) => {
    const fields = await fieldsOfLine(line);
    const { stdout } = await arx(dir, `${line} -o ndjson`);
    const rows = stdout.trimEnd().split('\n');
    const expected = fields.filter((field) => isTop(field) && !field.only_selected).map(({ name }) => name);
    for (const row of rows) expect(Object.keys(JSON.parse(row) as object).sort()).toEqual(expected.sort());
  });

  test.each(LISTS)('%s: each can be selected in every form', async (line) => {
    const fields = await fieldsOfLine(line);
    const names = fields.map(({ name }) => name);
    const tops = fields.filter(isTop).map(({ name }) => name);
    const printed = async (form: string): Promise<string[]> => {
      const ran = await arx(dir, `${line} --fields ${names.join(',')} -o ${form}`);
      expect(ran.exit).toBe(0);
      return ran.stdout.split(/\r?\n/);
    };
    const [row = ''] = await printed('ndjson');
    expect(Object.keys(JSON.parse(row) as object)).toEqual(tops);
    const { data } = JSON.parse((await printed('json'))[0]!) as { data: object[] };
    expect(Object.keys(data[0]!)).toEqual(tops);
    expect((await printed('csv'))[0]).toBe(names.join(','));
    expect((await printed('tsv'))[0]!.split('\t')).toHaveLength(names.length);
    const [heading = ''] = await printed('table');
    for (const name of names) expect(heading).toContain(name.toUpperCase().replaceAll('_', ' '));
  });

  test('attachments ls: which of them only a selection shows', async () => {
    const named = async (line: string): Promise<string[]> =>
      (await fieldsOfLine(line)).filter((field) => field.only_selected).map(({ name }) => name);
    expect(await named('attachments ls')).toEqual(['from', 'date', 'state']);
    expect(await named('attachments ls --from edie --sort date')).toEqual(['state']);
    expect((await arx(dir, 'attachments ls --fields -o table')).stdout).toMatch(
      /state +text +only where it is named\n/,
    );
  });
});

describe('names of fields', () => {
  const env = { ARX_BASE_URL: 'http://127.0.0.1:9' };
  test.each([
    ['attachments ls --fields id,filenam', 'filenam', 'did you mean: filename;'],
    ['attachments ls --fields cty', 'cty', 'lists the fields'],
    ['messages ls --fields city', 'city', 'lists the fields'],
    ['attachments ls --fields constructor', 'constructor', 'lists the fields'],
    ['content get msg_1 --fields subjct', 'subjct', 'did you mean: data.subject;'],
    ['messages ls --fields qqqqqqqq', 'qqqqqqqq', 'arx messages ls --fields lists the fields'],
    ['attachments ls --fields id.x', 'id.x', 'lists the fields'],
    ['config ls --fields kye', 'kye', 'did you mean: key;'],
  ])('%s is exit 2 before anything is done', async (line, name, hint) => {
    const ran = await arx(tempFolder('fields'), line);
    expect(ran).toMatchObject({ exit: 2, stdout: '' });
    expect(ran.stderr).toContain(`--fields: no record has the field ${name} `);
    expect(ran.stderr).toContain(hint);
  });

  test('the record of a report of ours is known with another service too', async () => {
    const ran = await arx(dir, 'fsck --fields verdct', { env });
    expect(ran).toMatchObject({ exit: 2, stdout: '' });
  });

  test('a field that stands deeper may be named alone', async () => {
    const tsv = await arx(dir, 'content get msg_1 msg_2 --fields subject,data.id,assets -o csv');
    expect(tsv.stdout.split('\r\n')[0]).toBe('subject,data.id,assets');
    expect(tsv.stdout).toContain(',msg_1,');
    const json = await arx(dir, 'content get msg_1 --fields id,from --json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      data: { id: 'msg_1', from: expect.stringContaining('@') },
    });
    const shown = await arx(dir, 'conversations show conv_1 --fields from --json');
    const { messages } = JSON.parse(shown.stdout) as { messages: { data: object[] } };
    expect(messages.data[0]).toStrictEqual({ from: expect.stringContaining('@') });
  });

  test.each([
    ['color', 0],
    ['colour', 2],
  ])('at another service the rows decide whether there is %s', async (name, exit) => {
    const server = await serveList({ rows: [{ id: 'a' }, { id: 'b', color: 'red' }] });
    try {
      const ran = await arx(dir, `messages ls --fields id,${name} --base-url ${server.url} -o ndjson`, {
        env: { ARX_TOKEN: 'tok_given' },
      });
      expect(ran.exit).toBe(exit);
      expect(ran.stdout).toBe(exit === 0 ? '{"id":"a","color":null}\n{"id":"b","color":"red"}\n' : '');
      if (exit === 2) expect(ran.stderr).toContain('lists the fields');
    } finally {
      await server.close();
    }
  });
});
