// Installs the packed program and runs it by every version of Node that is here.
// SKIPPED without ARX_TEST_NODES: the versions of Node that are named there, with spaces between their paths.
import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isInstalled } from '../support/installed.ts';
import { codeCacheIn, otherNodes } from '../support/packaged.ts';
import { startProcess, type Ended } from '../support/program.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
let prefix: string;
let printed: string;
beforeAll(() => {
  const dir = tempFolder('install');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', dir], {
    cwd: ROOT,
    stdio: 'ignore',
  });
  prefix = join(dir, 'prefix');
  const packed = join(dir, `archive-explorer-${version}.tgz`);
  // It needs nothing else, so it asks no registry.
  const words = ['install', '--global', '--offline', '--prefix', prefix, packed];
  const { stdout, stderr } = spawnSync('npm', words, {
    encoding: 'utf8',
    env: { ...process.env, npm_config_update_notifier: 'false' },
  });
  printed = stdout + stderr;
});

// The other two are the optional keyring and its library for this system.
test('npm installs three packages at most and warns of nothing', () => {
  expect(printed.trim()).toMatch(/^added (1 package|[23] packages) in /);
  expect(printed).not.toMatch(/warn/i);
});

test.skipIf(!isInstalled('man'))('man finds the manual page beside the program', () => {
  const page = join(prefix, 'share/man/man1/arx.1');
  expect(lstatSync(page).isSymbolicLink()).toBe(true);
  const env = { PATH: `${join(prefix, 'bin')}:${process.env['PATH']}`, MANPAGER: 'cat', LC_ALL: 'C.UTF-8' };
  const text = execFileSync('man', ['arx'], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] });
  expect(text).toMatch(/ARX\(1\)/);
});

describe.each([process.execPath, ...otherNodes])('by %s', (node) => {
  test('commands use the code cache of their own version of Node after a first run', async () => {
    const home = tempFolder('home');
    mkdirSync(join(home, 'notes'));
    writeFileSync(join(home, 'notes/note.txt'), 'a note');
    const run = async (...args: string[]): Promise<Ended> =>
      startProcess(node, [join(prefix, 'bin/arx'), ...args], { dir: home }).ended;
    expect(await run('import', '--kind', 'folder', join(home, 'notes'))).toMatchObject({ exit: 0 });
    for (const args of [
      ['attachments', 'ls', '--json'],
      ['attachments', 'ls', '-o', 'table'],
      ['search', 'note'],
    ]) {
      const first = await run(...args);
      expect({ args, ...first }).toMatchObject({ args, exit: 0 });
      const made = [...codeCacheIn(home).keys()].map((path) => [path, statSync(path).ino]);
      expect(made.length).toBeGreaterThan(1);
      const second = await run(...args);
      expect(second.exit).toBe(0);
      // V8 rejects no file: it would be made again.
      expect([...codeCacheIn(home).keys()].map((path) => [path, statSync(path).ino])).toEqual(made);
    }
    for (const [path, bytes] of codeCacheIn(home)) {
      bytes[bytes.length >> 1]! ^= 255;
      writeFileSync(path, bytes);
    }
    expect(await run('attachments', 'ls', '--json')).toMatchObject({ exit: 0 });
  });
});
