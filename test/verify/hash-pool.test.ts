// The hash pool: special files are named and never waited for, and interruption ends it.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Fault } from '../../src/faults.ts';
import { compareFolder, readFolder } from '../../src/verify/check-folder.ts';
import { openHashPool } from '../../src/verify/hash-pool.ts';
import type { ExpectedFile } from '../../src/verify/verdicts.ts';
import { thread } from '../support/threads.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { digestOf, sha256Of } from '../support/digest.ts';

const signal = new AbortController().signal;
let dir: string;
beforeEach(() => void (dir = tempFolder('pool')));
// Not fs.rm: one test makes paths that are too long for it.
afterEach(() => void execFileSync('rm', ['-rf', dir]));

const verdictsIn = async (expected: ExpectedFile[] = []) =>
  Object.fromEntries(
    compareFolder(expected, await readFolder(dir, { signal, thread }).contents).map(({ path, verdict }) => [
      path,
      verdict,
    ]),
  );
const row = (path: string, sha256: string): ExpectedFile => ({ id: path, path, sha256 });

/** The thread reads so much at once. */
const READ = 512 * 1024;

describe('the entries of a folder', () => {
  test('links, loops, FIFOs, sockets and devices are named, and never followed or waited for', async () => {
    mkdirSync(join(dir, 'sub'));
    writeFileSync(join(dir, 'sub/file'), 'x');
    symlinkSync('..', join(dir, 'sub/up'));
    symlinkSync('nowhere', join(dir, 'dangling'));
    symlinkSync('self', join(dir, 'self'));
    symlinkSync('/dev/zero', join(dir, 'zero'));
    execFileSync('mkfifo', [join(dir, 'fifo')]);
    const devices: Record<string, string> = {};
    try {
      execFileSync('mknod', [join(dir, 'device'), 'c', '1', '5'], { stdio: 'ignore' });
      devices['device'] = 'extra';
    } catch {
      console.warn('only root makes devices: not tested');
    }
    const server = createServer().listen(join(dir, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      const named = ['sub/up', 'dangling', 'self', 'zero', 'fifo', 'socket'];
      const nothingExpected = Object.fromEntries(named.map((path) => [path, 'extra']));
      expect(await verdictsIn()).toEqual({ 'sub/file': 'extra', ...nothingExpected, ...devices });
      const all = await verdictsIn(
        [...named, 'sub', 'sub/up/sub/file'].map((path) => row(path, sha256Of(''))),
      );
      expect(all).toEqual({
        ...Object.fromEntries(named.map((path) => [path, 'unreadable'])),
        sub: 'unreadable',
        'sub/up/sub/file': 'missing',
        'sub/file': 'extra',
        ...devices,
      });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test('C13: the folder itself may be a link, which the user named', async () => {
    mkdirSync(join(dir, 'real'));
    writeFileSync(join(dir, 'real/a'), 'a');
    symlinkSync('real', join(dir, 'link'));
    const { files } = await readFolder(join(dir, 'link'), { signal, thread }).contents;
    expect(files).toEqual([{ path: 'a', hash: sha256Of('a'), bytes: 1 }]);
  });

  test('a folder deeper than a path can say is named as unreadable', async () => {
    const chain = Array<string>(15).fill('d'.repeat(200)).join('/');
    for (const half of ['one', 'two']) mkdirSync(join(dir, half, chain), { recursive: true });
    renameSync(join(dir, 'two'), join(dir, 'one', chain, 'two'));
    expect(Object.values(await verdictsIn())).toEqual(['unreadable']);
  });

  test('sparse files, and sizes near that of one read, are hashed correctly', async () => {
    const sizes = [0, 1, READ - 1, READ, READ + 1, 3 * READ];
    for (const size of sizes) writeFileSync(join(dir, String(size)), Buffer.alloc(size, 7));
    const sparse = openSync(join(dir, 'sparse'), 'w');
    ftruncateSync(sparse, 40 * READ);
    writeSync(sparse, 'x', 20 * READ - 1);
    closeSync(sparse);
    const expected = [...sizes.map(String), 'sparse'].map((path) =>
      row(path, sha256Of(readFileSync(join(dir, path)))),
    );
    expect(new Set(Object.values(await verdictsIn(expected)))).toEqual(new Set(['match']));
  });

  test('D10, changed while it is read: no verdict on its hash', async () => {
    const file = openSync(join(dir, 'growing'), 'w');
    ftruncateSync(file, 1024 * READ);
    closeSync(file);
    let calls = 0;
    const { contents: observation } = readFolder(dir, {
      signal,
      thread,
      onBytes: () => {
        if (calls++ === 0) appendFileSync(join(dir, 'growing'), 'more');
      },
    });
    const [observed] = (await observation).files;
    expect([observed?.hash, calls > 1]).toEqual(['changed', true]);
  });

  test.skipIf(!existsSync('/proc/sys/kernel/random/uuid'))(
    'files whose size says nothing of their bytes',
    async () => {
      const pool = openHashPool('/proc/sys/kernel/random', { algorithms: ['sha256'], signal, thread });
      pool.add(['uuid', 'nothing-here']);
      expect((await pool.finish()).hashes).toEqual(['changed', 'unreadable']);
    },
  );
});

describe('the hash pool', () => {
  test('gives the same results without threads, and can be stopped', async () => {
    const paths = ['a', 'b', 'nothing-here'];
    for (const path of paths.slice(0, 2)) writeFileSync(join(dir, path), path);
    const pool = openHashPool(dir, { algorithms: ['sha256'], signal, thread: undefined });
    pool.add(paths);
    expect(await pool.finish()).toEqual({
      hashes: [sha256Of('a'), sha256Of('b'), 'unreadable'],
      bytes: [1, 1, 0],
    });
    const controller = new AbortController();
    const stopped = openHashPool(dir, {
      algorithms: ['sha256'],
      signal: controller.signal,
      thread: undefined,
    });
    stopped.add(paths);
    controller.abort(new Error('over'));
    await expect(stopped.finish()).rejects.toThrow('over');
  });

  test('several hashes come in one read, in their order, and results in the order of the files', async () => {
    const paths = Array.from({ length: 300 }, (_, at) => String(at));
    for (const path of paths) writeFileSync(join(dir, path), path.repeat(Number(path)));
    const algorithms = ['md5', 'sha1', 'sha256', 'sha512'];
    const pool = openHashPool(dir, { algorithms, signal, thread });
    for (const path of paths) pool.add([path]);
    const { hashes, bytes } = await pool.finish();
    const right = paths.map((path) => path.repeat(Number(path)));
    expect(bytes).toEqual(right.map((text) => text.length));
    expect(hashes).toEqual(right.map((text) => algorithms.map((name) => digestOf(name, text)).join(' ')));
  });

  test('finishes at once without files', async () => {
    const pool = openHashPool(dir, { algorithms: ['sha256'], signal, thread });
    pool.add([]);
    expect(await pool.finish()).toEqual({ hashes: [], bytes: [] });
  });

  test('is ended by an interruption with its reason, in the middle of a file', async () => {
    const file = openSync(join(dir, 'large'), 'w');
    ftruncateSync(file, 64 * 1024 ** 3);
    closeSync(file);
    const controller = new AbortController();
    const { contents: observation } = readFolder(dir, {
      signal: controller.signal,
      thread,
      onBytes: () => controller.abort(new Fault('interrupted', 'interrupted', { signal: 'SIGINT' })),
    });
    await expect(observation).rejects.toMatchObject({ kind: 'interrupted' });
  });
});
