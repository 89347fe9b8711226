// Forty rules for command lines, each a test by its number. Rules about all commands are tested over the whole command list.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { effectOf } from '../../src/command-list/command-spec.ts';
import { COMMAND_LIST, NOUNS } from '../../src/command-list/index.ts';
import { GLOBAL_OPTIONS } from '../../src/command-list/global-options.ts';
import { FILE_MEANINGS, meaningOfOption } from '../../src/command-list/standard-streams.ts';
import { printedRecord } from '../../src/command-list/printed-records.ts';
import { KEYS, SETTING_KEYS } from '../../src/config/setting-keys.ts';
import { EXIT } from '../../src/exit.ts';
import { Fault } from '../../src/faults.ts';
import { completionScript } from '../../src/completion/scripts.ts';
import { topicText } from '../../src/help/help-texts.ts';
import { run } from '../../src/arx.ts';
import { serveCatalogue } from '../support/catalogue-server.ts';
import { arx, exitRecordOf, type Ran } from '../support/command.ts';
import { fakeWorld } from '../support/fake-world.ts';
import { always, answer, misbehave, type Misbehaving, type Script } from '../support/misbehaving-server.ts';
import { sampleData } from '../support/sample.ts';
import { serve } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { wordsOf } from '../support/transcript.ts';

const ROOT = join(import.meta.dirname, '../..');
const ESC = '\u001b';
/** Options that show where a secret would be: none of these may take it as its value. */
const TOKEN = 'arx_Zq8vXw3LmT5rKp7sNd9hGb2cYf4j';

/** A database that no machine has. */
const NO_DATABASE = 'postgres://nobody@127.0.0.1:1/x';

/** Arguments and options with which a command does something on the sample archive; all others need none. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'attachments ls': '--city lisbon',
  'attachments show': 'att_1',
  'attachments cat': 'att_1',
  'attachments pull': '--all --to files',
  'attachments verify': 'files',
  'attachments export': 'files --format bagit --to bag.zip',
  open: 'msg_1',
  read: 'msg_1 conv_1',
  search: 'lisbon',
  'content get': 'msg_1',
  'content diff': 'msg_1 msg_2',
  'conversations show': 'conv_1',
  'conversations export': 'conv_1 --to thread.mbox',
  'conversations walk': '--freeze walk1',
  'conversations verify': 'walk1',
  'conversations diff': 'walk1 walk1',
  'conversations plot': 'walk1',
  'messages show': 'msg_2',
  'sequence show': 'arc_reconstruction',
  'sequence watch': 'arc_reconstruction --reads 1',
  walk: 'http://127.0.0.1:1/orders',
  'events send': `mirror.detected --id evt_1 --payload '{"layer":"outer"}'`,
  api: '/api/health',
  import: 'letter.mbox',
  redact: 'att_1 --yes',
  backup: '--to copy',
  'archive ls': NO_DATABASE,
  'archive create': `${NO_DATABASE} new`,
  'archive copy': 'sqlite:data sqlite:copied',
  'blobs move': '--to database --yes',
  'tokens revoke': '--all --yes',
  'archive move': `${NO_DATABASE} ${NO_DATABASE} old --yes`,
  'archive upgrade': NO_DATABASE,
  'archive drop': `${NO_DATABASE} old --yes`,
  'config get': 'timeout',
  'config set': 'timeout 21',
  'config unset': 'timeout',
  'profile use': 'default',
  'profile rm': 'work --yes',
  completion: 'bash',
};

const WORDS = COMMAND_LIST.map(({ words }) => words);
/** `serve` runs until it is stopped; rule 38 is about it. */
const ENDING = WORDS.filter((words) => words !== 'serve');
const lineOf = (words: string): string => `${words} ${ARGUMENTS[words] ?? ''}`.trim();

let template: string;
beforeAll(async () => {
  template = tempFolder('rules');
  await sampleData(join(template, 'data'));
  writeFileSync(join(template, 'letter.mbox'), 'From a@x Mon Jan  1 00:00:00 2024\nSubject: a\n\nb\n');
});

/** A folder with the sample archive, or an empty one. */
function home({ empty = false } = {}): string {
  const dir = tempFolder('rule');
  if (!empty) cpSync(template, dir, { recursive: true });
  return dir;
}

const servers: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
async function server(script: Script): Promise<Misbehaving> {
  const made = await misbehave(script);
  servers.push(made);
  return made;
}
const LIST = JSON.stringify({ object: 'list', status: 'stable', data: [], has_more: false });
const ENV = { LANG: 'C.UTF-8' };
/** For tests that run every command, on a busy machine. */
const LONG = { timeout: 120_000 };

test('rule 1: arx alone prints at most 30 lines; -h anywhere prints help to stdout with exit 0', async () => {
  const dir = home({ empty: true });
  const alone = await arx(dir, '');
  expect(alone).toMatchObject({ exit: 0, stderr: '' });
  expect(alone.stdout.split('\n').length).toBeLessThanOrEqual(31);
  for (const words of [...WORDS, ...Object.keys(NOUNS), 'help'])
    for (const line of [`${words} -h`, `-h ${words}`, `${words} --help --json`]) {
      const help = await arx(dir, line);
      expect({ line, ...help }).toMatchObject({ line, exit: 0, stderr: '' });
      expect(help.stdout).toContain(`Usage: arx ${words}`);
    }
  const middle = WORDS.filter((words) => words.includes(' '));
  for (const words of middle)
    expect((await arx(dir, words.replace(' ', ' -h '))).stdout).toContain(`Usage: arx ${words}`);
  expect((await arx(dir, 'attachments ls --city --help')).stdout).not.toContain('Usage:');
});

test('rule 2: each help begins with its sentence and then its examples', async () => {
  for (const words of [...WORDS, ...Object.keys(NOUNS)]) {
    const [, second = ''] = (await arx('/nowhere', `${words} -h`)).stdout.split('\n\n');
    expect(second).toMatch(/^Examples:\n {2}\S/);
  }
});

test('rule 3: noun then verb, and one word for each verb', () => {
  const pairs = WORDS.map((words) => words.split(' '));
  for (const [first = '', second, ...more] of pairs) {
    expect(more).toEqual([]);
    expect(second !== undefined).toBe(Object.hasOwn(NOUNS, first));
  }
  const verbs = new Set(pairs.flatMap(([, verb]) => verb ?? []));
  const other = ['list', 'remove', 'delete', 'del', 'view', 'display', 'new', 'add', 'download', 'fetch'];
  expect(other.filter((word) => verbs.has(word))).toEqual([]);
});

test('rule 4: no command and no option can be abbreviated', async () => {
  const dir = home({ empty: true });
  for (const words of WORDS) {
    const short = words.slice(0, -1);
    if (WORDS.some((known) => known === short)) continue;
    expect({ short, ...(await arx(dir, short)) }).toMatchObject({ short, exit: 2, stdout: '' });
  }
  for (const option of ['--fiel', '--jso', '--verb', '--quie'])
    expect(await arx(dir, `config ls ${option}`)).toMatchObject({ exit: 2, stdout: '' });
  expect(existsSync(join(dir, 'data'))).toBe(false);
});

test('rule 5: a typo gets a suggestion and exit 2, and nothing is run', async () => {
  const dir = home({ empty: true });
  for (const words of WORDS) {
    const [first = '', ...rest] = words.split(' ');
    const typo = [`${first[0]}x${first.slice(1)}`, ...rest].join(' ');
    for (const line of [typo, `help ${typo}`, `${typo} --help`, `-h ${typo}`]) {
      const ran = await arx(dir, line);
      expect({ line, ...ran }).toMatchObject({ line, exit: 2, stdout: '' });
      expect(ran.stderr).toContain('hint: did you mean: arx ');
    }
  }
  for (const line of ['nonsense --help', '-h nonsense', 'attachments nonsense -h', 'help nonsense -h']) {
    const ran = await arx(dir, line);
    expect({ line, ...ran }).toMatchObject({ line, exit: 2, stdout: '' });
    expect(ran.stderr).toContain('hint: arx ');
  }
  expect(await arx(dir, 'completion bahs')).toMatchObject({ exit: 2 });
  expect((await arx(dir, 'completion bahs')).stderr).toContain('did you mean: bash');
  expect((await arx(dir, 'config ls --fieldz')).stderr).toContain('did you mean: --fields;');
  expect(existsSync(join(dir, 'data'))).toBe(false);
});

test('rule 6, rule 7: with --json stdout is JSON of the committed schema, or empty', async () => {
  const dir = home();
  const empty: string[] = [];
  // The demo runs ten of the others.
  for (const words of ENDING.filter((each) => each !== 'demo')) {
    const { stdout } = await arx(dir, `${lineOf(words)} --json`);
    if (stdout === '') {
      empty.push(words);
      continue;
    }
    const document = JSON.parse(stdout) as Record<string, unknown>;
    const schema = printedRecord(words, { given: {}, isOneRowPerLine: false, isRemote: false });
    const rows = Array.isArray(document['data']) ? document['data'] : [document];
    for (const row of rows)
      if (schema !== undefined) expect(schema.safeParse(row).error, words).toBe(undefined);
  }
  // A file as bytes, a browser, a screen, a service, a profile or a database that is not there.
  const none = ['attachments cat', 'open', 'explore', 'walk', 'profile rm', 'blobs move'];
  none.push(...ENDING.filter((words) => ARGUMENTS[words]?.includes(NO_DATABASE)));
  expect(empty.filter((words) => !none.includes(words))).toEqual([]);
});

test('rule 7: the schema of each record is known, but for bytes and rows of any shape', () => {
  const given = { given: {}, isOneRowPerLine: false, isRemote: false };
  const without = WORDS.filter((words) => printedRecord(words, given) === undefined);
  expect(without.toSorted()).toEqual(['api', 'attachments cat', 'demo', 'explore', 'open', 'walk']);
  expect(existsSync(join(ROOT, 'src/contract/schemas/attachment.json'))).toBe(true);
});

test('rule 8: --fields lists the legal fields, and --jq needs no other tool', async () => {
  const dir = home();
  const given = { given: {}, isOneRowPerLine: false, isRemote: false };
  for (const words of WORDS.filter((each) => printedRecord(each, given) !== undefined)) {
    const listed = await arx(dir, `${words} --fields`);
    expect({ words, ...listed }).toMatchObject({ words, exit: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^[\w.]+\t[a-z ]+\t(true|false)\t(true|false)\n/);
  }
  const without = { env: { ...ENV, PATH: '' } };
  expect(await arx(dir, `attachments ls --limit 2 --jq '.data[].id'`, without)).toMatchObject({
    stdout: 'att_1\natt_2\n',
    exit: 0,
  });
  const template = await arx(dir, `attachments ls --limit 2 --template '{{id}}'`, without);
  expect(template).toMatchObject({ stdout: 'att_1\natt_2\n', exit: 0 });
});

test('rule 9: a list is one JSON document with a summary; ndjson is one record a line', async () => {
  const dir = home();
  for (const words of [
    'attachments ls',
    'messages ls',
    'conversations ls',
    'sequence show',
    'events types',
  ]) {
    const document = JSON.parse((await arx(dir, `${lineOf(words)} --json`)).stdout) as {
      data: unknown[];
      summary: Record<string, unknown>;
    };
    expect(document.summary['complete']).toBeTypeOf('boolean');
    const lines = (await arx(dir, `${lineOf(words)} -o ndjson`)).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toHaveLength(document.data.length);
    const summed = (await arx(dir, `${lineOf(words)} -o ndjson --summary`)).stdout.trimEnd().split('\n');
    const last = JSON.parse(summed.at(-1) ?? '') as Record<string, unknown>;
    expect(last).toMatchObject({
      type: 'summary',
      rows: lines.length,
      complete: document.summary['complete'],
    });
  }
});

test('rule 10: a page that is cut says so in the data, and with --strict by its exit code', async () => {
  const dir = home();
  const page = await arx(dir, 'attachments ls --limit 3 --json');
  const { summary } = JSON.parse(page.stdout) as { summary: object };
  expect(summary).toMatchObject({ rows: 3, has_more: true, complete: false });
  expect((await arx(dir, 'attachments ls --limit 3')).stderr).toBe(
    'arx: more rows follow; next page: arx attachments ls --limit 3 --after att_3; all rows: arx attachments ls --all\n',
  );
  expect((await arx(dir, 'attachments ls --limit 3 --strict')).exit).toBe(EXIT.partial);
  expect((await arx(dir, 'conversations ls --limit 3 --strict')).exit).toBe(EXIT.partial);
  const cut = await arx(dir, 'attachments ls --limit 3 --max-rows 2 --json');
  expect(cut.exit).toBe(EXIT.partial);
  const { data, summary: cutSummary } = JSON.parse(cut.stdout) as { data: object[]; summary: object };
  expect(data).toHaveLength(2);
  expect(cutSummary).toMatchObject({ rows: 2, has_more: true, complete: false });
});

test('rule 11: a table on a terminal, tab-separated whole values elsewhere', async () => {
  const dir = home();
  const table = await arx(dir, 'conversations ls --limit 5', { columns: 60, env: ENV });
  const tsv = await arx(dir, 'conversations ls --limit 5', { env: ENV });
  expect(table.stdout).not.toContain('\t');
  expect(tsv.stdout.trimEnd().split('\n')).toHaveLength(5);
  expect(tsv.stdout).toContain('\t');
  expect(tsv.stdout).not.toContain('…');
  expect(await arx(dir, 'conversations ls --limit 5', { env: { ...ENV, COLUMNS: '20' } })).toEqual(tsv);
});

test('rule 12: colour is for terminals, of each stream, and can be switched off and on', async () => {
  const dir = home();
  const isColoured = async (
    line: string,
    env: Record<string, string>,
    columns?: number,
  ): Promise<boolean> => {
    const terminal = columns === undefined ? {} : { columns };
    return (await arx(dir, line, { env: { ...ENV, ...env }, ...terminal })).stdout.includes(ESC);
  };
  const LS = 'attachments ls --limit 2 -o table';
  expect(await isColoured(LS, { TERM: 'xterm' }, 80)).toBe(true);
  expect(await isColoured(LS, { TERM: 'xterm' })).toBe(false);
  expect(await isColoured(LS, { TERM: 'xterm', NO_COLOR: '1' }, 80)).toBe(false);
  expect(await isColoured(LS, { TERM: 'dumb' }, 80)).toBe(false);
  expect(await isColoured(`${LS} --no-color`, { TERM: 'xterm' }, 80)).toBe(false);
  expect(await isColoured(LS, { FORCE_COLOR: '1' })).toBe(true);
  expect(await isColoured(LS, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
  expect(await isColoured(LS, { CLICOLOR_FORCE: '1' })).toBe(true);
  expect(await isColoured(`${LS} --color always`, {})).toBe(true);
  // Standard error is a terminal, standard output is a pipe.
  const world = fakeWorld({ dir, argv: wordsOf(LS), columns: 80, env: { ...ENV, TERM: 'xterm' } });
  const stdout = { ...world.stdout, isTTY: false, columns: undefined };
  expect(await run({ ...world, stdout })).toBe(0);
  expect(world.stdoutText()).not.toContain(ESC);
});

test('rule 13: nothing is animated off a terminal', LONG, async () => {
  const dir = home();
  await arx(dir, 'conversations walk --freeze walk1');
  for (const words of ENDING.filter((each) => each !== 'demo')) {
    let now = 0;
    const timers = new Set<() => void>();
    const every = (_: number, call: () => void) => {
      timers.add(call);
      return () => timers.delete(call);
    };
    // Each look at the clock is a second later, and each time something may be drawn.
    const monotonic = (): number => (now += 1000);
    const done = arx(dir, lineOf(words), { env: { ...ENV, TERM: 'xterm' }, every, monotonic });
    for (const call of timers) call();
    const { stderr } = await done;
    for (const control of ['\r', '\b', ESC]) expect(stderr, words).not.toContain(control);
  }
});

test('rule 13: -q leaves the data that was asked for, and errors', LONG, async () => {
  const dir = home();
  const empty: string[] = [];
  // A screen, a program of the system and a tour show something whatever was asked for.
  for (const words of ENDING.filter((each) => !['demo', 'explore', 'open'].includes(each))) {
    const { exit, stdout, stderr } = await arx(dir, `${lineOf(words)} -q`);
    const isDone = exit === 0 || exit === EXIT.partial;
    if (isDone && stdout === '') empty.push(words);
    expect({ words, stderr: exit === 0 ? stderr : '' }).toEqual({ words, stderr: '' });
    if (exit === EXIT.partial) expect(stderr).toContain('[partial, exit 3]');
  }
  const effects = new Map(COMMAND_LIST.map((spec) => [spec.words, effectOf(spec, { shell: 'bash' })]));
  const changing = ENDING.filter((words) => effects.get(words) === 'change');
  const ending = changing.filter((words) => !/^(archive (?!copy)|blobs |profile rm)/.test(words));
  expect(empty.toSorted()).toEqual([...ending, 'conversations diff'].toSorted());
  const installed = await arx(dir, 'completion install bash -q', { home: dir });
  expect(installed).toMatchObject({ exit: 0, stdout: '' });
  // A form of the output, fields, or a dry run ask for the report.
  for (const form of ['-o tsv', '--json', '--fields id', `--jq .`, '--template {{id}}'])
    expect((await arx(dir, `redact att_2 --yes -q ${form}`)).stdout).toContain('att_2');
  expect((await arx(dir, 'import letter.mbox --dry-run -q')).stdout).not.toBe('');
});

/** Commands that ask no service of the interface: whatever address is set, without a display (`open`), without a sent event. */
const ASK_NONE = new Set([
  'open',
  'events reconcile',
  'attachments verify',
  'conversations verify',
  'conversations diff',
  'conversations plot',
  'events types',
  'walk',
  'about api',
  'import',
  'redact',
  'fsck',
  'backup',
  'archive copy',
  'blobs move',
  ...WORDS.filter((words) => /^(archive|tokens) /.test(words)),
  'completion',
  'demo',
  'explore',
  'token',
  'whoami',
  'logout',
  ...WORDS.filter((words) => /^(config|profile) /.test(words)),
]);

test(
  'rule 14: on a terminal each command that asks a service says so while the first answer is waited for',
  LONG,
  async () => {
    const dir = home();
    await arx(dir, 'attachments pull --city lisbon --to files');
    const silent: string[] = [];
    const asked = new Set<string>();
    for (const words of ENDING) {
      let now = 0;
      const timers = new Set<() => void>();
      const controller = new AbortController();
      let shown = '';
      const { url } = await server(() => {
        if (shown !== '') return;
        asked.add(words);
        // Half a second and a little passes, and no answer has come.
        now += 700;
        for (const call of timers) call();
        shown = world.stderrText();
        controller.abort(new Fault('interrupted', 'interrupted', { signal: 'SIGINT' }));
      });
      const login =
        words === 'login' ? ' --client-id a --observer-tier external --requested-tier external' : '';
      const world = fakeWorld({
        dir,
        argv: wordsOf(`${lineOf(words)}${login}`),
        columns: 80,
        env: { ...ENV, TERM: 'xterm', ARX_BASE_URL: url, ARX_TOKEN: TOKEN },
        signal: controller.signal,
        monotonic: () => now,
        every: (_, call) => {
          timers.add(call);
          return () => timers.delete(call);
        },
      });
      await run(world);
      if (asked.has(words) && !/(waiting for the first answer from|connecting to|looking for) \S/.test(shown))
        silent.push(`${words}: ${shown}`);
    }
    expect(silent).toEqual([]);
    expect(ENDING.filter((words) => !asked.has(words) && !ASK_NONE.has(words))).toEqual([]);
  },
);

test('rule 15: help and settings open no connection, whatever address is set', async () => {
  const dir = home();
  const { url, requests } = await server(always(answer(200, LIST)));
  const env = { ...ENV, ARX_BASE_URL: url };
  for (const line of [
    '',
    '--help',
    'help output',
    'config ls',
    'config path',
    'profile ls',
    'completion zsh',
  ])
    expect((await arx(dir, line, { env })).exit).toBe(0);
  for (const words of WORDS) await arx(dir, `${words} --fields`, { env });
  expect(requests).toEqual([]);
});

test('rule 16: no option takes a secret as its value', async () => {
  const options = [...GLOBAL_OPTIONS, ...COMMAND_LIST.flatMap((words) => words.options ?? [])];
  const secret = options.filter(([syntax]) => /token|secret|password|bearer|key\b/i.test(syntax));
  expect(secret.filter(([syntax]) => !syntax.endsWith('-file <file>'))).toEqual([]);
  const ran = await arx(home(), `attachments ls --token-file ${TOKEN} --base-url http://127.0.0.1:1`);
  expect(ran).toMatchObject({ exit: 2, stdout: '' });
});

test('rule 17: the token file is private to its owner and replaced as a whole', async () => {
  const dir = home();
  const first = await arx(dir, 'login');
  expect(first.exit).toBe(0);
  expect(first.stdout + first.stderr).toContain(join(dir, 'config/tokens.json'));
  const mode = (path: string): number => statSync(join(dir, path)).mode & 0o777;
  expect([mode('config'), mode('config/tokens.json')]).toEqual([0o700, 0o600]);
  const before = statSync(join(dir, 'config/tokens.json')).ino;
  expect((await arx(dir, 'login')).exit).toBe(0);
  expect(statSync(join(dir, 'config/tokens.json')).ino).not.toBe(before);
});

test('rule 18: whoami --json works without the service; 0 with a token, 4 without', async () => {
  const dir = home();
  const { url, requests } = await server(always(tokenAnswer()));
  const env = { ...ENV, ARX_BASE_URL: url };
  const LOGIN = 'login --client-id me --observer-tier internal --requested-tier internal';
  expect((await arx(dir, 'whoami --json', { env })).exit).toBe(EXIT.auth);
  expect((await arx(dir, LOGIN, { env })).exit).toBe(0);
  const asked = requests.length;
  const who = await arx(dir, 'whoami --json', { env });
  expect(who.exit).toBe(0);
  expect(JSON.parse(who.stdout)).toMatchObject({ access_tier: 'internal', profile: 'default', origin: url });
  expect(requests.length).toBe(asked);
});

/** What a service answers to a login. */
function tokenAnswer(): Buffer {
  const token = {
    access_token: TOKEN,
    token_type: 'bearer',
    expires_at: '2027-01-01T00:00:00.000Z',
    scope: ['read:attachments'],
    access_tier: 'internal',
    issued_by: 'x',
    timeline_offset_ms: 0,
    session_drift_ms: 0,
    source_integrity: 1,
  };
  return answer(200, JSON.stringify(token));
}

test('rule 19: a refused token is said with the reason, the next command and the request id', async () => {
  const body = { error: { code: 'expired_token', message: 'the token has expired', request_id: 'req_77' } };
  const { url } = await server(always(answer(401, JSON.stringify(body))));
  const env = { ...ENV, ARX_BASE_URL: url, ARX_TOKEN: TOKEN };
  const ran = await arx(home(), 'attachments ls --json', { env });
  expect(ran).toMatchObject({ exit: EXIT.auth, stdout: '' });
  expect(exitRecordOf(ran)).toMatchObject({ code: 'expired_token', request_id: 'req_77', class: 'auth' });
  expect(exitRecordOf(ran).message).toContain('expired');
  expect(exitRecordOf(ran).next).toContain('arx login');
});

test('rule 20: each exit code of arx help exit-codes has a run that ends with it', LONG, async () => {
  const dir = home();
  const refused = (status: number, code: string) =>
    server(always(answer(status, JSON.stringify({ error: { code, message: code } }))));
  const at = async (script: Promise<Misbehaving>, line: string): Promise<number> => {
    const { url } = await script;
    const env = { ...ENV, ARX_BASE_URL: url, ARX_TOKEN: TOKEN };
    return (await arx(dir, `${line} --retries 0`, { env })).exit;
  };
  const here = async (line: string): Promise<number> => (await arx(dir, line)).exit;
  const stopped = async (signal: string): Promise<number> => {
    const controller = new AbortController();
    controller.abort(new Fault('interrupted', 'interrupted', { signal }));
    return run(fakeWorld({ dir, argv: ['attachments', 'ls'], signal: controller.signal }));
  };
  const EVENT = `events send mirror.detected --id evt_9 --payload '{"layer":"outer"}'`;
  expect(await here('attachments pull --all --to files')).toBe(EXIT.partial);
  writeFileSync(join(dir, 'files/lisbon-000.jpg'), 'changed');
  writeFileSync(join(dir, 'page.html'), 'mine');
  await here('conversations walk --freeze walk1');
  const drifting = await serve(dir, ['--drift', '0.3', '--drift-seed', '1']);
  servers.push(drifting);
  const login = await arx(
    dir,
    `login --base-url ${drifting.base_url} --client-id a --observer-tier external --requested-tier external`,
  );
  expect(login.exit).toBe(0);
  const broken = fakeWorld({ dir, argv: ['demo'] });
  const ends: Record<number, number> = {
    0: await here('health'),
    [EXIT.internal]: await run({
      ...broken,
      randomBytes: () => {
        throw new TypeError('no randomness');
      },
    }),
    [EXIT.usage]: await here('attachments show'),
    [EXIT.partial]: await here('attachments ls --limit 2 --strict'),
    [EXIT.auth]: await at(refused(401, 'invalid_token'), 'attachments ls'),
    [EXIT.forbidden]: await at(refused(403, 'forbidden'), 'attachments ls'),
    [EXIT.not_found]: await here('attachments show att_0'),
    [EXIT.conflict]: await at(refused(409, 'conflict'), EVENT),
    [EXIT.unstable]: await here(
      `conversations walk --base-url ${drifting.base_url} --limit 5 --fail-on-drift 0`,
    ),
    [EXIT.busy]: await at(refused(503, 'busy'), 'attachments ls'),
    [EXIT.network]: await here('health --base-url http://127.0.0.1:1'),
    [EXIT.protocol]: await at(server(always(answer(200, 'no JSON'))), 'attachments ls'),
    [EXIT.integrity]: await here('attachments verify files'),
    [EXIT.unsafe]: await here('conversations plot walk1 --html page.html'),
    [EXIT.disk]: await run(fakeWorld({ dir, argv: ['attachments', 'ls'], cwd: '' })),
    [EXIT.store]: (await arx(dir, 'config ls', { env: { ...ENV, ARX_CONFIG_DIR: join(dir, 'page.html') } }))
      .exit,
    [EXIT.unconfirmed]: await at(
      server((socket) => socket.destroy()),
      EVENT,
    ),
    130: await stopped('SIGINT'),
    143: await stopped('SIGTERM'),
    129: await stopped('SIGHUP'),
    141: await stopped('SIGPIPE'),
  };
  expect(Object.entries(ends).filter(([code, exit]) => Number(code) !== exit)).toEqual([]);
  const codes = Object.values(EXIT).filter((code) => code !== EXIT.interrupted);
  expect(codes.filter((code) => ends[code] === undefined)).toEqual([]);
  const text = topicText('exit-codes');
  // One line for each code, and one for those of signals.
  const explained = [...text.matchAll(/^ *(\d+(?:, \d+)*)(?: [a-z_]+)? {2,}\S/gm)].flatMap(([, codes = '']) =>
    codes.split(', ').map(Number),
  );
  expect(explained.toSorted((a, b) => a - b)).toEqual(Object.keys(ends).map(Number));
});

test('rule 21: an error is one JSON object with code, message, request id, integrity, exit and next', async () => {
  const body = { error: { code: 'not_found', message: 'no', request_id: 'req_9', integrity: 0.5 } };
  const { url } = await server(always(answer(404, JSON.stringify(body))));
  const env = { ...ENV, ARX_BASE_URL: url, ARX_TOKEN: TOKEN };
  const ran = await arx(home(), 'attachments ls --json', { env });
  expect(exitRecordOf(ran)).toMatchObject({
    type: 'exit',
    exit: 6,
    class: 'not_found',
    request_id: 'req_9',
    integrity: 0.5,
  });
  for (const words of WORDS) {
    const wrong = await arx(home({ empty: true }), `${words} --nonsense --json`);
    expect(exitRecordOf(wrong)).toMatchObject({
      exit: 2,
      class: 'usage',
      next: `arx help ${words}`,
    });
  }
});

test('rule 22: no stack trace without ARX_DEBUG', async () => {
  const dir = home();
  const world = { ...fakeWorld({ dir, argv: ['demo'] }), randomBytes: undefined as never };
  expect(await run(world)).toBe(EXIT.internal);
  expect(world.stderrText()).not.toMatch(/^ +at /m);
  const debug = fakeWorld({ dir, argv: ['demo'], env: { ARX_DEBUG: '1' } });
  await run({ ...debug, randomBytes: undefined as never });
  expect(debug.stderrText()).toMatch(/^ +at /m);
});

test('rule 23: nothing is asked off a terminal or with --no-input; what is missing is named', async () => {
  const dir = home();
  const env = { ...ENV, ARX_BASE_URL: 'http://127.0.0.1:1' };
  const typed = ['me', 'internal', 'internal'];
  for (const options of [{ typed }, { typed, columns: 80 }]) {
    const ran = await arx(dir, 'login --no-input', { env, ...options });
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain('--client-id, --observer-tier missing');
  }
  await arx(dir, 'login');
  await arx(dir, 'config set --profile work timeout 5');
  for (const line of ['redact att_1', 'logout --all', 'profile rm work', 'tokens revoke --all'])
    for (const options of [{}, { columns: 80 }]) {
      const asked = await arx(dir, `${line} --no-input`, { typed: ['y'], ...options });
      expect({ line, ...asked }).toMatchObject({ line, exit: 2, stdout: '' });
      expect(asked.stderr).toContain('--yes is missing');
    }
});

test('rule 24: what changes or deletes has a dry run, asks, needs --yes off a terminal and says what it did', async () => {
  const asking = [
    'redact',
    'logout',
    'profile rm',
    'completion',
    'blobs move',
    'tokens revoke',
    'archive move',
    'archive drop',
  ];
  const optionsOf = (words: string): readonly string[] =>
    (COMMAND_LIST.find((spec) => spec.words === words)?.options ?? []).map(([syntax]) => syntax);
  for (const words of WORDS) expect(optionsOf(words).includes('--yes'), words).toBe(asking.includes(words));
  for (const words of [...asking, 'import', 'attachments pull'])
    expect(optionsOf(words)).toContain('--dry-run');
  const dir = home();
  await arx(dir, 'login');
  await arx(dir, 'config set --profile work timeout 5');
  for (const line of ['redact att_1', 'logout --all', 'profile rm work', 'tokens revoke --all']) {
    expect(await arx(dir, line)).toMatchObject({ exit: 2, stdout: '' });
    expect((await arx(dir, line, { columns: 80, typed: ['n'] })).stderr).toContain(
      'kept: nothing was changed',
    );
    const planned = await arx(dir, `${line} --dry-run`);
    expect(planned.stdout + planned.stderr).toContain('would');
    const done = await arx(dir, `${line} --yes`);
    expect(done.exit).toBe(0);
    expect(done.stdout).not.toBe('');
  }
  // An import only adds: it asks nothing, its dry run stores nothing, and both say what they counted.
  const rows = async (): Promise<unknown> => (await arx(dir, 'messages ls --all --json')).stdout;
  const before = await rows();
  const planned = await arx(dir, 'import letter.mbox --dry-run --json');
  expect(JSON.parse(planned.stdout)).toMatchObject({ dry_run: true, sources: [{ messages: { stored: 1 } }] });
  expect(planned.stderr).toContain(
    'dry run: nothing was stored; --database sqlite:FOLDER stores it in an archive of its own',
  );
  expect(await rows()).toBe(before);
  const imported = await arx(dir, 'import letter.mbox --json');
  expect(JSON.parse(imported.stdout)).toMatchObject({ sources: [{ messages: { read: 1, stored: 1 } }] });
  expect(await rows()).not.toBe(before);
  // What would replace a file of the user is refused without --force, and nothing is written.
  writeFileSync(join(dir, 'thread.mbox'), 'mine');
  expect((await arx(dir, 'conversations export conv_1 --to thread.mbox')).exit).toBe(EXIT.unsafe);
  expect(readFileSync(join(dir, 'thread.mbox'), 'utf8')).toBe('mine');
});

/** A command line in which `-` stands for this file, and what standard input gives. */
const DASHES: Readonly<Record<string, [line: string, stdin?: string]>> = {
  '--token-file': ['token --token-file -', `${TOKEN}\n`],
  '--ids': ['attachments pull --ids - --to picked', 'att_1\n'],
  '--file': [
    'events send --file -',
    `${JSON.stringify({ id: 'evt_1', type: 'mirror.detected', payload: { layer: 'x' } })}\n`,
  ],
  '--payload': ['events send mirror.detected --id evt_2 --payload @-', '{"layer":"outer"}'],
  '--sign-with': [
    `events send mirror.detected --id evt_3 --payload '{"layer":"outer"}' --sign-with -`,
    `whsec_${Buffer.alloc(32, 7).toString('base64')}\n`,
  ],
  '--report': ['conversations walk --report -'],
  '--html': ['conversations plot walk1 --html -'],
  '--html of attachments verify': ['attachments verify files --html -'],
  '--to <path>': ['conversations export conv_1 --to -'],
  '--to <path> of attachments export': ['attachments export files --to -'],
  '--record': ['attachments ls --record -'],
  '--journal': ['events reconcile --journal -'],
  '--to <dir>': ['attachments pull --all --to -'],
  '--freeze': ['conversations walk --freeze -'],
  '--frozen': ['attachments export files --to bag --frozen -'],
  '--save': ['content get msg_1 --save -'],
  '--blobs': ['fsck --database postgres://127.0.0.1:1/x --blobs -'],
  '--to <place>': ['blobs move --database postgres://127.0.0.1:1/x --to - --yes'],
  '--state': ['fsck --state -'],
  '--verify': ['report --verify -'],
  '--from-blobs': ['archive copy sqlite:data sqlite:copied --from-blobs -'],
  '--to-blobs': ['archive copy sqlite:data sqlite:copied --to-blobs -'],
  'import <paths...>': ['import -', 'From a@x Mon Jan  1 00:00:00 2024\nSubject: piped\n\nb\n'],
  'attachments cat <ids...>': ['attachments cat -', 'att_1\n'],
  'attachments pull [attachments...]': ['attachments pull - --to picked', 'att_1\n'],
  'content get <messages...>': ['content get -', 'msg_1\n'],
  'read <ids...>': ['read -', 'msg_1\n'],
  'messages show <id>': ['messages show -'],
  'attachments verify [dir]': ['attachments verify -'],
  'attachments export [dir]': ['attachments export - --to bag'],
  'conversations verify <dir>': ['conversations verify -'],
  'conversations plot <dir>': ['conversations plot -'],
  'conversations diff <a>': ['conversations diff - walk1'],
  'conversations diff <b>': ['conversations diff walk1 -'],
};
/** `serve` runs until it is stopped; its tests give these a dash. */
const OF_SERVE = new Set(['--webhook-secret-file', '--log', '--drift-log']);

test(
  'rule 25: - is a standard stream wherever a file is named, or is refused with the reason',
  LONG,
  async () => {
    // What names a file by its syntax has a meaning, so that no new option can be forgotten.
    const namesFile = /[<[](file|files|path|paths|dir)(\.\.\.)?[>\]]/;
    const files = [
      ...[...GLOBAL_OPTIONS, ...COMMAND_LIST.flatMap(({ options }) => options ?? [])].map(([syntax]) => ({
        syntax,
        meaning: meaningOfOption(syntax),
      })),
      ...COMMAND_LIST.flatMap((spec) =>
        (spec.arguments ?? []).map(([argument]) => {
          const syntax = `${spec.words} ${argument}`;
          return { syntax, meaning: FILE_MEANINGS[syntax] };
        }),
      ),
    ].filter(({ syntax }) => namesFile.test(syntax));
    // The path of an address.
    const without = files.filter(({ meaning }) => meaning === undefined).map(({ syntax }) => syntax);
    expect(without).toEqual(['api <path>']);
    const tried = Object.keys(FILE_MEANINGS).filter((name) => !OF_SERVE.has(name));
    expect(tried.filter((name) => DASHES[name] === undefined)).toEqual([]);

    const dir = home();
    await arx(dir, 'attachments pull --city lisbon --to files');
    await arx(dir, 'conversations walk --freeze walk1');
    for (const [name, [line, stdin]] of Object.entries(DASHES)) {
      const meaning = FILE_MEANINGS[name.split(' of ')[0] ?? ''];
      const ran = await arx(dir, line, stdin === undefined ? {} : { stdin });
      if (typeof meaning === 'object') {
        expect({ line, ...ran }).toMatchObject({ line, exit: 2, stdout: '' });
        expect(ran.stderr).toContain(`cannot be -: ${meaning.refused}`);
      } else {
        // Files that the sample withholds make a bag or a report incomplete.
        expect({ line, exit: [0, EXIT.partial].includes(ran.exit), stderr: ran.stderr }).toMatchObject({
          line,
          exit: true,
        });
        expect(ran.stdout, line).not.toBe('');
      }
      expect(existsSync(join(dir, '-'))).toBe(false);
    }
    const printed = async (line: string): Promise<Ran> => arx(dir, line);
    expect(JSON.parse((await printed('conversations walk --report -')).stdout)).toMatchObject({ version: 1 });
    expect((await printed('conversations plot walk1 --html -')).stdout).toMatch(
      /^<!doctype html>[^]*<\/html>\n?$/i,
    );
    expect((await printed('attachments export files --to -')).bytes.subarray(0, 4).toString()).toBe(
      'PK\u0003\u0004',
    );
    const found = await arx(dir, 'search subject:piped -o ndjson');
    expect(found.stdout).toContain('"subject":"piped"');
  },
);

test('rule 25: two - for one stream are refused before anything is done', async () => {
  const dir = home({ empty: true });
  for (const line of [
    'import - -',
    'attachments cat - -',
    'attachments pull - --ids -',
    'events send --file - --token-file -',
    'events send mirror.detected --id e --payload @- --sign-with -',
    'serve --log - --drift 0.1 --drift-log -',
  ]) {
    const ran = await arx(dir, line, { stdin: 'att_1\n' });
    expect({ line, ...ran }).toMatchObject({ line, exit: 2, stdout: '' });
    expect(ran.stderr).toMatch(/- is standard \w+, which is one: /);
  }
  expect(existsSync(join(dir, 'data'))).toBe(false);
});

test('rule 26: only GET is retried, Retry-After is kept to, and -v says how often', async () => {
  const dir = home();
  const { url, requests } = await server((socket, _, count) =>
    socket.write(count < 2 ? answer(503, '{}', { 'retry-after': '1' }) : answer(200, LIST)),
  );
  const env = { ...ENV, ARX_BASE_URL: url, ARX_TOKEN: TOKEN };
  const ran = await arx(dir, 'attachments ls -v', { env });
  expect(ran.exit).toBe(0);
  expect(ran.stderr).toContain('attempt 3 of 5 after 503, waiting 1.0 s');
  expect(requests.length).toBeGreaterThanOrEqual(3);
  const busy = await server(always(answer(503, '{}', { 'retry-after': '86400' })));
  const late = await arx(dir, 'attachments ls', { env: { ...env, ARX_BASE_URL: busy.url } });
  expect(late).toMatchObject({ exit: EXIT.busy });
  const login = 'login --client-id a --observer-tier external --requested-tier external';
  await arx(dir, login, { env: { ...ENV, ARX_BASE_URL: busy.url } });
  expect(busy.requests.filter(({ head }) => head.startsWith('POST'))).toHaveLength(1);
});

test('rule 27: the connection, an answer and the whole run have limits that can be set', async () => {
  const dir = home();
  const { url } = await server(() => {});
  const env = { ...ENV, ARX_BASE_URL: url, ARX_TOKEN: TOKEN };
  const answerLimit = await arx(dir, 'attachments ls --timeout 0.1 --retries 0', { env });
  expect(answerLimit).toMatchObject({ exit: EXIT.network });
  expect(answerLimit.stderr).toContain('no answer within 0.1 s');
  const runLimit = await arx(dir, 'attachments ls --max-time 0.1', { env });
  expect(runLimit).toMatchObject({ exit: EXIT.network });
  expect(runLimit.stderr).toContain('not done within 0.1 s');
  expect(SETTING_KEYS).toContain('connect_timeout');
  // An address of a network for documentation, where nobody answers. Without a route it fails at once.
  const connectLimit = await arx(
    dir,
    'health --base-url https://192.0.2.1 --connect-timeout 0.1 --retries 0',
  );
  expect(connectLimit.exit).toBe(EXIT.network);
});

test('rule 28: an interrupted run says what is kept, and ends with 130', async () => {
  const dir = home();
  const controller = new AbortController();
  const { url } = await server((socket, _, count) => {
    if (count === 0) socket.write(answer(404, '{}'));
    else controller.abort(new Fault('interrupted', 'interrupted', { signal: 'SIGINT' }));
  });
  const env = { ...ENV, ARX_BASE_URL: url, ARX_TOKEN: TOKEN };
  const ran = await arx(dir, 'attachments pull --all --to files', { env, signal: controller.signal });
  expect(ran.exit).toBe(130);
  expect(ran.stderr).toMatch(/^arx: interrupted.* \[signal, exit 130\]\n/);
  expect(ran.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
});

test('rule 29: a download gets its name only if its hash matches', async () => {
  const dir = home();
  const wrong = { content: 'wrong', row: { sha256: 'a'.repeat(64) } };
  const catalogue = await serveCatalogue([{ content: 'right' }, wrong]);
  servers.push(catalogue);
  const env = { ...ENV, ARX_BASE_URL: catalogue.url, ARX_TOKEN: TOKEN };
  expect((await arx(dir, 'attachments pull --all --to files', { env })).exit).toBe(EXIT.integrity);
  expect(readFileSync(join(dir, 'files/file-1.txt'), 'utf8')).toBe('right');
  expect(existsSync(join(dir, 'files/file-2.txt'))).toBe(false);
});

test('rule 30: a file name of a service stays inside the folder', async () => {
  const dir = home();
  const names = ['../../escaped', '/tmp/arx-escaped', 'a\u0000b', '..', '.bashrc', 'CON'];
  const catalogue = await serveCatalogue(
    names.map((filename, at) => ({ filename, content: `content ${at}` })),
  );
  servers.push(catalogue);
  const env = { ...ENV, ARX_BASE_URL: catalogue.url, ARX_TOKEN: TOKEN };
  const ran = await arx(dir, 'attachments pull --all --to in/files -o ndjson', { env });
  expect(ran.exit).toBe(0);
  const paths = ran.stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { path: string }).path);
  expect(paths).toHaveLength(names.length);
  for (const path of paths) expect(path).toMatch(/^[^/\\.\0][^/\\\0]*$/);
  expect(existsSync(join(dir, 'escaped'))).toBe(false);
  expect(existsSync('/tmp/arx-escaped')).toBe(false);
});

test('rule 31: no text of an archive controls the terminal', async () => {
  const dir = home();
  const attack = `${ESC}[2J${ESC}]0;pwned\u0007`;
  const word = `=?utf-8?B?${Buffer.from(`hello ${attack}`).toString('base64')}?=`;
  const mail = [`From: ${word} <eve@x>`, `Subject: ${word}`, '', `body ${attack}`, ''].join('\n');
  writeFileSync(join(dir, 'evil.eml'), mail);
  const imported = await arx(dir, 'import evil.eml --json');
  expect(imported.exit).toBe(0);
  const found = await arx(dir, 'search hello --limit 1 -o ndjson');
  const { id } = JSON.parse(found.stdout.split('\n')[0] ?? '') as { id: string };
  const lines = [
    'messages ls --all',
    'conversations ls --all',
    `read ${id}`,
    `content get ${id}`,
    'search hello',
    `messages show ${id}`,
  ];
  for (const line of lines) {
    const shown = await arx(dir, line, { columns: 400, env: { ...ENV, NO_COLOR: '1', PAGER: '' } });
    expect(shown.exit, line).toBe(0);
    expect(shown.stdout, line).toContain('pwned');
    for (const control of [ESC, '\u0007', '\u009b'])
      expect(shown.stdout + shown.stderr).not.toContain(control);
  }
  const raw = await arx(dir, `content get ${id} --raw`, { columns: 100 });
  expect(raw).toMatchObject({ exit: 2, stdout: '' });
});

test('a setting is shown without the password of an address, also as it is set', async () => {
  const dir = home();
  for (const words of ['', ' --json']) {
    const { exit, stdout } = await arx(dir, `config set proxy http://user:se:cret@127.0.0.1:9${words}`);
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: expect.stringContaining('http://user:***@127.0.0.1:9'),
    });
  }
});

test('rule 32: flag, environment, profile, file, default; each variable is documented', async () => {
  const dir = home();
  const timeout = async (line = '', env: Record<string, string> = {}): Promise<unknown> => {
    const ran = await arx(dir, `config get timeout --json ${line}`, { env: { ...ENV, ...env } });
    const { value, origin } = JSON.parse(ran.stdout) as { value: number; origin: string };
    return [value, origin];
  };
  expect(await timeout()).toEqual([20, 'default']);
  await arx(dir, 'config set timeout 21');
  expect(await timeout()).toEqual([21, 'user config']);
  await arx(dir, 'config set timeout 22 --profile work');
  expect(await timeout('--profile work')).toEqual([22, 'profile']);
  expect(await timeout('--profile work', { ARX_TIMEOUT: '23' })).toEqual([23, 'environment']);
  expect(await timeout('--profile work --timeout 24', { ARX_TIMEOUT: '23' })).toEqual([24, 'flag']);
  const text = topicText('environment');
  for (const key of SETTING_KEYS) {
    expect(text).toContain(`${key}  `);
    expect(KEYS[key].meaning).not.toBe('');
  }
  const files = spawnSync('grep', ['-rhoE', String.raw`env\[?'?\[?'[A-Z_]+'`, join(ROOT, 'src')], {
    encoding: 'utf8',
  });
  const read = new Set(files.stdout.match(/[A-Z_]{3,}/g));
  expect(read.size).toBeGreaterThan(8);
  expect([...read].filter((name) => !text.includes(name) && !name.startsWith('PG'))).toEqual([]);
});

test('rule 33: there are completions for four shells, which name each command', () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell'] as const) {
    const script = completionScript(shell);
    for (const words of WORDS) for (const word of words.split(' ')) expect(script).toContain(word);
  }
});

test('rule 34: -v shows requests, -vv a curl command of each, both without the token', async () => {
  const dir = home();
  const { url } = await server(always(answer(200, LIST)));
  const env = { ...ENV, ARX_BASE_URL: url, ARX_TOKEN: TOKEN };
  const plain = await arx(dir, `attachments ls --city 'são paulo' -v`, { env });
  expect(plain.stderr).toMatch(/^arx: GET \/v1\/attachments\S*: 200, 0 ms$/m);
  expect(plain.stderr).not.toContain('curl');
  const twice = await arx(dir, `attachments ls --city "it's" -vv`, { env });
  const line = /^arx: (curl .*)$/m.exec(twice.stderr)?.[1] ?? '';
  expect(line).toContain('-H "Authorization: Bearer $ARX_TOKEN"');
  expect(plain.stderr + twice.stderr).not.toContain(TOKEN.slice(0, 8));
});

test('rule 35: --offline opens no connection and names the command that would', async () => {
  const dir = home();
  const { url, requests } = await server(always(answer(200, LIST)));
  await arx(dir, 'conversations walk --freeze walk1');
  expect((await arx(dir, 'attachments ls --offline')).exit).toBe(0);
  const env = { ...ENV, ARX_BASE_URL: url, ARX_TOKEN: TOKEN };
  for (const words of ENDING) await arx(dir, `${lineOf(words)} --offline --no-input`, { env });
  expect(requests).toEqual([]);
  const refused = await arx(dir, `attachments ls --city 'são paulo' --json --offline`, { env });
  expect(refused).toMatchObject({ exit: EXIT.network, stdout: '' });
  expect(exitRecordOf(refused).next).toBe(`arx attachments ls --city 'são paulo' --json`);
  const database = await arx(dir, 'fsck --database postgres://u:secret@192.0.2.1/x --offline');
  expect(database.exit).toBe(EXIT.network);
  expect(database.stderr).not.toContain('secret');
});

test('rule 36: the program names no address on the internet', () => {
  const found = spawnSync(
    'grep',
    ['-rhoE', '--include=*.ts', String.raw`https?://[A-Za-z0-9.-]+`, join(ROOT, 'src')],
    {
      encoding: 'utf8',
    },
  );
  const hosts = new Set(found.stdout.split('\n').map((address) => address.replace(/^https?:\/\//, '')));
  // The services of Amazon, for who names a bucket there: `s3.`, STS, and those of a container and a machine, which are on it.
  const amazon = new Set(['s3.', 'sts.', 'sts.amazonaws.com', '169.254.170.2', '169.254.169.254']);
  const isHarmless = (host: string): boolean =>
    amazon.has(host) ||
    /(^|\.)(example|localhost)$|^(127\.0\.0\.1)?\.*$|^(www\.w3\.org|iipc\.github\.io|w3id\.org|schema\.org|json-schema\.org|localhost|HOST|host$)/.test(
      host,
    );
  expect([...hosts].filter((host) => !isHarmless(host))).toEqual([]);
});

test('rule 37: doctor checks this installation before it asks a service', async () => {
  const dir = home();
  const local = JSON.parse((await arx(dir, 'doctor --json')).stdout) as {
    data: { name: string; verdict: string }[];
  };
  expect(local.data.length).toBeGreaterThan(4);
  const remote = await arx(dir, 'doctor --json --base-url http://127.0.0.1:1');
  const report = JSON.parse(remote.stdout) as { findings: { about: string }[] };
  expect(report.findings[0]?.about).toBe('installation');
});

test('rule 38: serve listens on loopback, tells its address as JSON, and a seed gives the same answers', async () => {
  const dir = home();
  const firstAnswers = async (): Promise<string[]> => {
    const served = await serve(dir, ['--drift', '0.3', '--drift-seed', '7', '--drift-writes', 'append:10:4']);
    expect(new URL(served.base_url).hostname).toBe('127.0.0.1');
    const env = { ...ENV, ARX_BASE_URL: served.base_url };
    const answers: string[] = [];
    await arx(dir, 'login --client-id a --observer-tier external --requested-tier external', { env });
    for (let at = 0; at < 8; at += 1) {
      const { stdout } = await arx(dir, 'api /v1/conversations?limit=20', { env });
      answers.push(stdout.replaceAll(/"[^"]*_at":"[^"]*"/g, ''));
    }
    expect(await served.close()).toBe(0);
    return answers;
  };
  const before = await arx(dir, 'conversations ls --json');
  const answers = await firstAnswers();
  expect(new Set(answers).size).toBeGreaterThan(1);
  // A new start resets it: what drift and simulated writes change is never stored.
  expect(await firstAnswers()).toEqual(answers);
  expect((await arx(dir, 'conversations ls --json')).stdout).toBe(before.stdout);
});

test('rule 39: the lock of a dead writer is recognised, and a reader needs none', async () => {
  const dir = home();
  mkdirSync(join(dir, 'config'), { recursive: true, mode: 0o700 });
  await arx(dir, 'config set timeout 30');
  const lock = join(dir, 'config/config.json.lock');
  // As a process of this machine that no longer runs left it.
  const world = fakeWorld({ dir, argv: ['config', 'set', 'timeout', '31'], running: (pid) => pid !== 1 });
  const identity = await identityOfLock(dir);
  symlinkSync(identity.replace(String(process.pid), '1'), lock);
  expect((await arx(dir, 'config get timeout')).stdout).toBe('30\n');
  expect(await run(world)).toBe(0);
  expect((await arx(dir, 'config get timeout')).stdout).toBe('31\n');
  rmSync(lock, { force: true });
});

/** What a lock of this process holds. */
async function identityOfLock(dir: string): Promise<string> {
  const { withExclusiveLock } = await import('../../src/config/lock.ts');
  const { readlinkSync } = await import('node:fs');
  const path = join(dir, 'any');
  const world = { ...fakeWorld({ dir }), notice: () => {} };
  return withExclusiveLock(path, { ...world, sleep: async () => {} }, async () =>
    readlinkSync(`${path}.lock`),
  );
}

test('rule 40: a file that the list no longer names is kept, and not called deleted', async () => {
  const dir = home();
  let isShort = false;
  const catalogue = await serveCatalogue([{ content: 'one' }, { content: 'two' }], {
    list: (rows) =>
      answer(
        200,
        JSON.stringify({
          object: 'list',
          status: 'stable',
          data: isShort ? rows.slice(0, 1) : rows,
          has_more: false,
        }),
      ),
  });
  servers.push(catalogue);
  const env = { ...ENV, ARX_BASE_URL: catalogue.url, ARX_TOKEN: TOKEN };
  expect((await arx(dir, 'attachments pull --all --to files', { env })).exit).toBe(0);
  isShort = true;
  const again = await arx(dir, 'attachments pull --all --to files', { env });
  expect(again.stdout + again.stderr).not.toMatch(/delet|remov/i);
  expect(readFileSync(join(dir, 'files/file-2.txt'), 'utf8')).toBe('two');
  expect((await arx(dir, 'attachments verify files', { env })).exit).toBe(0);
});
