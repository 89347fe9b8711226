// Which pager shows what is longer than the screen, and when none does.
import { expect, test } from 'vitest';
import { Fault } from '../../src/faults.ts';
import type { World } from '../../src/world.ts';
import { arx } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads a message on a terminal of five rows; returns the pagers that were started with what they got. */
async function paged(
  env: Record<string, string>,
  { closesAt = Infinity, columns = 80, rows = 5, line = 'read msg_1' } = {},
) {
  const dir = tempFolder('paged');
  const file = '--b\n\nhello\n--b\nContent-Disposition: attachment; filename=f\n\nf\n--b--\n';
  const type = 'Content-Type: multipart/mixed; boundary=b';
  writeFileSync(join(dir, 'a.eml'), `From: a@x\nSubject: s\n${type}\n\n${file}`);
  expect((await arx(dir, 'import a.eml')).exit).toBe(0);
  const started: string[] = [];
  let text = '';
  const startPager: World['startPager'] = async (program, args, given) => {
    started.push([program, ...args, JSON.stringify(given)].join(' '));
    if (program === 'missing') throw new Error('ENOENT');
    return {
      isTTY: true,
      columns,
      isClosed: () => text.length >= closesAt,
      write: async (chunk) => {
        text += String(chunk);
        if (text.length >= closesAt) throw new Fault('interrupted', 'closed', { signal: 'SIGPIPE' });
      },
      end: async () => {},
    };
  };
  const terminal = columns === 0 ? {} : { columns, rows };
  const ran = await arx(dir, line, { env: { LANG: 'C.UTF-8', ...env }, ...terminal, startPager });
  return { started, text, ...ran };
}

const ENV = '{"LESS":"FRX","LV":"-c"}';

test.each<[name: string, env: Record<string, string>, started: string[]]>([
  ['less is the default', {}, [`less ${ENV}`]],
  ['PAGER', { PAGER: 'more -d' }, [`more -d ${ENV}`]],
  ['ARX_PAGER before PAGER', { PAGER: 'more', ARX_PAGER: '"my pager" -x' }, [`my pager -x ${ENV}`]],
  ['an empty ARX_PAGER', { PAGER: 'more', ARX_PAGER: '' }, []],
  ['an empty PAGER', { PAGER: '' }, []],
  ['cat', { PAGER: 'cat' }, []],
  ['a dumb terminal', { TERM: 'dumb' }, []],
])('%s', async (_, env, started) => {
  const ran = await paged(env);
  expect(ran.started).toEqual(started);
  expect(started.length > 0 ? ran.text : ran.stdout).toContain('hello');
  expect(ran.exit).toBe(0);
});

test('no pager in a pipe, with --no-pager, with --no-input, or for what fits the screen', async () => {
  expect(await paged({}, { columns: 0 })).toMatchObject({ started: [], exit: 0 });
  for (const line of ['read msg_1 --no-pager', 'read msg_1 --no-input'])
    expect(await paged({}, { line })).toMatchObject({ started: [], exit: 0 });
  const { started, stdout } = await paged({}, { rows: 24 });
  expect(started).toEqual([]);
  expect(stdout).toContain('hello');
});

test.each([
  'messages show msg_1',
  'messages ls --json',
  'messages show msg_1 -o tsv',
  'help drift',
  'help attachments pull',
  'attachments pull --help',
])('what is longer than the screen is shown in the pager, whole: %s', async (line) => {
  const inPager = await paged({}, { line });
  expect(inPager).toMatchObject({ started: [`less ${ENV}`], exit: 0 });
  expect(inPager.text).toBe((await paged({}, { line: `${line} --no-pager` })).stdout);
  expect(inPager.stdout).toBe('');
});

test.each([
  'attachments pull --all --to files',
  'import a.eml',
  'backup --to copy',
  'redact att_1 --yes',
  'login --client-id me --observer-tier internal',
])('the report of what was changed is printed: %s', async (line) => {
  const { started, stdout, exit } = await paged({}, { line, rows: 1 });
  expect([exit, started]).toEqual([0, []]);
  expect(stdout).not.toBe('');
});

test('a dry run is a list that was asked for, and may open the pager', async () => {
  const { started } = await paged({}, { line: 'attachments pull --all --to files --dry-run', rows: 1 });
  expect(started).toHaveLength(1);
});

test('rows of a walk are shown as they come, not in a pager', async () => {
  const { started, stdout } = await paged({}, { line: 'messages ls --walk', rows: 2 });
  expect(started).toEqual([]);
  expect(stdout).toContain('msg_1');
});

test('a long line takes more than one row', async () => {
  const line = 'messages ls -o ndjson';
  expect((await paged({}, { line, columns: 20, rows: 10 })).started).toHaveLength(1);
  expect((await paged({}, { line, columns: 2000, rows: 10 })).started).toHaveLength(0);
});

test.each(['read msg_1', 'config ls', 'messages ls --json', 'help drift'])(
  'a closed pager is exit 0: %s',
  async (line) => {
    expect(await paged({}, { closesAt: 1, line, rows: 2 })).toMatchObject({ exit: 0, stderr: '' });
  },
);

test('a report whose pager is closed early keeps its exit code', async () => {
  const line = 'doctor';
  const { exit } = await paged({}, { line, rows: 100 });
  expect(await paged({}, { line, rows: 2, closesAt: 1 })).toMatchObject({ exit, started: [`less ${ENV}`] });
});

test('a pager that is not there is said, and the text is shown', async () => {
  const ran = await paged({ PAGER: 'missing' });
  expect(ran).toMatchObject({ exit: 0, stderr: 'arx: the pager missing cannot be started\n' });
  expect(ran.stdout).toContain('hello');
});

test('links are not sent to a pager', async () => {
  const env = { FORCE_HYPERLINK: '1', ARX_BASE_URL: 'http://archive.example' };
  expect((await paged(env, { line: 'config ls' })).text).not.toContain('\u001b]8');
  expect((await paged(env, { line: 'config ls --no-pager' })).stdout).toContain(
    '\u001b]8;;http://archive.example/\u001b\\http://archive.example\u001b]8;;\u001b\\',
  );
});
