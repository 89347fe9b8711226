// `arx completion install` and `uninstall` in a scratch home. completion/install-place.shells.test.ts asks the real shells.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { completionScript } from '../../src/completion/scripts.ts';
import { arx, type Ran } from '../support/command.ts';
import type { FakeWorldOptions } from '../support/fake-world.ts';
import { tempFolder } from '../support/temp-folder.ts';

const BASH = '.local/share/bash-completion/completions/arx';
const READY = async (): Promise<string> => 'noise of a start file\n\narx-completion:_comp_load\n';

let home: string;
beforeEach(() => (home = tempFolder('completion-install')));

const run = (line: string, options: FakeWorldOptions = {}): Promise<Ran> =>
  arx(home, `completion ${line}`, { env: { LANG: 'C.UTF-8', SHELL: '/bin/bash' }, ...options });
const read = (path: string): string => fs.readFileSync(join(home, path), 'utf8');

function put(path: string, text: string): void {
  fs.mkdirSync(join(home, path, '..'), { recursive: true });
  fs.writeFileSync(join(home, path), text);
}

test('install writes the script of the shell in SHELL, once, and says what it did', async () => {
  const path = join(home, BASH);
  const rest = `a new bash completes arx\nids, cities and other values are proposed once a list has shown them: arx help environment\nto undo this: arx completion uninstall bash\n`;
  expect(await run('install', { capture: READY })).toMatchObject({
    exit: 0,
    stdout: `${path}: written\n${rest}`,
  });
  expect(read(BASH)).toBe(completionScript('bash'));
  expect(fs.statSync(path).mode & 0o777).toBe(0o644);
  expect((await run('install', { capture: READY })).stdout).toBe(`${path}: unchanged\n${rest}`);
  put(BASH, completionScript('bash').slice(0, -20));
  expect((await run('install', { capture: READY })).stdout).toBe(`${path}: replaced\n${rest}`);
  expect(read(BASH)).toBe(completionScript('bash'));
  expect((await run('uninstall')).stdout).toBe(`${path}: removed\n`);
  expect((await run('uninstall')).stdout).toBe(`${path}: absent\n`);
});

// There mkdir with `recursive` never returned.
test.skipIf(process.platform !== 'linux')('install in a home where no folder can be made is 14', async () => {
  const ran = await run('install', { home: '/proc', env: { HOME: '/proc', SHELL: '/bin/bash' } });
  expect(ran).toMatchObject({ exit: 14, stderr: expect.stringContaining('none can be made') });
});

test('--dry-run changes nothing', async () => {
  expect((await run('install --dry-run --yes')).stdout).toContain('dry run, nothing is changed');
  expect(fs.readdirSync(home)).toEqual([]);
  await run('install --yes');
  const before = read('.bashrc');
  expect((await run('uninstall --dry-run')).stdout).toContain(`${BASH}: removed\n`);
  expect([read('.bashrc'), read(BASH)]).toEqual([before, completionScript('bash')]);
});

describe('a shell that does not load the script', () => {
  test('gets no lines without consent: they are shown', async () => {
    put('.bashrc', 'alias ll="ls -l"\n');
    const { stdout } = await run('install');
    expect(stdout).toContain(`bash does not load it yet; add to ${home}/.bashrc:\n  [ ! -r '${home}/`);
    expect(stdout).toContain('or let arx add them: arx completion install bash --yes\n');
    expect(read('.bashrc')).toBe('alias ll="ls -l"\n');
    const json = JSON.parse((await run('install --json')).stdout) as object;
    expect(json).toMatchObject({ shell: 'bash', done: 'unchanged', added: false, loaded: false });
  });

  test.each([
    ['--yes', { line: 'install --yes', options: {} }],
    ['y', { line: 'install', options: { columns: 80, typed: ['y'] } }],
  ])('gets them with %s, once; the mode of the file stays; uninstall removes them', async (_, given) => {
    put('.bashrc', 'alias ll="ls -l"\n');
    fs.chmodSync(join(home, '.bashrc'), 0o640);
    const { stdout } = await run(given.line, given.options);
    expect(stdout).toContain(`${home}/.bashrc: 1 line added\na new bash completes arx\n`);
    const added = read('.bashrc');
    expect(added).toMatch(
      /^alias ll="ls -l"\n# >>> arx completion >>>\n\[ ! -r .*\n# <<< arx completion <<<\n$/,
    );
    expect((await run('install --yes')).stdout).toContain('a new bash completes arx');
    expect(read('.bashrc')).toBe(added);
    expect((await run('uninstall')).stdout).toContain(`${home}/.bashrc: the lines of arx removed\n`);
    expect(read('.bashrc')).toBe('alias ll="ls -l"\n');
    expect(fs.statSync(join(home, '.bashrc')).mode & 0o777).toBe(0o640);
  });

  test('gets none where the answer is no, or the user has added them', async () => {
    const { stdout } = await run('install', { columns: 80, typed: ['n'] });
    expect(stdout).toContain('does not load it yet');
    expect(fs.existsSync(join(home, '.bashrc'))).toBe(false);
    put('.bashrc', /\[ ! -r.*/.exec(stdout)?.[0] ?? '');
    expect((await run('install')).stdout).toContain('a new bash completes arx');
  });

  test('a start file that is a link is not changed', async () => {
    put('dotfiles/bashrc', '# mine\n');
    fs.symlinkSync('dotfiles/bashrc', join(home, '.bashrc'));
    const ran = await run('install --yes');
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toContain('does not load it yet');
    expect(ran.stderr).toContain('.bashrc is a symbolic link; it is not changed');
    expect(read('dotfiles/bashrc')).toBe('# mine\n');
    expect((await run('uninstall')).stdout).toBe(`${join(home, BASH)}: removed\n`);
  });
});

test('zsh: a folder of this user on fpath is taken', async () => {
  fs.mkdirSync(join(home, '.zfunc'));
  const capture = async (): Promise<string> =>
    `arx-completion:1\narx-completion:/usr/share/zsh/functions\narx-completion:${home}/.zfunc\n`;
  expect((await run('install zsh', { capture })).stdout).toContain(
    '.zfunc/_arx: written\na new zsh completes arx',
  );
  expect(read('.zfunc/_arx')).toBe(completionScript('zsh'));
});

describe('refused, and left as it is', () => {
  test('a link, a folder, and a file that arx did not make', async () => {
    put('other', 'x');
    fs.mkdirSync(join(home, BASH, '..'), { recursive: true });
    fs.symlinkSync(join(home, 'other'), join(home, BASH));
    for (const line of ['install', 'uninstall'])
      expect(await run(line)).toMatchObject({ exit: 13, stderr: expect.stringContaining('a symbolic link') });
    expect(read('other')).toBe('x');
    fs.unlinkSync(join(home, BASH));
    put(BASH, '# completion of another arx\n');
    for (const line of ['install', 'uninstall'])
      expect(await run(line)).toMatchObject({
        exit: 7,
        stderr: expect.stringContaining('was not made by arx'),
      });
    expect(read(BASH)).toBe('# completion of another arx\n');
    fs.unlinkSync(join(home, BASH));
    fs.mkdirSync(join(home, BASH));
    expect(await run('install')).toMatchObject({ exit: 13 });
  });

  test('a file of another user', async () => {
    put(BASH, completionScript('bash'));
    expect(await run('install', { uid: 4242 })).toMatchObject({
      exit: 13,
      stderr: expect.stringContaining('belongs to another user'),
    });
  });

  test.each([
    ['install', { SHELL: '/bin/dash' }, 'the shell is not known from SHELL'],
    ['install tcsh', {}, 'must be one of bash, zsh, fish, powershell'],
    ['bash zsh', {}, 'go with install and uninstall'],
    ['bash --yes', {}, 'go with install and uninstall'],
  ])('%s %j: usage', async (line, env, message) => {
    const ran = await run(line, { env: { LANG: 'C.UTF-8', ...env } });
    expect(ran).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining(message) });
  });
});
