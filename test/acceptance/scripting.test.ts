// Options for scripts that every command takes: --summary, --template, --max-rows.
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Fault } from '../../src/faults.ts';
import { createPrinter } from '../../src/format/printer.ts';
import { arx, recordsOf } from '../support/command.ts';
import { fakeWorld } from '../support/fake-world.ts';
import { always, answer, misbehave } from '../support/misbehaving-server.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeAll(async () => {
  dir = tempFolder('scripting');
  await sampleData(join(dir, 'data'));
});

describe('--summary', () => {
  test('is the last record of a list, of a record and of a report', async () => {
    const list = recordsOf(await arx(dir, 'conversations ls --all -o ndjson --summary'));
    expect(list.at(-1)).toMatchObject({ type: 'summary', rows: list.length - 1, complete: true });
    const page = recordsOf(await arx(dir, 'attachments ls --limit 2 -o ndjson --summary'));
    expect(page.at(-1)).toMatchObject({ type: 'summary', rows: 2, complete: false, has_more: true });
    expect(recordsOf(await arx(dir, 'attachments show att_1 -o ndjson --summary')).at(-1)).toEqual({
      type: 'summary',
      rows: 1,
      complete: true,
    });
    const none = recordsOf(await arx(dir, 'attachments ls --city nowhere -o ndjson --summary'));
    expect(none).toHaveLength(1);
  });

  test('says that a list is not complete where a later row fails', async () => {
    const world = fakeWorld();
    const printer = createPrinter({
      ...world,
      output: 'ndjson',
      color: false,
      quiet: false,
      unicode: true,
      columns: undefined,
      withSummary: true,
    });
    async function* rows(): AsyncGenerator<{ id: string }> {
      yield { id: 'a' };
      throw new Fault('network', 'cut');
    }
    const view = { columns: [] };
    const summary = () => ({ complete: true });
    await expect(printer.list(view, { rows: rows(), summary })).rejects.toThrow('cut');
    expect(world.stdoutText()).toBe('{"id":"a"}\n{"type":"summary","rows":1,"complete":false}\n');
  });

  test('goes with ndjson alone', async () => {
    for (const form of ['--json', '-o csv', `--template '{{id}}'`])
      expect(await arx(dir, `messages ls --summary ${form}`)).toMatchObject({ exit: 2, stdout: '' });
  });
});

describe('--template', () => {
  test('prints a line for each record', async () => {
    const ran = await arx(dir, `attachments ls --limit 2 --template '{{id}}: {{filename}}'`);
    expect(ran).toMatchObject({ exit: 0, stdout: 'att_1: lisbon-000.jpg\natt_2: emblem.png\n' });
    const nested = await arx(
      dir,
      `content get msg_1 --template '{{data.id}} {{data.subject}}{{#data}} {{entry}}{{/data}}'`,
    );
    expect(nested.stdout).toBe('msg_1 Timing of the glass plate cabinet entry_1\n');
  });

  test.each([
    ['attachments ls', '{{city}}', '{{origin_city}}', ['city is the heading of the field origin_city']],
    ['attachments ls', '{{ID}}', '{{id}}', []],
    [
      'attachments ls',
      '{{#city}}{{id}} {{Type}}{{/city}}',
      '{{#origin_city}}{{id}} {{content_type}}{{/origin_city}}',
      ['city is the heading of the field origin_city', 'Type is the heading of the field content_type'],
    ],
    ['content get msg_1', '{{subject}}', '{{data.subject}}', []],
    ['attachments cities', '{{city}}', '{{value}}', ['city is the heading of the field value']],
  ])('a name that --fields takes: %s %s', async (words, template, fields, said) => {
    const ran = await arx(dir, `${words} --template '${template}'`);
    const same = await arx(dir, `${words} --template '${fields}'`);
    expect(same).toMatchObject({ stdout: expect.stringMatching(/\w/), exit: 0 });
    expect(ran).toMatchObject({ stdout: same.stdout, exit: same.exit });
    const headings = ran.stderr.split('\n').filter((line) => line.includes('heading'));
    expect(headings).toEqual(said.map((text) => `arx: --template: ${text}`));
  });

  test.each([
    [
      { id: 'a', origin_city: 'porto' },
      'a porto\n',
      'arx: --template: city is the heading of the field origin_city\n',
    ],
    [{ id: 'a', origin_city: 'porto', city: 'lisbon' }, 'a lisbon\n', ''],
  ])('a heading is a field where another service sends one: %j', async (row, stdout, stderr) => {
    const list = { object: 'list', status: 'stable', data: [row], has_more: false };
    const server = await misbehave(always(answer(200, JSON.stringify(list))));
    const env = { ARX_BASE_URL: server.url, ARX_TOKEN: 'arx_some.token' };
    const ran = await arx(dir, `attachments ls --template '{{id}} {{city}}'`, { env });
    await server.close();
    expect(ran).toMatchObject({ exit: 0, stdout, stderr });
  });

  test.each([
    ['attachments ls', '{{idd}}', 'did you mean: {{id}}; arx attachments ls --fields lists the fields'],
    ['attachments ls', '{{#id}}', 'arx help output'],
    [
      'conversations show conv_1',
      '{{from}}',
      'did you mean: {{#messages.data}}{{from}}{{/messages.data}}; arx conversations show --fields lists the fields',
    ],
    ...['{{messages.data.id}}', '{{#messages}}{{data.id}}{{/messages}}'].map(
      (template): [string, string, string] => [
        'conversations show conv_1',
        template,
        'did you mean: {{#messages.data}}{{id}}{{/messages.data}}; arx conversations show --fields lists the fields',
      ],
    ),
  ])('%s: %s is refused before anything is asked', async (words, template, hint) => {
    const ran = await arx(dir, `${words} --template '${template}'`);
    expect(ran).toMatchObject({ exit: 2, stdout: '' });
    expect(ran.stderr).toContain(`hint: ${hint}\n`);
  });

  test('a field that only another service has is filled in', async () => {
    const list = { object: 'list', status: 'stable', data: [{ id: 'a', colour: 'red' }], has_more: false };
    const server = await misbehave(always(answer(200, JSON.stringify(list))));
    const env = { ARX_BASE_URL: server.url, ARX_TOKEN: 'arx_some.token' };
    const ran = await arx(dir, `attachments ls --template '{{id}} {{colour}}'`, { env });
    expect(ran).toMatchObject({ exit: 0, stdout: 'a red\n', stderr: '' });
    await server.close();
  });

  test.each([
    ['{{id}} {{filname}}', 'filname', 'did you mean: {{filename}}; '],
    ['{{id}} {{.ID}}', '.ID', 'did you mean: {{id}}; '],
    ['{{#colours}}{{shade}}{{/colours}}', 'shade', ''],
  ])('%s is refused at another service before anything is printed', async (template, name, meant) => {
    const data = [{ id: 'a', colours: [{ tone: 'red' }] }, { id: 'b' }];
    const list = { object: 'list', status: 'stable', data, has_more: false };
    const server = await misbehave(always(answer(200, JSON.stringify(list))));
    const env = { ARX_BASE_URL: server.url, ARX_TOKEN: 'arx_some.token' };
    const wrong = await arx(dir, `attachments ls --template '${template}'`, { env });
    await server.close();
    expect(wrong).toMatchObject({ exit: 2, stdout: '' });
    expect(wrong.stderr).toContain(
      `arx: --template: no record has the field ${name} [usage, exit 2]\n  hint: ${meant}arx attachments ls --fields lists the fields\n`,
    );
  });

  test('a field that only some rows of another service have is filled in there', async () => {
    const data = [{ id: 'a' }, { id: 'b', colours: [{ tone: 'red' }] }];
    const list = { object: 'list', status: 'stable', data, has_more: false };
    const server = await misbehave(always(answer(200, JSON.stringify(list))));
    const env = { ARX_BASE_URL: server.url, ARX_TOKEN: 'arx_some.token' };
    const template = '{{id}}{{#colours}} {{tone}} {{id}}{{/colours}}';
    const ran = await arx(dir, `attachments ls --template '${template}'`, { env });
    await server.close();
    expect(ran).toMatchObject({ exit: 0, stdout: 'a\nb red b\n', stderr: '' });
  });

  test('no other form goes with it', async () => {
    for (const form of ['--json', '-o csv', '--jq .'])
      expect(await arx(dir, `messages ls --template '{{id}}' ${form}`)).toMatchObject({
        exit: 2,
        stdout: '',
      });
  });
});

test.each([
  `--jq '.data[0'`,
  `--jq '.data | tonumber'`,
  `--template '{{#id}}'`,
  `--template '{{id}}' --json`,
  '--jq . -o csv',
  '--json -o csv',
  '--csv-safe -o json',
  '--summary -o csv',
])('%s is refused, and the hint is the topic that explains it', async (options) => {
  const ran = await arx(dir, `messages ls ${options}`);
  expect(ran.exit).toBe(2);
  expect(ran.stderr).toMatch(/  hint: arx help output\n/);
});

describe('--max-rows', () => {
  test.each([
    ['attachments ls --limit 2', 3],
    ['attachments ls --all', 3],
    ['messages ls --all', 3],
    ['conversations walk', 3],
    ['search lisbon --all', 3],
    ['events types', 3],
  ])('%s: no more rows, and the cut in the data and the exit code', async (line, exit) => {
    const ran = await arx(dir, `${line} --max-rows 1 --json`);
    const { data, summary } = JSON.parse(ran.stdout) as { data: object[]; summary: object };
    expect({ line, exit: ran.exit, rows: data.length, summary }).toMatchObject({
      line,
      exit,
      rows: 1,
      summary: { rows: 1, has_more: true, complete: false },
    });
    expect(ran.stderr).toContain('cut after 1 row: more follow');
  });

  test('a list that is not longer is not cut', async () => {
    const ran = await arx(dir, 'attachments ls --limit 2 --max-rows 2 --json');
    expect(ran).toMatchObject({ exit: 0, stderr: '' });
    for (const count of ['0', '-1', 'x', '1.5'])
      expect(await arx(dir, `messages ls --max-rows=${count}`)).toMatchObject({ exit: 2, stdout: '' });
  });
});

describe('a list without a match is exit 0, with --strict 6', () => {
  test.each([
    'search subject:nosuchword',
    'search subject:nosuchword --count',
    'search subject:nosuchword --facet year',
    'messages ls --from nobody',
    'messages ls --from nobody --all',
    'messages ls --on 1970 --count',
    'conversations ls --matching subject:nosuchword',
    'conversations ls --subject nosuchword --sort started',
    'attachments ls --name nosuchname',
    'attachments ls --name nosuchname --all',
    'attachments cities --name nosuchname',
  ])('%s', async (line) => {
    expect((await arx(dir, line)).exit).toBe(0);
    const strict = await arx(dir, `${line} --strict`);
    expect([strict.exit, strict.stderr]).toEqual([6, expect.stringContaining('[not_found')]);
  });

  test.each([
    'conversations ls --matching subject:nosuchword',
    'conversations ls --matching subject:nosuchword --all',
    'conversations ls --matching subject:nosuchword --count',
    'attachments ls --matching subject:nosuchword',
    'attachments cities --matching subject:nosuchword',
    'attachments pull --matching subject:nosuchword --to none',
    'attachments pull --matching subject:nosuchword --to none --dry-run',
  ])('%s: that the search finds nothing is one failure', async (line) => {
    const { exit, stderr } = await arx(dir, `${line} --strict`);
    expect([exit, stderr.match(/^arx: .*/gm)]).toEqual([6, ['arx: no message matches [not_found, exit 6]']]);
  });

  test.each(['search lisbon --count', 'messages ls --all --since 2000'])(
    '%s: has matches, or no filter',
    async (line) => expect((await arx(dir, `${line} --strict`)).exit).not.toBe(6),
  );
});

test('an error of --jq names no file that the user did not give', async () => {
  const { stderr } = await arx(dir, `messages ls --limit 1 --jq '.data[0].id | tonumber'`);
  expect(stderr).toContain('arx: --jq: string ("msg_1") cannot be parsed as a number [usage, exit 2]');
});
