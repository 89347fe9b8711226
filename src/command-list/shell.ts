// Commands for the shell and the tour.
import type { CommandSpec } from './command-spec.ts';

/** Names, arguments, options and examples of `completion` and `demo`. */
export const SHELL_COMMANDS = [
  {
    words: 'completion',
    summary: 'print a completion script for a shell',
    arguments: [['<shell>', 'bash, zsh, fish or powershell', ['bash', 'zsh', 'fish', 'powershell']]],
    examples: [
      'mkdir -p ~/.local/share/bash-completion/completions',
      'arx completion bash > ~/.local/share/bash-completion/completions/arx',
    ],
  },
  {
    words: 'demo',
    summary: 'run a tour on a sample archive in a temporary folder',
    options: [['--keep', 'keep the temporary folder and print its path']],
    examples: ['arx demo'],
  },
] as const satisfies readonly CommandSpec[];
