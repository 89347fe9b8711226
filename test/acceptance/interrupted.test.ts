// Ctrl-C in every long command: one line that says what is kept and how to go on, exit 130. A second Ctrl-C ends at once.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../src/arx.ts';
import { Fault } from '../../src/faults.ts';
import { plural } from '../../src/format/numbers.ts';
import { serveList } from '../support/cursor-server.ts';
import { fakeWorld } from '../support/fake-world.ts';
import { answer, misbehave, type Misbehaving, type Script } from '../support/misbehaving-server.ts';
import { buildProgram, type Ended, type Program, type Running } from '../support/program.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { wordsOf } from '../support/transcript.ts';

let arx: Program;
let template: string;
let servers: Misbehaving[] = [];

beforeAll(async () => {
  arx = buildProgram();
  template = tempFolder('template');
  await sampleData(join(template, 'data'));
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  servers = [];
});

function scratch(): string {
  const dir = tempFolder('interrupted');
  cpSync(template, dir, { recursive: true });
  return dir;
}

/** A request that never gets its answer. */
function heldRequest(): { arrived: Promise<void>; hold: () => Promise<void> } {
  let arrive: () => void = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  return {
    arrived,
    hold: () => {
      arrive();
      return new Promise(() => {});
    },
  };
}

const flags = { decorative_layer: false, first_visible: true };
const withheld = { filename: 'a', file_url: null, sha256: 'a'.repeat(64), redacted: true, ...flags };
const rows = Array.from({ length: 400 }, (_, n) => ({ id: `att_${n + 1}`, ...withheld }));

/** Serves a list, and holds the request with this number. */
async function heldList(count: number): Promise<{ url: string; arrived: Promise<void> }> {
  const { arrived, hold } = heldRequest();
  const server = await serveList({ rows, gate: (earlier) => (earlier < count ? undefined : hold()) });
  servers.push(server);
  return { url: server.url, arrived };
}

async function scripted(script: Script): Promise<string> {
  const server = await misbehave(script);
  servers.push(server);
  return server.url;
}

function start(line: string, dir: string, url?: string): Running {
  const env = url === undefined ? {} : { ARX_BASE_URL: url, ARX_TOKEN: 'tok_of_nobody' };
  return arx.start(wordsOf(line), { dir, env });
}

/** Ctrl-C when the test says so. */
async function interrupted(running: Running, moment: Promise<unknown>): Promise<Ended> {
  await Promise.race([moment, running.ended]);
  running.child.kill('SIGINT');
  return running.ended;
}

function expectOneLine({ exit, stderr }: Pick<Ended, 'exit' | 'stderr'>, line: RegExp | string): void {
  const said = stderr.split('\n').filter((text) => text.startsWith('arx: interrupted'));
  expect(said).toEqual([
    typeof line === 'string' ? `arx: interrupted: ${line} [signal, exit 130]` : expect.stringMatching(line),
  ]);
  expect(exit).toBe(130);
}

describe('real processes', () => {
  test('attachments ls --all', async () => {
    const { url, arrived } = await heldList(60);
    const ended = await interrupted(start('attachments ls --all --limit 8', scratch(), url), arrived);
    expectOneLine(
      ended,
      /^arx: interrupted: \d+ rows? read; run the same command again \[signal, exit 130\]$/,
    );
  });

  test('a walk into a log, whose reader ends, too', async () => {
    const { url, arrived } = await heldList(60);
    const dir = scratch();
    const running = start(`walk ${url}/v1/things --freeze log --limit 8 --insecure-http -o ndjson`, dir, url);
    // As `| wc -l` does when Ctrl-C reaches it.
    void arrived.then(() => running.child.stdout?.destroy());
    const ended = await interrupted(running, arrived);
    const log = readFileSync(join(dir, 'log', 'windows.ndjson'), 'utf8')
      .trim()
      .split('\n');
    const ids = log.flatMap((line) => (JSON.parse(line) as { ids: string[] }).ids);
    expect(ids.length).toBeGreaterThan(0);
    expectOneLine(
      ended,
      `${plural(ids.length, 'row')} in frozen windows in log; run the same command with --resume to continue`,
    );
  });

  test('a walk that has frozen nothing claims nothing', async () => {
    const { url, arrived } = await heldList(20);
    const line = `walk ${url}/v1/things --freeze log --limit 8 -o ndjson`;
    expectOneLine(
      await interrupted(start(line, scratch(), url), arrived),
      'nothing was frozen; run the same command with --resume',
    );
    const bare = await heldList(20);
    const ended = await interrupted(
      start(`walk ${bare.url}/v1/things --limit 8`, scratch(), bare.url),
      bare.arrived,
    );
    expectOneLine(
      ended,
      /^arx: interrupted: 0 rows printed, no log was kept; run the same command again, with --freeze DIR/,
    );
    expect(ended.stderr).not.toContain('frozen windows');
  });

  test.each(['attachments pull --all --to files', 'attachments verify files --against catalogue'])(
    '%s',
    async (line) => {
      const { url, arrived } = await heldList(2);
      const dir = scratch();
      mkdirSync(join(dir, 'files'));
      writeFileSync(join(dir, 'files', 'a.txt'), 'twelve bytes');
      const kept = line.includes('pull')
        ? '0 files in the folder; run the same command to continue'
        : /^arx: interrupted: nothing was changed, (0|12) B read; run the same command to check from the start/;
      expectOneLine(await interrupted(start(line, dir, url), arrived), kept);
    },
  );

  test('attachments export', async () => {
    const dir = scratch();
    expect(await arx.run(wordsOf('attachments pull --city lisbon --to files'), { dir })).toMatchObject({
      exit: 0,
    });
    const { arrived, hold } = heldRequest();
    const url = await scripted(() => void hold());
    const ended = await interrupted(start('attachments export files --to bag', dir, url), arrived);
    expectOneLine(ended, 'no bag was made; run the same command again');
  });

  test('events send', async () => {
    const { arrived, hold } = heldRequest();
    const url = await scripted(() => void hold());
    const dir = scratch();
    const event = (n: number) =>
      JSON.stringify({ id: `evt_${n}`, type: 'mirror.detected', payload: { layer: 'x' } });
    writeFileSync(join(dir, 'events.ndjson'), `${event(1)}\n${event(2)}\n`);
    const ended = await interrupted(start('events send --file events.ndjson', dir, url), arrived);
    expectOneLine(ended, '0 of 2 events acknowledged; run the same command to send the rest');
    const one = heldRequest();
    const silent = await scripted(() => void one.hold());
    const sent = start('events send mirror.detected --id evt_9 --payload \'{"layer":"x"}\'', dir, silent);
    expectOneLine(
      await interrupted(sent, one.arrived),
      'evt_9 may have been accepted; send it again with the same id',
    );
  });

  test('a search that waits for the index', async () => {
    const { arrived, hold } = heldRequest();
    const page = {
      object: 'list',
      status: 'stable',
      data: [],
      has_more: false,
      drift_ratio: 0,
      integrity: 1,
      total: 0,
      order: 'newest',
      notes: [],
    };
    const first = answer(200, JSON.stringify({ ...page, index: { of: 9000, indexed: 1000 } }));
    const url = await scripted((socket, _, count) => (count === 0 ? void socket.write(first) : void hold()));
    const ended = await interrupted(start('search tea', scratch(), url), arrived);
    expectOneLine(ended, '1,000 of 9,000 messages indexed; run the same command to continue');
  });

  test('serve', async () => {
    const running = start('serve --port 0', scratch());
    const ended = await interrupted(running, running.says('stdout', /listening/));
    expectOneLine(ended, 'running requests were finished; run the same command to serve again');
  });

  test('a second Ctrl-C ends at once', async () => {
    // A service with a running request waits for it, for ten seconds.
    const running = start('serve --port 0', scratch());
    const [, base = ''] = /listening on (\S+),/.exec(await running.says('stdout', /listening on \S+,/)) ?? [];
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    socket.on('error', () => {});
    await new Promise((resolve) =>
      socket.write('POST /v1/ingest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n', resolve),
    );
    running.child.kill('SIGINT');
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ exit: 130 });
    socket.destroy();
  });
});

/** Runs a command in this process, and interrupts it when it has asked the clock for the n-th time. */
async function interruptedAt(
  calls: number,
  line: string,
  dir: string,
): Promise<{ exit: number; stderr: string }> {
  const controller = new AbortController();
  let asked = 0;
  const world = fakeWorld({
    dir,
    // Each state of progress asks the clock.
    argv: wordsOf(`${line} --progress json`),
    env: { LANG: 'C.UTF-8' },
    signal: controller.signal,
    monotonic: () => {
      if (++asked === calls) controller.abort(new Fault('interrupted', 'interrupted', { signal: 'SIGINT' }));
      return 0;
    },
  });
  return { exit: await run(world), stderr: world.stderrText() };
}

test('fsck', async () =>
  expectOneLine(
    await interruptedAt(8, 'fsck', scratch()),
    'nothing was changed; run the same command to check from the start',
  ));

test('fsck --state', async () =>
  expectOneLine(
    await interruptedAt(9, 'fsck --state checked', scratch()),
    'what was checked is in checked; run the same command to continue',
  ));

test('backup', async () =>
  expectOneLine(
    await interruptedAt(8, 'backup --to copy', scratch()),
    /^arx: interrupted: \S+ k?B of files are in .*copy, its database is unchanged; run the same command to continue/,
  ));

test('archive copy', async () =>
  expectOneLine(
    await interruptedAt(8, 'archive copy sqlite:data sqlite:copy', scratch()),
    /^arx: interrupted: (?:what was copied is kept in \S+, .*; run the same command to continue|the copy is complete)/,
  ));

test('import says how many messages are stored, and the same command stores the rest', async () => {
  const dir = scratch();
  const mail = (n: number) =>
    `From a@x Thu Jan  1 00:00:00 2015\nMessage-ID: <${n}@x>\nSubject: s\n\nbody ${n}\n\n`;
  writeFileSync(join(dir, 'many.mbox'), Array.from({ length: 3000 }, (_, n) => mail(n)).join(''));
  expectOneLine(
    await interruptedAt(4, 'import many.mbox --dry-run', dir),
    'nothing was stored; run the same command again',
  );
  const ended = await interruptedAt(8, 'import many.mbox', dir);
  const [, stored = ''] = /: ([\d,]+) messages stored; run/.exec(ended.stderr) ?? [];
  expectOneLine(ended, `${stored} messages stored; run the same command to continue`);
  const again = await arx.run(['import', 'many.mbox', '--json'], { dir });
  const { sources } = JSON.parse(again.stdout) as {
    sources: { messages: { known: number; stored: number } }[];
  };
  expect(sources[0]?.messages).toMatchObject({ known: Number(stored.replaceAll(',', '')), read: 3000 });
  expect(sources[0]?.messages.known).toBeGreaterThan(0);
});

test.each([
  [
    'demo',
    /^arx: interrupted: the sample archive is deleted; run the same command again \[signal, exit 130\]$/m,
  ],
  [
    'demo --keep',
    /^arx: interrupted: what the tour made is in \S+; run the same command for a whole one \[signal, exit 130\]$/m,
  ],
])('%s says what becomes of the sample archive', async (line, said) => {
  const controller = new AbortController();
  const world = fakeWorld({ argv: wordsOf(line), dir: scratch(), signal: controller.signal });
  const write = world.stdout.write.bind(world.stdout);
  world.stdout.write = async (chunk) => {
    if (String(chunk).includes('# list its files'))
      controller.abort(new Fault('interrupted', 'interrupted', { signal: 'SIGINT' }));
    await write(chunk);
  };
  expect(await run(world)).toBe(130);
  expect(world.stderrText()).toMatch(said);
  const kept = /made is in (\S+);/.exec(world.stderrText())?.[1];
  if (kept !== undefined) rmSync(kept, { recursive: true });
  expect(kept !== undefined).toBe(line.endsWith('--keep'));
});
