// Which runs change something: what they print tells what was done, and is no data that was asked for.
import type { CommandWords } from './index.ts';

const CHANGING: ReadonlySet<CommandWords> = new Set([
  'login',
  'logout',
  'attachments pull',
  'attachments export',
  'conversations export',
  'events send',
  'import',
  'redact',
  'backup',
  'archive create',
  'archive copy',
  'archive move',
  'archive upgrade',
  'archive drop',
  'blobs move',
  'tokens revoke',
  'config set',
  'config unset',
  'profile use',
  'profile rm',
] satisfies CommandWords[]);

/**
 * Returns whether a run changes files, settings or an archive. Its report is not shown in a pager, and with `--quiet` only where a
 * form of the output was asked for. A dry run changes nothing: its list is what was asked for.
 */
export function changesSomething(words: CommandWords, given: Readonly<Record<string, unknown>>): boolean {
  if (given['dryRun'] === true) return false;
  // `arx completion SHELL` prints a script.
  return words === 'completion' ? String(given['shell']).endsWith('install') : CHANGING.has(words);
}
