// `--jq`: the program of the user over JSON of any command. jq itself is not tested here, only what goes in and comes out.
import { beforeAll, describe, expect, test } from 'vitest';
import { join } from 'node:path';
import { openJqSink } from '../../src/format/jq-sink.ts';
import { Fault } from '../../src/faults.ts';
import { arx } from '../support/command.ts';
import { fakeWorld } from '../support/fake-world.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { thread } from '../support/threads.ts';
import { fakeSink } from './fake-sink.ts';

async function filtered(
  program: string,
  chunks: readonly string[],
  { isTTY = false, isPerRecord = true } = {},
): Promise<{ text: string; fault?: string }> {
  const stdout = fakeSink({ isTTY });
  const world = { ...fakeWorld(), stdout, thread: undefined };
  const jq = await openJqSink({ program, isPerRecord, world });
  for (const chunk of chunks) await jq.sink.write(chunk);
  const fault = await jq.finish().then(
    () => undefined,
    (error: Fault) => error.message,
  );
  await jq.end();
  return { text: stdout.text, ...(fault === undefined ? {} : { fault }) };
}

test.each([
  ['.[].id', '{"status":"stable","data":[{"id":"a"}],"summary":{}}', 'the records of a list are in .data[]'],
  ['.[0]', '{"status":"stable","data":[{"id":"a"}],"summary":{}}', 'the records of a list are in .data[]'],
  ['.data[].id.x', '{"status":"stable","data":[{"id":"a"}],"summary":{}}', 'arx help output'],
  ['.id.x', '{"id":"a","data":[]}', 'arx help output'],
  ['.[].id', '{"status":"stable","service":"arx"}', 'arx help output'],
])('%s of %s: where the records are is said', async (program, document, hint) => {
  const world = { ...fakeWorld(), stdout: fakeSink({ isTTY: false }), thread: undefined };
  const jq = await openJqSink({ program, isPerRecord: false, world });
  await jq.sink.write(document);
  const fault = await jq.finish().catch((error: unknown) => error);
  await jq.end();
  expect(fault).toMatchObject({
    kind: 'usage',
    detail: { hint: expect.stringMatching(new RegExp(`^${hint.replace('[]', '\\[\\]')}`)) as string },
  });
});

test.each<[program: string, chunks: string[], said: string[]]>([
  ['.filenam', ['{"filename":"a"}\n'], ['filenam; did you mean .filename?']],
  ['.data[].filenam', ['{"data":[{"filename":"a"}]}\n'], ['filenam; did you mean .filename?']],
  ['.data[] | .filenam?', ['{"data":[{"filename":"a"}]}\n'], ['filenam; did you mean .filename?']],
  ['.messages', ['{"id":"a","message_count":3}\n'], ['messages; did you mean .message_count?']],
  ['.data[].names[]?', ['{"data":[{"id":"a"}]}\n'], ['names; it has data, id']],
  ['.data[].names[]?', ['{"data":[]}\n'], []],
  ['.data[].names[]', ['{"data":[{"names":[]}]}\n'], []],
  ['.x', ['{"filename":"a"}\n'], ['x; it has filename']],
  ['.filename', ['{"filename":null}\n'], []],
  ['.filenam', ['{"filename":"a"}\n', '{"filenam":1}\n'], []],
  ['.filenam // "none"', ['{"filename":"a"}\n'], []],
  ['.filenam', [], []],
])('%s of %j: a field that nothing has is said', async (program, chunks, said) => {
  const stdout = fakeSink({ isTTY: false });
  const world = { ...fakeWorld(), stdout, thread: undefined };
  const names: string[] = [];
  const onUnknownField = (text: string) => void names.push(text);
  const jq = await openJqSink({ program, isPerRecord: true, world, onUnknownField });
  for (const chunk of chunks) await jq.sink.write(chunk);
  await jq.finish();
  await jq.end();
  expect(names).toEqual(said.map((text) => `--jq: nothing here has the field ${text}`));
});

describe('results', () => {
  test.each([
    ['.a', ['{"a":"x y"}\n', '{"a":1}\n{"a":null}\n'], 'x y\n1\nnull\n'],
    ['.a', ['{"a":"two\\nlines\\n"}\n'], 'two\nlines\n\n'],
    ['.', ['{"a":9007199254740993,"b":1.10}\n'], '{"a":9007199254740993,"b":1.10}\n'],
    ['.a[]', ['{"a":[', '1,2]}\n'], '1\n2\n'],
    ['-1', ['{}\n'], '-1\n'],
    ['empty', ['{}\n'], ''],
    ['[.[]|select(.>1)]|length', ['[1,2,3]\n'], '2\n'],
    ['env|has("ARX_TOKEN")', ['{}\n'], 'false\n'],
  ])('%s of %j', async (program, chunks, text) => {
    expect(await filtered(program, chunks)).toStrictEqual({ text });
  });

  test('a whole document comes in pieces', async () => {
    const chunks = ['{"data":[\n', '1,\n2]}', '\n'];
    expect(await filtered('.data|add', chunks, { isPerRecord: false })).toStrictEqual({ text: '3\n' });
  });

  test('nothing acts on a terminal', async () => {
    const { text } = await filtered('.a,.', ['{"a":"\\u001b[2J\\nx"}\n'], { isTTY: true });
    expect(text).toBe('\\u{1b}[2J\nx\n{"a":"\\u001b[2J\\nx"}\n');
  });
});

describe('failures', () => {
  test('a record that the program cannot take is told after the others', async () => {
    const { text, fault } = await filtered('.a+1', ['{"a":1}\n{"a":"x"}\n', '{"a":2}\n']);
    expect(text).toBe('2\n3\n');
    expect(fault).toContain('string ("x") and number (1) cannot be added');
  });

  test('a document that is too long', async () => {
    const piece = `"${'x'.repeat(1 << 20)}"`;
    const { text, fault } = await filtered(
      '.',
      Array.from({ length: 40 }, () => piece),
      { isPerRecord: false },
    );
    expect(text).toBe('');
    expect(fault).toContain('longer than 32 MiB');
  });

  test('more memory than there is', async () => {
    expect((await filtered('reduce range(40) as $i ("x"; .+.)', ['1\n'])).fault).toContain('256 MiB');
  });

  test('a program without end stops with the run', async () => {
    const abort = new AbortController();
    const world = { ...fakeWorld(), stdout: fakeSink(), thread, signal: abort.signal };
    const jq = await openJqSink({ program: 'def f: f; f', isPerRecord: true, world });
    const written = jq.sink.write('{}\n');
    abort.abort(new Fault('interrupted', 'stopped'));
    await expect(written).rejects.toThrow('stopped');
    await jq.end();
  });

  test('a program with results without end stops where they need too much memory', async () => {
    let rss = 0;
    let check: (() => void) | undefined;
    const every = (_ms: number, call: () => void) => {
      check = call;
      return () => (check = undefined);
    };
    const world = { ...fakeWorld(), stdout: fakeSink(), thread, every, usage: () => ({ rss, cpuMs: 0 }) };
    const jq = await openJqSink({
      program: 'if . == {} then repeat(1) else . end',
      isPerRecord: true,
      world,
    });
    const written = jq.sink.write('{}\n');
    check?.();
    rss = 1_000_000_001;
    check?.();
    await expect(written).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('1 GB') as string,
    });
    expect(check).toBeUndefined();
    // The thread is gone, and what follows is not waited for.
    await expect(jq.sink.write('1\n')).rejects.toMatchObject({ kind: 'usage' });
    await jq.end();
  });
});

describe('commands', () => {
  let dir: string;
  beforeAll(async () => {
    dir = tempFolder('jq');
    await sampleData(join(dir, 'data'));
  });

  test.each([
    [`attachments ls --limit 2 --jq '.data[].id'`, 'att_1\natt_2\n'],
    ['attachments ls --limit 2 -o ndjson --jq .id', 'att_1\natt_2\n'],
    ['attachments show att_1 --json --jq .id', 'att_1\n'],
    ['attachments ls --limit 2 --fields id -o ndjson --jq keys', '["id"]\n["id"]\n'],
  ])('%s', async (line, stdout) => {
    expect(await arx(dir, line)).toMatchObject({ exit: 0, stdout });
  });

  test.each([
    [`config set timeout 30 --jq '.a |'`, '--jq: syntax error'],
    ['attachments ls -o csv --jq .id', '--jq goes with -o json or -o ndjson'],
    [`attachments ls --jq ''`, 'must be a jq program'],
  ])('%s is exit 2 before anything is done', async (line, message) => {
    const ran = await arx(dir, line);
    expect(ran).toMatchObject({ exit: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect((await arx(dir, 'config get timeout')).stdout).toBe('20\n');
  });

  test.each([
    ['--json', 'halt_error', ''],
    ['-o ndjson', '.id, ("x" | halt_error(3))', 'att_1\n'],
  ])('a program that halts with a failure is exit 2: %s %s', async (form, program, stdout) => {
    const ran = await arx(dir, `attachments ls --limit 2 ${form} --jq '${program}'`);
    expect(ran).toMatchObject({ exit: 2, stdout });
    expect(ran.stderr).toContain('--jq: the program halted with exit code');
  });

  test('the fault of the command counts too', async () => {
    expect(await arx(dir, 'attachments show att_9999 --jq .id')).toMatchObject({ exit: 6, stdout: '' });
  });
});
