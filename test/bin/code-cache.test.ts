// The code cache of a user: made by the first run, used by the next, and never a way to run the code of somebody else.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { wrap } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeCacheIn, packagedProgram, type Packaged } from '../support/packaged.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ASKED = ['config', 'ls', '--json'];
const isRoot = process.getuid?.() === 0;
let arx: Packaged;
let expected: string;
beforeAll(async () => {
  arx = packagedProgram();
  const home = tempFolder('home');
  expected = (await arx.run(ASKED, home)).stdout.replaceAll(home, 'HOME');
  expect(expected).toContain('base_url');
});

/** Runs the command and expects what a run without any cache prints. */
async function runs(home: string, env: Record<string, string> = {}): Promise<void> {
  const ended = await arx.run(ASKED, home, { env });
  expect({ ...ended, stdout: ended.stdout.replaceAll(home, 'HOME') }).toEqual({
    stdout: expected,
    stderr: '',
    exit: 0,
    signal: null,
  });
}

function mainCache(home: string): string {
  return [...codeCacheIn(home).keys()].find((path) => path.endsWith('-main.code'))!;
}

const stamp = (path: string) => [statSync(path).ino, statSync(path).mtimeMs];

/** A file of the cache as bin/code-cache.js writes it. */
function packed(code: Buffer, uses: readonly string[]): Buffer {
  const json = Buffer.from(JSON.stringify(uses));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  const body = Buffer.concat([code, json, length]);
  return Buffer.concat([body, createHash('sha256').update(body).digest()]);
}

describe('the code cache', () => {
  test('is made for this user alone by the first run, and only used by the second', async () => {
    const home = tempFolder('home');
    await runs(home);
    const path = mainCache(home);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    for (const each of codeCacheIn(home).keys()) expect(statSync(each).mode & 0o777).toBe(0o600);
    expect(basename(path)).toContain(`-${process.version}-${process.arch}-`);
    const made = stamp(path);
    await runs(home);
    // A cache that V8 rejects is made again.
    expect(stamp(path)).toEqual(made);
  });

  test('grows by what another command compiled, without losing the first', async () => {
    const home = tempFolder('home');
    await runs(home);
    const before = statSync(mainCache(home)).size;
    expect((await arx.run(['events', 'types', '-o', 'table'], home)).exit).toBe(0);
    expect(statSync(mainCache(home)).size).toBeGreaterThan(before);
    const made = stamp(mainCache(home));
    await runs(home);
    await arx.run(['events', 'types', '-o', 'table'], home);
    expect(stamp(mainCache(home))).toEqual(made);
  });

  test('is used by the next run also where the command sets flags of V8', async () => {
    const home = tempFolder('home');
    const notes = tempFolder('notes');
    writeFileSync(join(notes, 'note.txt'), 'a note');
    const importing = ['import', '--kind', 'folder', notes];
    expect(await arx.run(importing, home)).toMatchObject({ exit: 0 });
    const made = stamp(mainCache(home));
    expect(await arx.run(importing, home)).toMatchObject({ exit: 0 });
    expect(stamp(mainCache(home))).toEqual(made);
  });

  test.each([
    ['a changed byte', (bytes: Buffer) => ((bytes[300_000]! ^= 255), bytes)],
    ['a cut end', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['no bytes', () => Buffer.alloc(0)],
    ['other bytes', () => Buffer.alloc(100_000, 'x')],
  ])('with %s is made again, and nothing is said', async (_, damage) => {
    const home = tempFolder('home');
    await runs(home);
    const path = mainCache(home);
    const damaged = Buffer.from(damage(readFileSync(path)));
    writeFileSync(path, damaged);
    await runs(home);
    expect(readFileSync(path).equals(damaged)).toBe(false);
    const made = stamp(path);
    await runs(home);
    expect(stamp(path)).toEqual(made);
  });

  test('is written by one of many runs at once', async () => {
    const home = tempFolder('home');
    await Promise.all(Array.from({ length: 4 }, async () => runs(home)));
    expect(readdirSync(dirname(mainCache(home))).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    await runs(home);
  });

  test('is left out where its folder cannot be made', async () => {
    const home = tempFolder('home');
    writeFileSync(join(home, 'file'), '');
    await runs(home, { XDG_CACHE_HOME: join(home, 'file') });
    await runs(home, { XDG_CACHE_HOME: join(home, 'missing/folder') });
    await runs(home, { ARX_CACHE_DIR: 'relative' });
    expect(readdirSync(home)).toEqual(['file']);
  });

  test.runIf(isRoot)('is not made by root in the home of another user', async () => {
    const home = tempFolder('home');
    chownSync(home, 1000, 1000);
    await runs(home);
    expect(existsSync(join(home, '.cache'))).toBe(false);
  });

  test('is not made by a mistyped command', async () => {
    const home = tempFolder('home');
    expect((await arx.run(['nonsense'], home)).exit).toBe(2);
    expect(existsSync(join(home, '.cache'))).toBe(false);
  });
});

describe('code of somebody else', () => {
  /** Makes a home whose code cache holds a program that prints `evil`: V8 compares only the length of the source. */
  async function homeWithEvil(): Promise<{ home: string; path: string }> {
    const home = tempFolder('home');
    await runs(home);
    const path = mainCache(home);
    const text = 'process.stdout.write("evil\\n");';
    const length = readFileSync(arx.main).length;
    const source = wrap(`${text}${' '.repeat(length - wrap(text).length)}`);
    // In another process, because V8 flags that other tests set here would make the code invalid. It runs the function once, which
    // would be compiled from the source of the program otherwise.
    const compile = `
      const [source, filename] = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
      const script = new (require('node:vm').Script)(source, { filename });
      const main = { exports: {} };
      const write = process.stdout.write.bind(process.stdout);
      process.stdout.write = () => true;
      script.runInThisContext()(main.exports, () => {}, main, '', '');
      write(script.createCachedData());
    `;
    const code = execFileSync(process.execPath, ['-e', compile], {
      input: JSON.stringify([source, arx.main]),
      maxBuffer: 64 * 1024 * 1024,
    });
    writeFileSync(path, packed(code, ['config ls', 'config ls --json']));
    return { home, path };
  }

  test('would run from a file of the user, so the owner is what protects', async () => {
    const { home } = await homeWithEvil();
    expect((await arx.run(ASKED, home)).stdout).toBe('evil\n');
  });

  test.each<[string, (path: string) => void]>([
    ['that others can read', (path) => chmodSync(path, 0o644)],
    ['that others can write', (path) => chmodSync(path, 0o622)],
    ['that is a link', (path) => (renameSync(path, `${path}.other`), symlinkSync(`${path}.other`, path))],
    ['with a second name', (path) => linkSync(path, `${path}.other`)],
    ['in a folder that others can read', (path) => chmodSync(dirname(path), 0o755)],
    ['in a folder that others can write', (path) => chmodSync(dirname(path), 0o777)],
    [
      'in a folder that is a link',
      (path) => {
        renameSync(dirname(path), `${dirname(path)}-other`);
        symlinkSync(`${dirname(path)}-other`, dirname(path));
      },
    ],
    ...(isRoot
      ? ([
          ['of another user', (path) => chownSync(path, 1000, 1000)],
          ['in a folder of another user', (path) => chownSync(dirname(path), 1000, 1000)],
        ] satisfies [string, (path: string) => void][])
      : []),
  ])('does not run from a file %s', async (_, change) => {
    const { home, path } = await homeWithEvil();
    change(path);
    await runs(home);
    await runs(home);
  });
});
