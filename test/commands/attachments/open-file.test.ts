// `arx attachments show ID --open`: only verified files are opened, by the right program, and none that could run code.
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../../src/arx.ts';
import { serveCatalogue, type ForeignFile } from '../../support/catalogue-server.ts';
import { arx, type Ran } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import type { Misbehaving } from '../../support/misbehaving-server.ts';
import { buildProgram } from '../../support/program.ts';
import { wordsOf } from '../../support/transcript.ts';
import { fakeWorld, type FakeWorldOptions } from '../../support/fake-world.ts';
import { sha256Of } from '../../support/digest.ts';

let dir: string;
let server: Misbehaving;
let launched: string[][];
beforeEach(() => void (dir = tempFolder('open')));
beforeEach(() => {
  launched = [];
});
afterEach(async () => {
  await server.close();
});

const serveFile = async (file: ForeignFile): Promise<void> => void (server = await serveCatalogue([file]));
const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'arx_0123456789.abcdefghijklmnop', DISPLAY: ':0' };
const launch = async (program: string, args: readonly string[]): Promise<number> => {
  launched.push([program, ...args]);
  return 0;
};
const show = (flags = '--open', options: FakeWorldOptions = {}): Promise<Ran> =>
  arx(dir, `attachments show att_1 ${flags} --base-url ${server.url}`, { env, launch, ...options });
const asked = (): number => server.requests.filter(({ head }) => head.includes('/files/')).length;

test('a file is fetched, verified and opened by its path; the row is shown as ever', async () => {
  await serveFile({ content: 'hello' });
  const ran = await show();
  expect([ran.exit, ran.stdout]).toEqual([0, expect.stringContaining('file-1.txt')]);
  const path = join(dir, '.cache/arx/opened', sha256Of('hello'), 'file-1.txt');
  expect(launched).toEqual([['xdg-open', path]]);
  expect(readFileSync(path, 'utf8')).toBe('hello');
  // Known by its hash the next time; tampered with, it is fetched again.
  expect([(await show()).exit, asked()]).toEqual([0, 1]);
  writeFileSync(path, 'hullo');
  expect([(await show()).exit, asked(), readFileSync(path, 'utf8')]).toEqual([0, 2, 'hello']);
});

test('what a pull left here is opened where it is, while it is what the catalogue says', async () => {
  await serveFile({ content: 'hello' });
  expect((await arx(dir, `attachments pull att_1 --base-url ${server.url}`, { env })).exit).toBe(0);
  expect([(await show()).exit, asked()]).toEqual([0, 1]);
  expect(launched).toEqual([['xdg-open', join(dir, 'file-1.txt')]]);
  writeFileSync(join(dir, 'file-1.txt'), 'other');
  expect((await show()).exit).toBe(0);
  expect(launched[1]?.[1]).toContain('/.cache/arx/opened/');
});

test.each<[string, ForeignFile, number]>([
  ['is withheld', { content: 'a', row: { redacted: true } }, 3],
  ['is not what its hash says', { content: 'hello', row: { sha256: sha256Of('other') } }, 12],
  ['is not there', { content: 'a', row: { file_url: 'http://127.0.0.1:9/x' } }, 13],
])('a file that %s is never opened', async (_, file, exit) => {
  await serveFile(file);
  expect([(await show()).exit, launched]).toEqual([exit, []]);
});

describe('what may be run', () => {
  test.each([
    ['report.sh', 'echo'],
    ['report.desktop', '[Desktop Entry]'],
    ['page.html', '<script>'],
    ['picture.svg', '<svg/>'],
    ['program', 'x'],
    ['setup.EXE', 'x'],
    ['letter.pdf.lnk', 'x'],
    ['macro.docm', 'x'],
    ['picture.png', '\x7fELF'],
    ['notes.txt', '#!/bin/sh'],
    ['notes.txt', 'MZ'],
    ['notes.txt', '\n[Desktop Entry]\nExec=x'],
  ])('%s with %j is refused; --force opens it', async (filename, content) => {
    await serveFile({ filename, content });
    const ran = await show();
    expect([ran.exit, launched]).toEqual([13, []]);
    expect(ran.stderr).toMatch(
      /could run code when it is opened \[unsafe, exit 13\]\n {2}kept: the verified file is .*\n {2}hint: --force/,
    );
    expect([(await show('--open --force')).exit, launched.length]).toEqual([0, 1]);
  });
});

describe('where nothing can be opened', () => {
  beforeEach(() => serveFile({ content: 'hello' }));

  test('without a display nothing is fetched', async () => {
    const { DISPLAY: _, ...blind } = env;
    const ran = await show('--open', { env: blind });
    expect([ran.exit, asked()]).toEqual([2, 0]);
    expect(ran.stderr).toMatch(
      /^arx: there is no display to open a file on \[usage, exit 2\]\n {2}hint: arx --base-url \S+ attachments pull --to DIR att_1/,
    );
    expect((await show('--open', { env: { ...blind, WAYLAND_DISPLAY: 'wayland-0' } })).exit).toBe(0);
  });

  test('with --no-input nobody looks on', async () => {
    expect([(await show('--open --no-input')).exit, launched, asked()]).toEqual([2, [], 0]);
  });

  test('without an opener, or one that fails, the file is named', async () => {
    const gone = await show('--open', { launch: () => Promise.reject(new Error('ENOENT')) });
    expect([gone.exit, gone.stderr]).toEqual([
      2,
      expect.stringMatching(/^arx: xdg-open is not installed .*\n {2}kept: the verified file is \//),
    ]);
    const failed = await show('--open', { launch: async () => 4 });
    expect([failed.exit, failed.stderr]).toEqual([
      2,
      expect.stringContaining('xdg-open did not open it (exit 4)'),
    ]);
  });

  test.each([
    ['darwin', 'open', 0],
    ['win32', 'explorer.exe', 1],
  ])('%s has its own', async (platform, program, code) => {
    const { DISPLAY: _, ...blind } = env;
    const argv = wordsOf(`attachments show att_1 --open --base-url ${server.url}`);
    const say = async (name: string, args: readonly string[]) => {
      await launch(name, args);
      return code;
    };
    expect(await run({ ...fakeWorld({ argv, dir, env: blind, launch: say }), platform })).toBe(0);
    expect(launched.map(([name]) => name)).toEqual([program]);
  });

  test('--force alone is refused', async () => {
    expect((await show('--force')).exit).toBe(2);
  });
});

test('the real process starts the opener of PATH without a shell', async () => {
  await serveFile({ filename: `a'$(touch pwned)";b.txt`, content: 'hello' });
  const program = buildProgram();
  const opener = join(dir, 'xdg-open');
  writeFileSync(
    opener,
    `#!/bin/sh\nprintf '%s\\n' "$#" "$1" "token $ARX_TOKEN" > "$(dirname "$0")/opened"\n`,
  );
  chmodSync(opener, 0o755);
  const words = ['attachments', 'show', 'att_1', '--open', '--base-url', server.url];
  const ran = await program.run(words, { dir, env: { ...env, PATH: `${dir}:${process.env['PATH']}` } });
  expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining('its name is not safe here')]);
  const [count, path, token] = readFileSync(join(dir, 'opened'), 'utf8').split('\n');
  expect([count, readFileSync(path!, 'utf8'), token]).toEqual(['1', 'hello', 'token ']);
  expect(readdirSync(dir)).not.toContain('pwned');
});
