// Commands for the shell and the tour.
import type { CommandSpec } from './command-spec.ts';

export const SHELL_COMMANDS = [
  {
    words: 'completion',
    summary: 'completion script on standard output',
    arguments: [['<shell>', 'bash, zsh, fish or powershell', ['bash', 'zsh', 'fish', 'powershell']]],
    examples: ['arx completion bash > ~/.local/share/bash-completion/completions/arx'],
  },
  {
    words: 'demo',
    summary: 'the whole tour on a generated sample archive, in a scratch folder',
    options: [['--keep', 'keep the scratch folder and say where it is']],
    examples: ['arx demo'],
  },
] as const satisfies readonly CommandSpec[];
