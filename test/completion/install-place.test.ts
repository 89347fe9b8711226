// Where completion scripts are put, and what start files get.
import { expect, test } from 'vitest';
import {
  installPlace,
  isOurScript,
  shellOf,
  withLines,
  type PlaceInputs,
} from '../../src/completion/install-place.ts';
import { completionScript, SHELLS, type Shell } from '../../src/completion/scripts.ts';

const READY = { isReady: true, folders: [] };
const UNKNOWN = { isReady: false, folders: [] };
const inputs = (env: PlaceInputs['env'] = {}, platform = 'linux') => ({ env, home: '/home/ada', platform });

test.each<[string, PlaceInputs['env'], string, Shell | undefined]>([
  ['bash', { SHELL: '/bin/bash' }, 'linux', 'bash'],
  ['zsh', { SHELL: '/opt/homebrew/bin/zsh' }, 'darwin', 'zsh'],
  ['fish', { SHELL: 'fish' }, 'linux', 'fish'],
  ['pwsh', { SHELL: '/usr/bin/pwsh' }, 'linux', 'powershell'],
  ['bash of Git for Windows', { SHELL: 'C:\\Git\\bin\\bash.exe' }, 'win32', 'bash'],
  ['Windows without SHELL', {}, 'win32', 'powershell'],
  ['another shell', { SHELL: '/bin/dash' }, 'linux', undefined],
  ['none', {}, 'linux', undefined],
])('the shell of SHELL: %s', (_, env, platform, shell) => {
  expect(shellOf(inputs(env, platform))).toBe(shell);
});

test('bash: the folder of the user of bash-completion, and a line where that is not active', () => {
  const path = '/home/ada/.local/share/bash-completion/completions/arx';
  expect(installPlace('bash', inputs(), READY)).toMatchObject({ path, lines: [] });
  expect(installPlace('bash', inputs(), UNKNOWN)).toEqual({
    path,
    startFile: '/home/ada/.bashrc',
    lines: [`[ ! -r '${path}' ] || . '${path}'`],
  });
  expect(installPlace('bash', inputs({}, 'darwin'), READY).startFile).toBe('/home/ada/.bash_profile');
  expect(installPlace('bash', inputs({ BASH_COMPLETION_USER_DIR: '/a:/b' }), READY).path).toBe(
    '/a/completions/arx',
  );
  expect(installPlace('bash', inputs({ XDG_DATA_HOME: '/x' }), READY).path).toBe(
    '/x/bash-completion/completions/arx',
  );
  // A relative path is ignored, as XDG requires.
  expect(installPlace('bash', inputs({ XDG_DATA_HOME: 'x' }), READY).path).toBe(path);
});

test('zsh: a folder that it knows, else one that it has to learn', () => {
  const known = { isReady: true, folders: ['/home/ada/.zfunc'] };
  expect(installPlace('zsh', inputs(), known)).toMatchObject({ path: '/home/ada/.zfunc/_arx', lines: [] });
  expect(installPlace('zsh', inputs(), { ...known, isReady: false }).lines).toEqual([
    'autoload -Uz compinit && compinit',
  ]);
  expect(installPlace('zsh', inputs({ ZDOTDIR: '/z' }), READY)).toEqual({
    path: '/home/ada/.local/share/zsh/site-functions/_arx',
    startFile: '/z/.zshrc',
    lines: [
      `fpath=('/home/ada/.local/share/zsh/site-functions' $fpath)`,
      'autoload -Uz compinit && compinit',
    ],
  });
});

test('fish loads its folder by itself, PowerShell needs a line', () => {
  expect(installPlace('fish', inputs(), READY)).toEqual({
    path: '/home/ada/.config/fish/completions/arx.fish',
    startFile: undefined,
    lines: [],
  });
  expect(installPlace('powershell', { ...inputs(), home: "/home/o'hara" }, READY)).toEqual({
    path: "/home/o'hara/.config/powershell/arx-completion.ps1",
    startFile: "/home/o'hara/.config/powershell/profile.ps1",
    lines: [". '/home/o''hara/.config/powershell/arx-completion.ps1'"],
  });
  expect(installPlace('powershell', inputs({}, 'win32'), READY).startFile).toBeUndefined();
});

test.each(['', 'a', 'a\n', 'a\n\nb\n'])('lines are added to %j once, replaced, and removed', (before) => {
  const added = withLines(before, ['one', 'two']);
  expect(added.startsWith(before)).toBe(true);
  expect(withLines(added, ['one', 'two'])).toBe(added);
  const changed = withLines(added, ['three']);
  expect(changed).toContain('\nthree\n');
  expect(changed).not.toContain('one');
  expect(withLines(`${added}after\n`, []).trimStart()).toBe(
    `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}after\n`.trimStart(),
  );
});

test.each(SHELLS)('the script for %s is known as ours, another file is not', (shell) => {
  expect(isOurScript(completionScript(shell))).toBe(true);
  expect(isOurScript(`# my completion\n${completionScript(shell)}`.slice(0, 40))).toBe(false);
});
