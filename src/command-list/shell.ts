// Commands for the shell and the tour.
import type { CommandSpec } from './command-spec.ts';
import { CONFIRM_OPTIONS } from './shared-options.ts';

/** Names, arguments, options and examples of `completion` and `demo`. */
export const SHELL_COMMANDS = [
  {
    words: 'completion',
    summary: 'print the completion script of a shell, or install it',
    effect: ({ shell }) => (shell === 'install' || shell === 'uninstall' ? 'change' : 'none'),
    arguments: [
      [
        '<shell>',
        'bash, zsh, fish or powershell; or install, uninstall',
        ['bash', 'zsh', 'fish', 'powershell', 'install', 'uninstall'],
      ],
      ['[target]', 'the shell to install for (default: that of SHELL)'],
    ],
    options: CONFIRM_OPTIONS,
    examples: [
      'arx completion install bash',
      'arx completion install zsh --dry-run',
      'arx completion uninstall bash',
      'arx completion fish > arx.fish',
    ],
    topics: ['environment'],
  },
  {
    words: 'demo',
    summary: 'run a tour on a sample archive in a temporary folder',
    effect: 'none',
    options: [['--keep', 'keep the temporary folder and print its path']],
    examples: ['arx demo'],
  },
] as const satisfies readonly CommandSpec[];
