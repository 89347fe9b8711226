// Completion scripts for four shells, generated from the command list.
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { powershellScript } from './powershell.ts';
import { zshScript } from './zsh.ts';

/** Shells that have a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
/** A shell that a completion script can be generated for. */
export type Shell = (typeof SHELLS)[number];

/** File names under completions/, as each shell looks for them. */
export const SCRIPT_NAMES: Record<Shell, string> = {
  bash: 'arx.bash',
  zsh: '_arx',
  fish: 'arx.fish',
  powershell: 'arx.ps1',
};

/** Returns the completion script for a shell. */
export function completionScript(shell: Shell): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript }[shell]();
}
