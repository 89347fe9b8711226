// The built program as real processes: streams, signals, disks, terminals, secrets, and every command's JSON.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open, readdir, readlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../src/arx.ts';
import { NOUNS, COMMAND_LIST } from '../../src/command-list/index.ts';
import { GLOBAL_OPTIONS } from '../../src/command-list/global-options.ts';
import { EXIT } from '../../src/exit.ts';
import { exitRecordOf } from '../support/command.ts';
import { always, answer, misbehave, type Misbehaving, type Script } from '../support/misbehaving-server.ts';
import { buildProgram, startProcess, type Ended, type Program, type Running } from '../support/program.ts';
import { sampleData } from '../support/sample.ts';
import { serveList } from '../support/cursor-server.ts';
import { sha256Of } from '../support/digest.ts';
import { until } from '../support/held-connections.ts';
import { isInstalled } from '../support/installed.ts';
import { atTerminal, quoted } from '../support/shell.ts';
import { fakeWorld } from '../support/fake-world.ts';
import { tempFolder } from '../support/temp-folder.ts';

let arx: Program;
let home: string;
/** The sample archive with one more letter, whose every text attacks a terminal. */
let template: string;

const ESC = '\u001b';
/** What sets or resets a colour or style. */
// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001b\[[\d;]*m/;
const ATTACK = `${ESC}[2J${ESC}[1;1H${ESC}]0;pwned\u0007${ESC}]52;c;cHduZWQ=\u0007${ESC}[3A${ESC}[2K\rover\b\b\u009b31m`;
const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
const LETTER = [
  `From: ${encoded(`eve ${ATTACK}`)} <eve@hostile.example>`,
  'Message-ID: <hostile@hostile.example>',
  'Date: Thu, 01 Jan 2015 00:00:00 +0000',
  `Subject: ${encoded(`hello ${ATTACK}`)}`,
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  '',
  `body ${ATTACK} end`,
  '--b',
  'Content-Type: text/plain',
  `Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(`name ${ATTACK}.txt`)}`,
  '',
  'file',
  '--b--',
  '',
].join('\n');

function scratch({ empty = false } = {}): string {
  const dir = tempFolder('process');
  if (!empty) {
    cpSync(template, dir, { recursive: true });
    // Node 24 copies folders without their modes.
    chmodSync(join(dir, 'data'), 0o700);
  }
  return dir;
}

beforeAll(async () => {
  arx = buildProgram();
  template = tempFolder('template');
  await sampleData(join(template, 'data'));
  writeFileSync(
    join(template, 'letter.mbox'),
    `From eve@hostile.example Thu Jan  1 00:00:00 2015\n${LETTER}\n`,
  );
  const imported = await arx.run(['import', 'letter.mbox'], { dir: template });
  expect(imported).toMatchObject({ exit: 0 });
  home = scratch();
});

const servers: Misbehaving[] = [];
async function server(script: Script): Promise<Misbehaving> {
  const made = await misbehave(script);
  servers.push(made);
  return made;
}
afterEach(async () => {
  await Promise.all(servers.splice(0).map((one) => one.close()));
});

const hostile = async () => {
  const { stdout } = await arx.run(['messages', 'ls', '--limit', '500', '--json'], { dir: home });
  const { data } = JSON.parse(stdout) as { data: { id: string; subject?: string }[] };
  return data.find(({ subject }) => subject?.includes('hello') === true)?.id ?? '';
};

describe('streams', () => {
  test('K1 a closed pipe ends 141, silently', async () => {
    for (const args of [
      'demo',
      'api /openapi.json',
      'completion bash',
      '--version',
      '--help',
      'attachments ls -o table',
    ]) {
      // Nobody ever reads: the only end of the pipe is closed before the program can write.
      const { child, ended } = arx.start(args.split(' '), { dir: home });
      child.stdout?.destroy();
      expect({ args, ...(await ended) }).toMatchObject({ args, exit: 141, stderr: '', signal: null });
    }
    const line = `${quoted(process.execPath)} ${quoted(arx.launcher)} api /openapi.json | head -c 9; exit \${PIPESTATUS[0]}`;
    const piped = await startProcess('bash', ['-c', line], { dir: home }).ended;
    expect(piped).toMatchObject({ exit: 141, stdout: '{"openapi', stderr: '' });
  });

  test.each(['about api --json', 'completion zsh', 'help output', '--help'])(
    'J3 a disk that is full after a part of the output is 14: %s',
    async (line) => {
      const dir = scratch();
      const program = `${quoted(process.execPath)} ${quoted(arx.launcher)}`;
      // A file may have 1 KiB, whoever writes it.
      const limited = `ulimit -f 1; ${program} ${line} > out`;
      const { exit, stderr } = await startProcess('bash', ['-c', limited], { dir }).ended;
      expect([exit, stderr]).toEqual([14, expect.stringContaining('what was written is incomplete')]);
      expect(readFileSync(join(dir, 'out'))).toHaveLength(1024);
    },
  );

  test('J a full disk is 14, and said so', async () => {
    const full = openSync('/dev/full', 'w');
    for (const args of [
      'health',
      'attachments ls --json',
      'token',
      'completion zsh',
      '--help',
      '--version',
    ]) {
      const ended = await arx.run(args.split(' '), { dir: home, stdio: ['ignore', full, 'pipe'] });
      expect({ args, ...ended }).toMatchObject({ args, exit: 14 });
      expect(ended.stderr).toMatch(
        /^arx: cannot write the output: no space left on the device \[disk, exit 14\]\n {2}hint: what was written is incomplete: make room, and run the same command again\n/,
      );
      if (args.includes('json')) expect(exitRecordOf(ended)).toMatchObject({ exit: 14, class: 'disk' });
    }
    const cut = await arx.run(['attachments', 'cat', 'att_1'], {
      dir: home,
      stdio: ['ignore', full, 'pipe'],
    });
    expect(cut).toMatchObject({ exit: 14, stderr: expect.stringContaining('kept: only a part of the file') });
    // What cannot be said changes nothing about the outcome.
    const mute = await arx.run(['attachments', 'show', 'att_0'], {
      dir: home,
      stdio: ['ignore', 'pipe', full],
    });
    expect(mute.exit).toBe(6);
    closeSync(full);
  });

  test('what V8 compiled in the build is taken for the program as it is read', async () => {
    const main = join(arx.launcher, '../../dist/main.js');
    const program = `const { readFileSync } = require('node:fs');
      const cachedData = readFileSync(${JSON.stringify(main)} + '.' + process.version + '-' + process.arch + '.cache');
      const source = readFileSync(${JSON.stringify(main)}, 'latin1');
      const script = new (require('node:vm').Script)(source, { filename: ${JSON.stringify(main)}, cachedData });
      process.stdout.write(String(script.cachedDataRejected));`;
    const { stdout } = await startProcess(process.execPath, ['-e', program], { dir: home }).ended;
    expect(stdout).toBe('false');
    expect(readFileSync(main).every((byte) => byte < 0x80)).toBe(true);
  });

  test('closed stdin and stderr do no harm', async () => {
    const line = `${quoted(process.execPath)} ${quoted(arx.launcher)} health --json <&- 2>&-`;
    const ended = await startProcess('bash', ['-c', line], { dir: home }).ended;
    expect(ended).toMatchObject({ exit: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: expect.any(String) as string });
  });

  test("Node's own warnings are for ARX_DEBUG only", async () => {
    const warn = `process.once('newListener', () => process.emitWarning('of Node'))`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(warn)}`;
    const quiet = await arx.run(['config', 'path'], { dir: home, env: { NODE_OPTIONS } });
    expect(quiet).toMatchObject({ exit: 0, stderr: '' });
    const debug = await arx.run(['config', 'path'], { dir: home, env: { NODE_OPTIONS, ARX_DEBUG: '1' } });
    expect(debug.stderr).toContain('of Node');
  });

  test('L7 zone and language change nothing', async () => {
    const seen = new Set<string>();
    for (const env of [{ TZ: 'UTC' }, { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }]) {
      const texts = [];
      for (const args of [
        'conversations ls --utc -o table',
        'messages ls --limit 9 -o tsv',
        'content get msg_3 --utc -o table',
      ]) {
        texts.push((await arx.run(args.split(' '), { dir: home, env })).stdout);
      }
      expect(texts.every((text) => text.length > 100)).toBe(true);
      seen.add(texts.join(''));
    }
    expect(seen.size).toBe(1);
  });
});

describe('signals', () => {
  const hang: Script = () => {};
  const ask = (url: string, ...more: string[]) => ['health', '--base-url', url, '--timeout', '60', ...more];

  async function interrupted(running: ReturnType<Program['start']>, signal: NodeJS.Signals): Promise<Ended> {
    running.child.kill(signal);
    // The test ends before the time-out of the request, which is a minute.
    return running.ended;
  }

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('K2, K5 %s during a request', async (signal, exit) => {
    let arrived: () => void = () => {};
    const request = new Promise<void>((resolve) => (arrived = resolve));
    const { url } = await server(() => arrived());
    const running = arx.start(ask(url, '--json'), { dir: home });
    await request;
    const ended = await interrupted(running, signal);
    expect(ended).toMatchObject({ exit, signal: null, stdout: '' });
    expect(exitRecordOf(ended)).toMatchObject({ exit, class: 'signal' });
    expect(ended.stderr.match(/interrupted/g)).toHaveLength(2);
  });

  test('K2 SIGINT in the middle of a list closes the document; in the middle of an event names it', async () => {
    const row = { filename: 'a', file_url: null, sha256: 'a'.repeat(64), redacted: true };
    const flags = { decorative_layer: false, first_visible: true };
    const rows = Array.from({ length: 400 }, (_, n) => ({ id: `att_${n + 1}`, ...row, ...flags }));
    let arrived: () => void = () => {};
    // By then the first rows are settled.
    const catalogue = await serveList({
      rows,
      gate: (count) => {
        if (count < 60) return undefined;
        arrived();
        return new Promise(() => {});
      },
    });
    const silent = await server(() => arrived());
    servers.push(catalogue);
    const lines = [
      ['attachments ls --all --limit 8 --json', catalogue.url],
      ['events send mirror.detected --id evt_9 --payload {"layer":"x"}', silent.url],
    ] as const;
    const ended: Ended[] = [];
    for (const [line, url] of lines) {
      const request = new Promise<void>((resolve) => (arrived = resolve));
      const env = { ARX_BASE_URL: url, ARX_TOKEN: 'tok_of_nobody' };
      const running = arx.start(line.split(' '), { dir: home, env });
      await request;
      ended.push(await interrupted(running, 'SIGINT'));
    }
    const [list, event] = ended;
    expect(list).toMatchObject({ exit: 130 });
    const { data, summary } = JSON.parse(list?.stdout ?? '');
    expect(data.length).toBeGreaterThan(0);
    expect(data).toEqual(rows.slice(0, data.length));
    expect(summary).toMatchObject({ complete: false });
    expect(event).toMatchObject({ exit: 130, stdout: '' });
    expect(event?.stderr).toContain('evt_9 may have been accepted');
  });

  test('K2 SIGINT during the demo ends the tour, not one step of it', async () => {
    const running = arx.start(['demo'], { dir: home });
    await running.says('stdout', /\$ arx login/);
    const ended = await interrupted(running, 'SIGINT');
    expect(ended).toMatchObject({ exit: 130 });
    expect(ended.stderr).not.toContain('failed');
  });

  test('K2 SIGINT while waiting to try again', async () => {
    const { url } = await server(always(answer(503, '{}', { 'retry-after': '30' })));
    const running = arx.start(ask(url, '-v'), { dir: home });
    await running.says('stderr', /waiting 30/);
    expect(await interrupted(running, 'SIGINT')).toMatchObject({ exit: 130 });
  });

  test('K2 SIGINT while nobody reads the output', async () => {
    const dir = scratch();
    await startProcess('mkfifo', ['pipe'], { dir }).ended;
    // Open at both ends, so that it never closes; after the first byte nobody reads, and it holds 64 KiB.
    const pipe = await open(join(dir, 'pipe'), 'r+');
    const line = ['api', '/openapi.json', '--json'];
    const running = arx.start(line, { dir, stdio: ['ignore', pipe.fd, 'pipe'] });
    await pipe.read({ buffer: Buffer.alloc(1) });
    const ended = await interrupted(running, 'SIGINT');
    expect(ended).toMatchObject({ exit: 130 });
    expect(exitRecordOf(ended)).toMatchObject({ exit: 130, class: 'signal' });
    await pipe.close();
  });

  /** A FIFO in a folder of its own, which nobody has open. */
  async function fifo(): Promise<{ dir: string; path: string }> {
    const dir = scratch();
    await startProcess('mkfifo', ['fifo'], { dir }).ended;
    return { dir, path: join(dir, 'fifo') };
  }

  /** Starts a command, and waits until it has the file open. */
  async function reading(line: string, { dir, path }: { dir: string; path: string }): Promise<Running> {
    const running = arx.start(line.split(' '), { dir });
    const fds = `/proc/${running.pid}/fd`;
    const isOpen = async () => {
      const names = await readdir(fds).catch(() => []);
      const targets = await Promise.all(names.map((name) => readlink(`${fds}/${name}`).catch(() => '')));
      return targets.includes(path);
    };
    for (let tries = 0; tries < 20_000 && !(await isOpen()); tries += 1);
    expect(await isOpen()).toBe(true);
    return running;
  }
  const READERS = [
    'whoami --token-file fifo',
    'events send --file fifo',
    'events send mirror.detected --id evt_1 --payload @fifo',
  ];

  test.each(READERS.flatMap((line) => [[line, 'SIGINT', 130] as const, [line, 'SIGTERM', 143] as const]))(
    'C12, K2 %s, which nobody writes to: %s ends it',
    async (line, signal, exit) => {
      const running = await reading(line, await fifo());
      const ended = await interrupted(running, signal);
      expect(ended).toMatchObject({ exit, signal: null, stdout: '' });
    },
  );

  const EVENT = '{"id":"evt_1","type":"mirror.detected","payload":{"layer":"outer"}}';

  test('a FIFO is waited for, and read to its end; a pipe of the shell is read as it is', async () => {
    const made = await fifo();
    const running = await reading('events send --file fifo', made);
    await writeFile(made.path, `${EVENT}\n`);
    expect(await running.ended).toMatchObject({ exit: 0, stderr: '' });
    const program = `${quoted(process.execPath)} ${quoted(arx.launcher)}`;
    for (const [line, exit] of [
      [`${program} events send --file <(echo '${EVENT}') --json`, 0],
      [`echo '${EVENT}' | ${program} events send --file /dev/stdin --json`, 0],
      [`${program} events send mirror.detected --id e --payload @<(echo '{"layer":"x"}') --json`, 0],
      [`${program} events ls --token-file <(${program} token) --json`, 0],
      [`${program} events ls --token-file <(:) --json`, 2],
    ] as const) {
      const ended = await startProcess('bash', ['-c', line], { dir: made.dir }).ended;
      expect({ line, exit: ended.exit, stderr: exit === 0 ? ended.stderr : '' }).toEqual({
        line,
        exit,
        stderr: '',
      });
    }
  });

  test('a file that says that it has no bytes, as in /proc, is read to its end', async () => {
    const { exit, stderr } = await arx.run(['events', 'send', '--file', '/proc/self/comm'], { dir: home });
    expect([exit, stderr]).toEqual([2, expect.stringContaining('line 1 is not JSON')]);
  });

  test('K2 SIGINT while standard input has not ended', async () => {
    const line = 'events send --file -'.split(' ');
    const running = arx.start(line, { dir: home, stdio: ['pipe', 'pipe', 'pipe'] });
    running.child.stdin?.on('error', () => {});
    // More than fits on the way, so that some of it was read when it is gone.
    await new Promise((resolve) => running.child.stdin?.write(Buffer.alloc(1 << 20, '\n'), resolve));
    expect(await interrupted(running, 'SIGINT')).toMatchObject({ exit: 130, signal: null, stdout: '' });
  });

  test.each(['--log fifo', '--drift-log fifo'])(
    'C12 serve %s, which nobody reads, is refused',
    async (flag) => {
      const { dir } = await fifo();
      const ended = await arx.run(['serve', '--port', '0', ...flag.split(' ')], { dir });
      expect(ended).toMatchObject({ exit: 13, signal: null, stdout: '' });
      expect(ended.stderr).toContain('fifo: not a regular file');
    },
  );

  test('K2 Ctrl-C at a prompt: 130, and the terminal echoes as before', async () => {
    const { url } = await server(hang);
    const line = `trap : INT; ${quoted(process.execPath)} ${quoted(arx.launcher)} login --base-url ${url}; echo "exit=$?"; stty -a`;
    const running = atTerminal(line, { dir: home });
    await running.says('stdout', /name of this client/);
    running.child.stdin?.write('\u0003');
    const { stdout } = await running.ended;
    expect(stdout).toContain('exit=130');
    expect(stdout).toMatch(/ icanon .* echo /s);
    expect(stdout.match(/interrupted/g)).toHaveLength(1);
  });

  test('K7 no answer at a prompt, or nobody to ask: usage', async () => {
    const { url } = await server(hang);
    const line = `${quoted(process.execPath)} ${quoted(arx.launcher)} login --base-url ${url}; echo "exit=$?"`;
    const running = atTerminal(line, { dir: home });
    await running.says('stdout', /name of this client/);
    running.child.stdin?.write('\u0004');
    expect((await running.ended).stdout).toContain('exit=2');
    expect(await arx.run(['login', '--base-url', url], { dir: home })).toMatchObject({ exit: 2, stdout: '' });
  });

  test('what is typed ahead answers the questions that follow', async () => {
    const dir = scratch();
    const line = `${quoted(process.execPath)} ${quoted(arx.launcher)} login; echo "exit=$?"`;
    const running = atTerminal(line, { dir, env: { NO_COLOR: '1' } });
    await running.says('stdout', /name of this client/);
    running.child.stdin?.write('me\r7\rext');
    await running.says('stdout', /the numbers are 1 to 3/);
    running.child.stdin?.write('ernal\r');
    const { stdout } = await running.ended;
    expect(stdout).toContain('exit=0');
    expect(stdout).toMatch(/client +me\r\n/);
    expect(stdout).toMatch(/tier +external\r\n/);
  });

  test('K3 one SIGINT counts once, with conf loaded', async () => {
    const dir = scratch({ empty: true });
    // Held by a living process (this one), so that the setting waits, conf loaded.
    await arx.run(['config', 'set', 'timeout', '9'], { dir });
    symlinkSync(`${process.pid}---${'0'.repeat(16)}-elsewhere`, join(dir, 'config/config.json.lock'));
    const running = arx.start(['config', 'set', 'timeout', '10', '-v'], {
      dir,
      env: { NODE_OPTIONS: `--import=${WATCH}` },
    });
    await running.says('stderr', /trying the lock/);
    const ended = await interrupted(running, 'SIGINT');
    expect(ended).toMatchObject({ exit: 130, stdout: '' });
    expect(ended.stderr).not.toContain('sent again');
    expect(ended.stderr.match(/interrupted/g)).toHaveLength(1);
    expect(readFileSync(join(dir, 'config/config.json'), 'utf8')).toContain('9');
  });
  /** Says when the lock is tried (conf is loaded by then), and when anyone answers a signal by sending it again. */
  const WATCH = `data:text/javascript,${encodeURIComponent(
    `import fs from 'node:fs'; const { symlinkSync } = fs; const { kill } = process;
    fs.symlinkSync = (...given) => { process.stderr.write('trying the lock\\n'); symlinkSync(...given); };
    process.kill = (pid, signal) => { if (signal) process.stderr.write('sent again\\n'); return kill(pid, signal); };`,
  )}`;

  test('K4 the second SIGINT does not wait', async () => {
    const running = arx.start(['serve', '--port', '0', '--json'], { dir: home });
    const { base_url } = JSON.parse(await running.says('stdout', /\n/)) as { base_url: string };
    const port = Number(new URL(base_url).port);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /api/auth/token HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n');
    socket.write('content-length: 99\r\nexpect: 100-continue\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    running.child.kill('SIGINT');
    // It takes no more connections: the first was heard, and it waits for the request that runs.
    for (let tries = 0; tries < 5000 && (await accepts(port)); tries += 1);
    expect(running.child.exitCode).toBe(null);
    expect(await interrupted(running, 'SIGINT')).toMatchObject({ exit: 130 });
    socket.destroy();
  });

  test('K4 while Node waits for a thread that reads a file, a signal kills it', async () => {
    const { dir, path } = await fifo();
    // A thread of Node opens the FIFO, which nobody writes to, and waits for ever.
    const preload = `import fs from 'node:fs'; fs.open(${JSON.stringify(path)}, 'r', () => {});`;
    const running = arx.start(['config', 'path'], {
      dir,
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` },
    });
    await running.says('stdout', /\n/);
    const isOver = () => running.child.exitCode !== null || running.child.signalCode !== null;
    const ended = await until(() => isOver() || !running.child.kill('SIGTERM') || isOver(), 10);
    running.child.kill('SIGKILL');
    expect({ ended, signal: (await running.ended).signal }).toEqual({ ended: true, signal: 'SIGTERM' });
  });

  const accepts = (port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      }).on('error', () => resolve(false));
    });
});

describe.skipIf(process.platform !== 'linux')('a process that was killed and not yet collected', () => {
  test('D6 owns no partial file any more', async () => {
    const dir = scratch();
    // The shell becomes a program that collects nobody. Its child ends after that, or the shell would collect it.
    const child = '(while read -r name < /proc/$$/comm && [ "$name" = sh ]; do :; done)';
    const parent = startProcess('sh', ['-c', `${child} & echo $!; exec sleep 600`], { dir });
    const pid = (await parent.says('stdout', /^\d+\n/)).trim();
    const state = () => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /, '').slice(0, 1);
    for (let turns = 0; turns < 100_000 && state() !== 'Z'; turns += 1) await new Promise(setImmediate);
    expect(state()).toBe('Z');
    mkdirSync(join(dir, 'files'));
    const left = [`.arx-0123456789abcdef-${pid}.part`, `.arx-0123456789abcdef-${process.pid}.part`];
    for (const name of left) writeFileSync(join(dir, 'files', name), 'a');
    await arx.run(['attachments', 'pull', '--all', '--to', 'files'], { dir });
    expect((await readdir(join(dir, 'files'))).filter((name) => name.endsWith('.part'))).toEqual([left[1]]);
    parent.child.kill('SIGKILL');
    await parent.ended;
  });
});

describe('serve', () => {
  test('prints its address first, serves, and SIGTERM ends it with 0', async () => {
    const dir = scratch();
    const running = arx.start(['serve', '--port', '0', '--json'], { dir });
    const line = JSON.parse(await running.says('stdout', /\n/)) as Record<string, string>;
    expect(line).toMatchObject({ type: 'listening', pid: running.pid, database: 'sqlite' });
    const base = ['--base-url', line['base_url'] ?? ''];
    const login = await arx.run(
      ['login', '--client-id', 'me', '--observer-tier', 'internal', '--requested-tier', 'internal', ...base],
      { dir },
    );
    expect(login).toMatchObject({
      exit: 0,
      stderr: `arx: tokens are stored in ${dir}/config/tokens.json\n`,
    });
    // Many requests under one signal: Node counts listeners and would warn.
    const walked = await arx.run(['conversations', 'walk', '--limit', '2', '-o', 'ndjson', ...base], { dir });
    expect(walked).toMatchObject({ exit: 0, stderr: '' });
    const local = await arx.run(['conversations', 'walk', '-o', 'ndjson'], { dir });
    expect(walked.stdout).toBe(local.stdout);
    const port = new URL(line['base_url'] ?? '').port;
    const second = await arx.run(['serve', '--port', port, '--asset-port', '0'], { dir: scratch() });
    expect(second.exit).not.toBe(0);
    expect(second.stderr).toMatch(/^arx: port \d+ \(.*, --(asset-)?port\) is in use .*\n( {2}hint: .*\n)?$/);
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ exit: 0, signal: null, stderr: '' });
  });
});

describe.skipIf(process.platform !== 'linux')('a file system that takes no folders', () => {
  /** Node's own way to make them never ends there, and no signal but this one ends it. */
  const LIMIT_MS = 20_000;

  test.each<[string, Record<string, string>?]>([
    ['backup --to /proc/x'],
    ['backup --to /proc/x/y'],
    ['import letter.mbox --database sqlite:/proc/x'],
    ['serve --port 0 --database sqlite:/proc/x'],
    ['attachments pull --all --to /proc/x'],
    ['conversations walk --freeze /proc/x'],
    ['import letter.mbox', { ARX_DATA_DIR: '/proc/x' }],
    ['config set timeout 10', { ARX_CONFIG_DIR: '/proc/x' }],
  ])('%s', async (args, env = {}) => {
    const running = arx.start(args.split(' '), { dir: home, env });
    const limit = setTimeout(() => running.child.kill('SIGKILL'), LIMIT_MS);
    const ended = await running.ended.finally(() => clearTimeout(limit));
    expect(ended).toMatchObject({ exit: 14, signal: null, stdout: '' });
    expect(ended.stderr).toMatch(
      /^arx: .*\/proc\/x.*: no such file or folder, and none can be made \[disk, exit 14\]\n/,
    );
  });
});

const noScript = !isInstalled('script');
if (noScript) console.warn('SKIPPED: terminal tests: no script (util-linux) here');
describe.skipIf(noScript)('terminal', () => {
  const at = (
    args: string,
    { before = '', env = {} }: { before?: string; env?: Record<string, string> } = {},
  ) =>
    atTerminal(`${before}${quoted(process.execPath)} ${quoted(arx.launcher)} ${args}`, { dir: home, env })
      .ended;

  test('F7 colour is for terminals that want it', async () => {
    // A slow machine may show progress, which is drawn with other sequences.
    const coloured = async (env: Record<string, string>) =>
      COLOUR.test((await at('attachments ls --limit 3', { env })).stdout);
    expect(await coloured({})).toBe(true);
    expect(await coloured({ NO_COLOR: '1' })).toBe(false);
    expect(await coloured({ NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false);
    expect(await coloured({ TERM: 'dumb' })).toBe(false);
    const piped = async (env: Record<string, string>) =>
      (await arx.run(['attachments', 'ls', '-o', 'table'], { dir: home, env })).stdout.includes(ESC);
    expect(await piped({})).toBe(false);
    expect(await piped({ FORCE_COLOR: '1' })).toBe(true);
  });

  test('F7 every width', async () => {
    for (const columns of [0, 1, 100, 10_000]) {
      const before = `stty cols ${columns}; `;
      // At one column the table is longer than the screen.
      const { stdout, exit } = await at('attachments ls --limit 3 --no-pager', {
        before,
        env: { NO_COLOR: '1' },
      });
      expect({ columns, exit }).toEqual({ columns, exit: 0 });
      const widest = Math.max(...stdout.split('\r\n').map((line) => Array.from(line).length));
      if (columns === 100) expect(widest).toBeLessThanOrEqual(100);
      expect(stdout).toContain('att_1');
      if (columns !== 1) expect(stdout).toContain('lisbon');
    }
  });

  test('F8 stored bytes with escape sequences: refused on a terminal, exact in a file', async () => {
    const id = await hostile();
    const shown = await at(`content get ${id} --raw`);
    expect(shown.exit).toBe(2);
    expect(shown.stdout).not.toContain(ESC);
    const allowed = await at(`content get ${id} --raw --allow-escape-sequences`);
    expect(allowed.exit).toBe(0);
    expect(allowed.stdout).toContain(`${ESC}[2J`);
    const file = openSync(join(home, 'letter.eml'), 'w');
    const kept = await arx.run(['content', 'get', id, '--raw'], {
      dir: home,
      stdio: ['ignore', file, 'pipe'],
    });
    closeSync(file);
    expect(kept).toMatchObject({ exit: 0, stderr: '' });
    const bytes = readFileSync(join(home, 'letter.eml'));
    const whole = await arx.run(['content', 'get', id, '--json'], { dir: home });
    const { data } = JSON.parse(whole.stdout) as { data: { sha256: string } };
    expect(sha256Of(bytes)).toBe(data.sha256);
    expect(bytes.toString()).toContain(LETTER);
    expect(await arx.run(['content', 'get', id, '--raw', '--json'], { dir: home })).toMatchObject({
      exit: 2,
      stdout: '',
    });
  });
});

const noTmux = !isInstalled('tmux');
if (noTmux) console.warn('SKIPPED: screen tests: no tmux here');
test.skipIf(noTmux)('F1, F2 hostile text leaves a real screen as it was', async () => {
  const dir = scratch();
  const id = await hostile();
  const tmux = async (...args: string[]) =>
    (await startProcess('tmux', ['-S', join(dir, 'tmux'), ...args], { dir }).ended).stdout;
  const program = `${quoted(process.execPath)} ${quoted(arx.launcher)}`;
  const lines = [
    // A pager would wait for keys.
    'export ARX_PAGER=',
    'echo PROBE-TOP',
    ...[
      'attachments ls --limit 500 --fields filename,source',
      'conversations ls --limit 500 --fields id,subject',
      `content get ${id} --view raw`,
      `content get ${id} --view lore --json`,
      `api /api/content/${id}?view=raw`,
      `attachments show "$(printf '\\033[2J\\033[H')"`,
      `"$(printf '\\033[2J\\033[H')"`,
    ].map((args) => `${program} ${args}`),
    'echo PROBE-END',
    'tmux wait-for -S done',
    'exec cat',
  ];
  writeFileSync(join(dir, 'session'), lines.join('\n'));
  try {
    await startProcess(
      'tmux',
      ['-S', join(dir, 'tmux'), 'new-session', '-d', '-x', '100', '-y', '20', `bash ${join(dir, 'session')}`],
      { dir, env: { TERM: 'xterm' } },
    ).ended;
    // Then a program's OSC 52 would make a buffer.
    await tmux('set-option', '-s', 'set-clipboard', 'on');
    await tmux('wait-for', 'done');
    const screen = (await tmux('capture-pane', '-p', '-J', '-S', '-')).trimEnd().split('\n');
    expect(screen[0]).toMatch(/^PROBE-TOP/);
    expect(screen.at(-1)).toMatch(/^PROBE-END/);
    // Seven commands showed it, each with the title escape written out.
    expect(screen.join('\n').match(/\\u\{?(00)?1b\}?\]0;pwned/g)?.length).toBeGreaterThanOrEqual(5);
    expect(screen.length).toBeGreaterThan(60);
    expect(await tmux('display-message', '-p', '#{pane_title}')).not.toContain('pwned');
    expect(await tmux('list-buffers')).toBe('');
  } finally {
    await tmux('kill-server');
  }
});

test.skipIf(noTmux)(
  'the progress of a walk is one line of a narrow screen, and gone at the end',
  async () => {
    const dir = scratch();
    const rows = Array.from({ length: 95 }, (_, n) => ({ id: `ord_${n + 1}` }));
    let release = (): void => {};
    const seen = new Promise<void>((resolve) => (release = resolve));
    // Nothing is shown in the first half second; then the walk stands still until the screen was looked at.
    let slow: Promise<void> | undefined;
    const wait = () => (slow ??= new Promise((resolve) => setTimeout(resolve, 700)));
    const list = await serveList({
      rows,
      gate: (count) => (count < 8 ? undefined : count < 20 ? wait() : seen),
    });
    servers.push(list);
    const tmux = async (...args: string[]) =>
      (await startProcess('tmux', ['-S', join(dir, 'tmux'), ...args], { dir }).ended).stdout;
    const screen = async () => (await tmux('capture-pane', '-p', '-J')).trimEnd().split('\n');
    const program = `${quoted(process.execPath)} ${quoted(arx.launcher)}`;
    writeFileSync(
      join(dir, 'session'),
      [
        'echo PROBE-TOP',
        `${program} walk ${list.url}/orders --limit 8 -o ndjson > rows`,
        'echo "PROBE-END $?"',
        'tmux wait-for -S done',
        'exec cat',
      ].join('\n'),
    );
    try {
      await startProcess(
        'tmux',
        [
          '-S',
          join(dir, 'tmux'),
          'new-session',
          '-d',
          '-x',
          '40',
          '-y',
          '10',
          `bash ${join(dir, 'session')}`,
        ],
        { dir, env: { TERM: 'xterm' } },
      ).ended;
      let shown: string[] = [];
      for (let look = 0; look < 500 && shown.length < 2; look += 1) shown = await screen();
      expect(shown).toHaveLength(2);
      expect(shown[1]).toMatch(/^(no rows frozen yet · \d+ requests|\d+ rows frozen in \d+ windows?.*)/);
      expect(shown[1]!.length).toBeLessThan(40);
      release();
      await tmux('wait-for', 'done');
      expect(await screen()).toEqual([
        'PROBE-TOP',
        expect.stringMatching(/^arx: 95 rows · 0 withheld · \d+ windows? ·$/),
        expect.stringMatching(/^\d+ requests · 0 disagreements ·$/),
        expect.stringMatching(/^confidence [\d.]+ · complete ·$/),
        'status stable',
        'PROBE-END 0',
      ]);
      expect(readFileSync(join(dir, 'rows'), 'utf8').split('\n')).toHaveLength(96);
    } finally {
      release();
      await tmux('kill-server');
    }
  },
);

describe('secrets', () => {
  const TOKEN = 'tok_Zq8vXw3LmT5rKp7sNd9hGb2cYf4j';

  test('G12 no option takes a token, or another secret', () => {
    const options = [...GLOBAL_OPTIONS, ...COMMAND_LIST.flatMap((words) => words.options ?? [])].map(
      ([syntax]) => syntax,
    );
    expect(options.filter((syntax) => /token|secret|password|bearer/i.test(syntax))).toEqual([
      '--token-file <file>',
      '--webhook-secret-file <file>',
    ]);
  });

  /** A run of eight characters counts as a part. */
  function expectNoToken({ stdout, stderr }: Ended): void {
    for (let at = 0; at + 8 <= TOKEN.length; at += 1)
      expect(stdout + stderr).not.toContain(TOKEN.slice(at, at + 8));
  }

  test('G13 ARX_TOKEN is in no output, whatever the service answers, with ARX_DEBUG too', async () => {
    const body = {
      error: { code: TOKEN, message: `bad ${TOKEN}`, request_id: `req_${TOKEN}`, integrity: 1 },
    };
    const answers = [
      answer(401, JSON.stringify(body)),
      answer(200, `<html>${TOKEN}</html>`, { 'content-type': 'text/html' }),
      answer(302, '', { location: `http://${TOKEN}.example/` }),
      answer(200, `{"data": "${TOKEN}`),
    ];
    for (const bytes of answers) {
      const { url } = await server(always(bytes));
      const env = { ARX_TOKEN: TOKEN, ARX_DEBUG: '1', ARX_BASE_URL: url };
      const ended = await arx.run(['attachments', 'ls', '-v', '--json', '--retries', '0'], {
        dir: home,
        env,
      });
      expect(ended.exit).not.toBe(0);
      expect(ended.stderr).toMatch(/^ +at /m);
      expectNoToken(ended);
    }
    for (const args of ['whoami', 'doctor', 'config ls', 'config path']) {
      const env = { ARX_TOKEN: TOKEN, ARX_DEBUG: '1' };
      expectNoToken(await arx.run(args.split(' '), { dir: home, env }));
    }
    const broken = await arx.run(['attachments', 'ls'], {
      dir: home,
      env: { ARX_TOKEN: `${TOKEN} ${TOKEN}`, ARX_DEBUG: '1' },
    });
    expect(broken.exit).toBe(2);
    expectNoToken(broken);
  });
});

/** Every command with plausible arguments on the sample archive, and what it ends with. */
const COMMANDS: Record<string, { args?: string; exit?: number; before?: string }> = {
  login: {},
  logout: {},
  whoami: {},
  token: {},
  'attachments ls': { args: '--message msg_1' },
  'attachments cities': {},
  'attachments types': { args: '--message msg_1' },
  'attachments sources': {},
  'attachments senders': {},
  'attachments show': { args: 'att_1' },
  'attachments cat': { args: 'att_1', exit: 2 },
  'attachments pull': { args: '--all --to files', exit: 3 },
  'attachments verify': { before: 'attachments pull att_1 --to files', args: 'files' },
  'attachments export': {
    before: 'attachments pull att_1 --to files',
    args: 'files --format bagit --to bag.zip',
  },
  explore: { exit: 2 },
  open: { args: 'msg_1', exit: 2 },
  'content get': { args: 'msg_1 --view lore --pipeline' },
  'content diff': { args: 'msg_1 msg_2' },
  'conversations ls': { args: '--limit 5' },
  'conversations show': { args: 'conv_1' },
  'conversations export': { args: 'conv_1 --to thread.mbox' },
  'conversations walk': {},
  walk: { args: 'LIST --limit 8' },
  'conversations verify': { before: 'conversations walk --freeze walk1', args: 'walk1' },
  'conversations diff': { before: 'conversations walk --freeze walk1', args: 'walk1 walk1' },
  'conversations plot': { before: 'conversations walk --freeze walk1', args: 'walk1' },
  'messages ls': { args: '--opening' },
  'messages show': { args: 'msg_2 --around 1' },
  search: { args: 'from:edie' },
  read: { args: 'msg_1 conv_1' },
  'sequence show': { args: 'arc_reconstruction' },
  'sequence watch': { args: 'arc_reconstruction --reads 1' },
  'events send': { args: 'mirror.detected --id evt_1 --payload {"layer":"outer"}' },
  'events types': {},
  'events ls': {},
  'events reconcile': { before: 'events send mirror.detected --id evt_1 --payload {"layer":"outer"}' },
  report: {},
  health: {},
  doctor: {},
  'about api': {},
  api: { args: '/api/health' },
  fsck: {},
  backup: { args: '--to copy' },
  'archive ls': { args: 'postgres://nobody@127.0.0.1:1/x', exit: 10 },
  'archive create': { args: 'postgres://nobody@127.0.0.1:1/x new', exit: 10 },
  'archive copy': { args: 'sqlite:data sqlite:copy' },
  'blobs move': { args: '--to database', exit: 2 },
  'tokens ls': { before: 'login' },
  'tokens revoke': { before: 'login', args: '--all --yes' },
  'archive move': {
    args: 'postgres://nobody@127.0.0.1:1/x postgres://nobody@127.0.0.1:1/y old --yes',
    exit: 10,
  },
  'archive upgrade': { args: 'postgres://nobody@127.0.0.1:1/x', exit: 10 },
  'archive drop': { args: 'postgres://nobody@127.0.0.1:1/x old --yes', exit: 10 },
  import: { args: 'letter.mbox' },
  redact: { args: 'att_1 --yes' },
  serve: { args: '--port 0' },
  'config get': { args: 'timeout' },
  'config set': { args: 'timeout 20' },
  'config unset': { args: 'timeout' },
  'config ls': {},
  'config path': {},
  'profile ls': {},
  'profile use': { args: 'default' },
  'profile rm': { before: 'config set --profile work timeout 5', args: 'work --yes' },
  completion: { args: 'bash' },
  demo: {},
};

test('the table of commands is whole', () => {
  expect(Object.keys(COMMANDS).toSorted()).toEqual(COMMAND_LIST.map(({ words }) => words).toSorted());
});

describe('--json', () => {
  test.concurrent.each(Object.entries(COMMANDS))('%s', async (words, { args = '', exit = 0, before }) => {
    const dir = scratch();
    if (before !== undefined) expect(await arx.run(before.split(' '), { dir })).toMatchObject({ exit: 0 });
    const line = [...words.split(' '), ...args.split(' ').filter((word) => word !== ''), '--json'];
    // The one command whose subject is elsewhere.
    const list = words === 'walk' ? await serveList({ rows: [{ id: 1 }, { id: 2 }] }) : undefined;
    const running = arx.start(
      line.map((word) => (word === 'LIST' ? `${list?.url}/orders` : word)),
      { dir },
    );
    if (words === 'serve') {
      await running.says('stdout', /\n/);
      running.child.kill('SIGTERM');
    }
    const ended = await running.ended;
    await list?.close();
    expect(ended).toMatchObject({ exit, signal: null });
    if (['attachments cat', 'open', 'explore', 'blobs move'].includes(words) || exit === EXIT.network)
      expect(ended.stdout).toBe('');
    else expect(JSON.parse(ended.stdout)).toBeTypeOf('object');
    expect(ended.stderr).not.toMatch(/\(node:\d+\)|Warning: |^ {4}at /m);
    if (exit !== 0) expect(exitRecordOf(ended)).toMatchObject({ exit });
    // Where the token will be is said before it is there.
    else expect(ended.stderr).toMatch(words === 'login' ? /^arx: tokens are stored in \S+\n$/ : /^$/);
  });

  /** These two say what is wrong with the settings, so another fault stops them. */
  const UNSHAKEN = new Set(['doctor', 'config path']);

  // In this process: it is the same code, and there are many of them.
  test.each(Object.entries(COMMANDS))('%s, failing', async (words, { args = '' }) => {
    const dir = scratch({ empty: true });
    writeFileSync(join(dir, 'file'), 'tok_secret');
    const argv = [...words.split(' '), ...args.split(' ').filter((word) => word !== ''), '--json'];
    if (UNSHAKEN.has(words)) argv.push('--nonsense');
    const world = fakeWorld({ argv, dir, env: { ARX_CONFIG_DIR: join(dir, 'file') } });
    const exit = await run(world);
    const ended = { stdout: world.stdoutText(), stderr: world.stderrText(), exit, signal: null };
    expect(ended).toMatchObject({ exit: UNSHAKEN.has(words) ? 2 : 15, stdout: '' });
    expect(exitRecordOf(ended).exit).toBe(exit);
    expect(ended.stderr.split('\n').length).toBeLessThan(20);
  });

  test('a noun alone, nothing at all', async () => {
    for (const noun of Object.keys(NOUNS).slice(0, 2)) {
      const ended = await arx.run([noun, '--json'], { dir: home });
      expect(ended).toMatchObject({ exit: 2, stdout: '' });
      expect(exitRecordOf(ended)).toMatchObject({ exit: 2, class: 'usage' });
    }
  });
});

test('X1 in a current folder that was deleted: exit 14 in plain words, and help works', async () => {
  const dir = scratch();
  const inDeletedFolder = (words: string) =>
    spawnSync(
      'sh',
      [
        '-c',
        `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" ${words}`,
        process.execPath,
        arx.launcher,
      ],
      {
        cwd: dir,
        env: { ...process.env, HOME: dir },
        encoding: 'utf8',
      },
    );
  for (const words of ['config path', 'attachments ls', 'events ls'])
    expect(inDeletedFolder(words)).toMatchObject({
      status: 14,
      stdout: '',
      stderr: expect.stringMatching(
        /^arx: the current folder no longer exists \[disk, exit 14\]\n[^\n]*cd[^\n]*\n$/,
      ),
    });
  expect(inDeletedFolder('--help')).toMatchObject({ status: 0, stderr: '' });
});

test.each(['', '.', 'home'])('G6 HOME=%j: settings below the current folder are not read', async (HOME) => {
  const dir = scratch();
  mkdirSync(join(dir, '.config/arx'), { recursive: true });
  mkdirSync(join(dir, 'home/.config/arx'), { recursive: true });
  for (const each of ['.config/arx', 'home/.config/arx'])
    writeFileSync(join(dir, each, 'config.json'), '{"base_url":"https://evil.test"}');
  const env = {
    HOME,
    ARX_CONFIG_DIR: '',
    ARX_DATA_DIR: '',
    ARX_CACHE_DIR: '',
    XDG_CONFIG_HOME: '',
    XDG_DATA_HOME: '',
    XDG_CACHE_HOME: '',
  };
  const ran = await arx.run(['config', 'path', '--json'], { dir, env });
  expect(ran).toMatchObject({ exit: 0 });
  for (const folder of ran.stdout.matchAll(/"(\/[^"]*)"/g)) expect(folder[1]!.startsWith(dir)).toBe(false);
  expect((await arx.run(['config', 'get', 'base_url'], { dir, env })).stdout).not.toContain('evil');
});

test.each(['-f 1', '-f 8', '-f 64', '-n 20'])(
  'J5 an import under ulimit %s: exit 14, and nothing that fsck finds damaged',
  async (limit) => {
    const dir = tempFolder('limits');
    writeFileSync(join(dir, 'a.eml'), 'Subject: a\nFrom: a@b\n\na\n');
    const env = { ...process.env, ARX_DATA_DIR: join(dir, 'data'), ARX_CONFIG_DIR: join(dir, 'config') };
    const limited = spawnSync(
      'sh',
      ['-c', `ulimit ${limit}; exec "$0" "$1" import a.eml`, process.execPath, arx.launcher],
      { cwd: dir, env, encoding: 'utf8' },
    );
    expect(limited).toMatchObject({ status: 14 });
    expect(limited.stderr).not.toContain('damaged');
    const checked = await arx.run(['fsck'], { dir });
    expect([3, 6], checked.stderr).toContain(checked.exit);
    expect(await arx.run(['import', 'a.eml'], { dir })).toMatchObject({ exit: 0 });
    expect(await arx.run(['fsck'], { dir })).toMatchObject({ exit: 0 });
  },
);

test('the program decodes windows-1252 by the standard, whatever its Node does', async () => {
  const dir = tempFolder('charset');
  const mail =
    'From: a@b\nSubject: =?windows-1252?Q?=93=80=94?=\nContent-Type: text/plain; charset=iso-8859-1\n\n';
  writeFileSync(
    join(dir, 'a.eml'),
    Buffer.concat([Buffer.from(mail), Buffer.of(0x8c, 0x75, 0x76, 0x72, 0x65)]),
  );
  expect(await arx.run(['import', 'a.eml'], { dir })).toMatchObject({ exit: 0 });
  const { stdout } = await arx.run(['read', 'msg_1'], { dir });
  expect(stdout).toContain('“€”');
  expect(stdout).toContain('Œuvre');
  expect((await arx.run(['search', 'œuvre', '--count'], { dir })).stdout.trim()).toBe('1');
});

test('what jq says where its memory ends is not on standard error', async () => {
  const dir = tempFolder('jq');
  const words = ['about', 'api', '--jq', '"x" * 200000000 | [., . + "a"] | length'];
  const { exit, stderr } = await arx.run(words, { dir });
  expect([exit, stderr]).toEqual([
    2,
    expect.stringMatching(/^arx: --jq: more memory is needed than 256 MiB \[usage, exit 2\]\n/),
  ]);
});

test('events without a line end fill no disk', async () => {
  const dir = tempFolder('limits');
  // A file may have 16 MiB, whoever writes it.
  const limited = 'ulimit -f 16384; exec "$0" "$1" events send --file /dev/zero';
  const { exit, stderr } = await startProcess('bash', ['-c', limited, process.execPath, arx.launcher], {
    dir,
  }).ended;
  expect([exit, stderr]).toEqual([2, expect.stringContaining('line 1 is longer than a request may be')]);
});

test.each(['fsck', 'attachments pull --all --to other', 'demo'])(
  'J5 %s without descriptors for its threads: exit 14',
  async (line) => {
    const dir = tempFolder('descriptors');
    cpSync(template, dir, { recursive: true });
    const env = { ...process.env, ARX_DATA_DIR: join(dir, 'data'), ARX_CONFIG_DIR: join(dir, 'config') };
    const words = ['-c', 'ulimit -n 26; exec "$0" "$@"', process.execPath, arx.launcher, ...line.split(' ')];
    const limited = spawnSync('sh', words, { cwd: dir, env, encoding: 'utf8' });
    expect(limited).toMatchObject({ status: 14, stderr: expect.stringContaining('too many open files') });
  },
);

test('a run that stops before its end is exit 1', () => {
  const dir = tempFolder('stopped');
  // A write that never ends leaves the event loop without work.
  writeFileSync(join(dir, 'never.cjs'), 'process.stdout.write = () => true;\n');
  const env = { ...process.env, ARX_CONFIG_DIR: dir };
  const words = ['--require', join(dir, 'never.cjs'), arx.launcher, 'config', 'ls'];
  const stopped = spawnSync(process.execPath, words, { cwd: dir, env, encoding: 'utf8' });
  expect(stopped).toMatchObject({
    status: 1,
    stderr: 'arx: the run stopped before its end [internal, exit 1]\n',
  });
});
