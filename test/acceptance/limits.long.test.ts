// The built program where the machine refuses: full or read-only disks, no temporary folder, held locks, odd files in its folders.
import { spawn, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeAll, describe, expect, test } from 'vitest';
import { sha256Of } from '../support/digest.ts';
import { buildProgram, outside, type Ended, type Program } from '../support/program.ts';
import { tempFolder } from '../support/temp-folder.ts';

let arx: Program;
beforeAll(() => void (arx = buildProgram()));

const LETTER = `From a@b Thu Jan  1 00:00:00 2026
From: a@b
Subject: x
Date: Thu, 1 Jan 2026 00:00:00 +0000
Message-ID: <1@b>
MIME-Version: 1.0
Content-Type: application/octet-stream; name=f.bin
Content-Disposition: attachment; filename=f.bin

hello
`;
const SEND = ['events', 'send', 'mirror.detected', '--id', 'evt_1', '--payload', '{"layer":"x"}'];

/** A folder with an archive of one message with one file. */
async function archiveIn(name: string): Promise<string> {
  const dir = tempFolder(name);
  writeFileSync(join(dir, 'box'), LETTER);
  expect(await arx.run(['import', 'box'], { dir })).toMatchObject({ exit: 0 });
  return dir;
}

test('J2 with standard output closed a listing ends with 0, as with /dev/null', async () => {
  const dir = await archiveIn('closed');
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', 'exec "$0" "$1" messages ls >&-', process.execPath, arx.launcher],
    { cwd: dir, env: outside(dir), encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([0, '']);
});

describe('G4 files of ours that are none', () => {
  const NOTHING = JSON.stringify({ version: 1, tokens: [] });
  test.each([
    ['tokens.json', `${NOTHING.slice(0, -1)},"__proto__":{"x":1}}`],
    ['tokens.json', String.raw`{"version":1,"tokens":[],"more":{"__pro\u0074o__":1}}`],
    ['config.json', '{"__proto__":{"base_url":"https://evil.example"}}'],
    ['config.json', '{"profiles":{"__proto__":{"base_url":"https://evil.example"}}}'],
  ])('%s with a key __proto__: %s', async (name, text) => {
    const { ran, kept } = await withFile(name, (path) => writeFileSync(path, text, { mode: 0o600 }));
    expect(ran.exit).toBe(15);
    expect(ran.stderr).toContain('has a key __proto__');
    expect(ran.stderr).not.toContain('evil');
    expect(kept).toBe(sha256Of(Buffer.from(text)));
  });

  test.each(['tokens.json', 'config.json'])('%s of 100 MB', async (name) => {
    const { ran } = await withFile(name, (path) => {
      writeFileSync(path, '', { mode: 0o600 });
      truncateSync(path, 100_000_000);
    });
    expect(ran).toMatchObject({
      exit: 15,
      stderr: expect.stringContaining('is larger than 4 MiB; it was not read'),
    });
  });

  async function withFile(
    name: string,
    write: (path: string) => void,
  ): Promise<{ ran: Ended; kept: string }> {
    const dir = tempFolder('own-files');
    mkdirSync(join(dir, 'config'), { mode: 0o700 });
    const path = join(dir, 'config', name);
    write(path);
    const words = name === 'config.json' ? ['config', 'ls'] : ['whoami', '--base-url', 'http://127.0.0.1:1'];
    return { ran: await arx.run(words, { dir }), kept: sha256Of(readFileSync(path)) };
  }
});

test('X7 TMPDIR that does not exist: exit 14, with its name', async () => {
  const dir = tempFolder('no-temporary');
  const tar = join(dir, 'export.tar.gz');
  mkdirSync(join(dir, 'zulip'));
  writeFileSync(join(dir, 'zulip/realm.json'), '{}');
  writeFileSync(join(dir, 'zulip/messages-000001.json'), '{"zerver_message":[]}');
  expect(spawnSync('tar', ['-czf', tar, '-C', dir, 'zulip']).status).toBe(0);
  for (const words of [['demo'], ['import', tar]]) {
    const ran = await arx.run(words, { dir, env: { TMPDIR: '/nonexistent/tmp' } });
    expect([words[0], ran.exit, ran.stderr]).toEqual([
      words[0],
      14,
      expect.stringContaining('/nonexistent/tmp: no such file or folder [disk, exit 14]'),
    ]);
  }
});

/** Runs shell commands in a mount namespace of their own; `$ARX` runs the program. */
function mounted(dir: string, commands: string): { status: number | null; output: string } {
  const { status, stdout } = spawnSync('unshare', ['--mount', 'sh', '-c', `exec 2>&1; ${commands}`], {
    cwd: dir,
    env: { ...outside(dir), ARX: `${process.execPath} ${arx.launcher}` },
    encoding: 'utf8',
  });
  return { status, output: stdout };
}

const noMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status !== 0;
if (noMount) console.error('SKIPPED: read-only and small file systems, because nothing can be mounted');

describe.skipIf(noMount)('file systems', () => {
  test.each([
    ['events send', `$ARX ${SEND.map((word) => `'${word}'`).join(' ')}`],
    ['redact', '$ARX redact --yes att_1'],
    ['import', '$ARX import other'],
  ])('X2 the archive on a read-only disk, %s: exit 14 at once', async (_, command) => {
    const dir = await archiveIn('read-only');
    writeFileSync(join(dir, 'other'), LETTER.replace('<1@b>', '<2@b>').replace('hello', 'other'));
    const { status, output } = mounted(
      dir,
      `mkdir ro; mount -t tmpfs none ro && cp -a data ro/ && mount -o remount,ro ro || exit 99
       ARX_DATA_DIR=$PWD/ro/data; export ARX_DATA_DIR
       timeout 10 $ARX messages ls >list || exit 98
       exec timeout 10 ${command}`,
    );
    expect([status, output]).toEqual([
      14,
      expect.stringMatching(/read-only( file system)? \[disk, exit 14\]/),
    ]);
  });

  test.each([
    ['archive copy', '$ARX archive copy sqlite:data sqlite:ro/new'],
    ['archive copy into an empty folder', '$ARX archive copy sqlite:data sqlite:ro/empty'],
    ['import into an empty folder', 'ARX_DATA_DIR=$PWD/ro/empty $ARX import box'],
    ['backup', '$ARX backup --to ro/new'],
    ['backup into an empty folder', '$ARX backup --to ro/empty'],
  ])('X2 a target on a read-only disk, %s: exit 14', async (_, command) => {
    const dir = await archiveIn('read-only-target');
    const mount = 'mkdir ro; mount -t tmpfs none ro && mkdir ro/empty && mount -o remount,ro ro || exit 99';
    const { status, output } = mounted(dir, `${mount}\n${command}`);
    expect(status, output).toBe(14);
    expect(output).toMatch(/read-only( file system)? \[disk, exit 14\]/);
  });

  test('J4 no inode left: exit 14, and the next run with inodes completes', async () => {
    const dir = await archiveIn('inodes');
    const { status, output } = mounted(
      dir,
      `mkdir small; mount -t tmpfs -o nr_inodes=4 none small || exit 99
       ARX_DATA_DIR=$PWD/small/data timeout 20 $ARX import box; echo "import $?"
       mkdir small/full; timeout 20 $ARX attachments pull --all --to small/full/files; echo "pull $?"
       mount -o remount,nr_inodes=1000 small || exit 99
       ARX_DATA_DIR=$PWD/small/data timeout 20 $ARX import box >/dev/null; echo "import $?"
       ARX_DATA_DIR=$PWD/small/data timeout 20 $ARX fsck >/dev/null; echo "fsck $?"
       timeout 20 $ARX attachments pull --all --to small/full/files >/dev/null; echo "pull $?"`,
    );
    expect(status, output).toBe(0);
    expect(output.match(/^(import|pull|fsck) \d+$/gm)).toEqual([
      'import 14',
      'pull 14',
      'import 0',
      'fsck 0',
      'pull 0',
    ]);
    expect(output).not.toContain('damaged');
  });
});

describe('the lock of another process', () => {
  test('X10 of the settings: a notice names the process and its command, and the work is done after it', async () => {
    const dir = tempFolder('held');
    const path = join(dir, 'config', 'config.json');
    // The identity of a running process: the one that it has put into a lock of its own.
    const holder = arx.start(['serve', '--port', '0'], { dir });
    await holder.says('stdout', /listening/);
    expect((await arx.run(['config', 'set', 'client_id', 'a'], { dir })).exit).toBe(0);
    const lock = readlinkSync(join(dir, 'data', 'serve.lock'));
    expect(lock.startsWith(`${holder.pid}-`)).toBe(true);
    symlinkSync(lock, `${path}.lock`);
    const waiting = arx.start(['config', 'set', 'client_id', 'b'], { dir });
    const said = await waiting.says('stderr', /waiting for/);
    expect(said).toBe(`arx: waiting for ${path}.lock: process ${holder.pid} (arx serve) holds it\n`);
    unlinkSync(`${path}.lock`);
    expect(await waiting.ended).toMatchObject({ exit: 0 });
    holder.child.kill('SIGTERM');
    await holder.ended;
  });

  test('X10 of the database: a notice, and exit 9 after five seconds', async () => {
    const dir = await archiveIn('locked');
    const database = new DatabaseSync(join(dir, 'data', 'archive.db'));
    database.exec('BEGIN IMMEDIATE');
    try {
      for (const { exit, stderr } of await Promise.all(
        [SEND, ['redact', '--yes', 'att_1']].map((words) => arx.run(words, { dir })),
      )) {
        expect(exit, stderr).toBe(9);
        expect(stderr).toMatch(/^arx: waiting for another process that writes to the archive\n/);
      }
    } finally {
      database.exec('ROLLBACK');
      database.close();
    }
    expect(await arx.run(['redact', '--yes', 'att_1'], { dir })).toMatchObject({ exit: 0 });
  });
});

const CGROUP = '/sys/fs/cgroup/memory';
const noCgroup = spawnSync('sh', ['-c', `mkdir ${CGROUP}/arx-$$ && rmdir ${CGROUP}/arx-$$`]).status !== 0;
if (noCgroup) console.error('SKIPPED: runs in 256 MiB, because no memory cgroup can be made');

test.skipIf(noCgroup)('J6 in 256 MiB an import of 60 MB, a listing and a pull complete', async () => {
  // Files in TMPDIR may lie in memory, and would count as that of the program.
  const dir = tempFolder('small-memory', '/var/tmp');
  const text = `${'0123456789abcdef'.repeat(4)}\n`.repeat(16_000);
  writeFileSync(
    join(dir, 'box'),
    Array.from({ length: 60 }, (_, n) => LETTER.replace('<1@b>', `<${n}@b>`).replace('hello', text + n)).join(
      '\n',
    ),
  );
  const group = `${CGROUP}/arx-test-${process.pid}`;
  const script = `mkdir ${group} && echo 268435456 >${group}/memory.limit_in_bytes && echo $$ >${group}/cgroup.procs || exit 99
    for words in 'import box' 'attachments ls --all' 'attachments pull --all --to files' 'search 0123456789abcdef --count' fsck; do
      $ARX $words >out 2>&1 || exit 1
    done`;
  const child = spawn('sh', ['-c', script], {
    cwd: dir,
    env: { ...outside(dir), ARX: `${process.execPath} ${arx.launcher}` },
    stdio: 'ignore',
  });
  const status = await new Promise((resolve) => child.once('close', resolve));
  spawnSync('rmdir', [group]);
  expect(status).toBe(0);
  expect(readdirSync(join(dir, 'files')).filter((name) => name.endsWith('f.bin'))).toHaveLength(60);
});
