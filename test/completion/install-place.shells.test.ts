// After `arx completion install` a new interactive shell at a terminal completes arx.
import { existsSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isInstalled } from '../support/installed.ts';
import { buildProgram, startProcess, type Program } from '../support/program.ts';
import type { RealShell } from '../support/shell.ts';
import { tempFolder } from '../support/temp-folder.ts';

const BASH_COMPLETION = '/usr/share/bash-completion/bash_completion';

/** Start files by name. Each shows `<ready>` as the prompt. */
type Case = {
  shell: RealShell;
  about: string;
  files: Record<string, string>;
  options: string[];
  needs: string[];
};
const CASES: Case[] = [
  {
    shell: 'bash',
    about: 'with bash-completion',
    files: { '.bashrc': `. ${BASH_COMPLETION}\nPS1='<ready>'\n` },
    options: [],
    needs: [BASH_COMPLETION],
  },
  {
    shell: 'bash',
    about: 'without bash-completion, with --yes',
    files: { '.bashrc': `PS1='<ready>'\n` },
    options: ['--yes'],
    needs: [],
  },
  {
    shell: 'zsh',
    about: 'with a folder of the user',
    files: {
      '.zshrc': `fpath=(~/.zfunc $fpath)\nautoload -Uz compinit && compinit\nPROMPT='<ready>'\n`,
      '.zfunc/other': '',
    },
    options: [],
    needs: [],
  },
  {
    shell: 'zsh',
    about: 'without any folder, with --yes',
    files: { '.zshrc': `PROMPT='<ready>'\n` },
    options: ['--yes'],
    needs: [],
  },
  {
    shell: 'fish',
    about: 'as it is',
    files: {
      '.config/fish/config.fish':
        "function fish_prompt; echo -n '<ready>'; end\nfunction fish_right_prompt; end\nfunction fish_mode_prompt; end\n",
      // Without this folder fish fills it in the background, also after the test.
      '.local/share/fish/generated_completions/none': '',
    },
    options: [],
    needs: [],
  },
];

let program: Program;
beforeAll(() => {
  program = buildProgram();
});

/** Types `arx att`, a tab and Enter in a new shell; returns the arguments that arx got. */
async function typed(
  shell: RealShell,
  dir: string,
  bin: string,
  env: Record<string, string>,
): Promise<string> {
  const answers = join(dir, 'answers');
  // From here on the arx that the shell finds only notes its arguments. Scripts that ask it for values get none.
  unlinkSync(join(bin, 'arx'));
  writeFileSync(join(bin, 'arx'), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${answers}'\n`, { mode: 0o755 });
  const running = startProcess('script', ['-qec', `${shell} -i`, '/dev/null'], {
    dir,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  await running.says('stdout', /<ready>/);
  running.child.stdin?.write('arx att\t\r');
  await running.says('stdout', /<ready>[^]*<ready>/);
  running.child.stdin?.write('exit\r');
  await running.ended;
  return existsSync(answers) ? readFileSync(answers, 'utf8').trim() : '';
}

describe.each(CASES)('$shell $about', ({ shell, files, options, needs }) => {
  const missing = [
    ...[shell, 'script'].filter((command) => !isInstalled(command)),
    ...needs.filter((path) => !existsSync(path)),
  ];
  if (missing.length > 0)
    console.warn(`SKIPPED: completion install for ${shell}: no ${missing.join(', ')} here`);

  test.skipIf(missing.length > 0)('completes after install, not before', async () => {
    for (const isInstalledFirst of [false, true]) {
      const dir = tempFolder('completion-shell');
      const bin = join(dir, 'bin');
      mkdirSync(bin);
      symlinkSync(program.launcher, join(bin, 'arx'));
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(join(dir, name, '..'), { recursive: true });
        writeFileSync(join(dir, name), text);
      }
      const env = {
        PATH: [bin, process.env['PATH'] ?? ''].join(delimiter),
        SHELL: `/bin/${shell}`,
        TERM: 'dumb',
      };
      if (isInstalledFirst) {
        const ran = await program.run(['completion', 'install', ...options], { dir, env });
        expect(ran).toMatchObject({ exit: 0, stderr: '' });
        expect(ran.stdout).toContain(`a new ${shell} completes arx`);
      }
      expect(await typed(shell, dir, bin, env)).toBe(isInstalledFirst ? 'attachments' : 'att');
    }
  });
});
