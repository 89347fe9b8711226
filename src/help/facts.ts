// The parts of help topics that are made from the code: exit codes, settings, global options, event types.
import { GLOBAL_OPTIONS } from '../command-list/global-options.ts';
import { COMMAND_LIST } from '../command-list/index.ts';
import { KEYS, SETTING_KEYS } from '../config/setting-keys.ts';
import { resolveSettings } from '../config/settings.ts';
import { EXIT, exitCodesBySeverity } from '../exit.ts';
import type { FaultKind } from '../faults.ts';
import { EXIT_CODE_MEANINGS } from './exit-code-meanings.ts';

/** What may stand as `{{name}}` on a line of its own in a topic → its Markdown. */
const FACTS: Record<string, () => string> = {
  'exit-codes': exitCodes,
  'global-options': globalOptions,
  commands,
  settings,
  severity,
};

/** Returns the topic with its placeholders filled. Throws where a placeholder is unknown. */
export function fillFacts(source: string): string {
  return source.replaceAll(/^\{\{([\w-]+)\}\}$/gm, (_, name: string) => {
    const fact = FACTS[name];
    if (fact === undefined) throw new Error(`no fact is called ${name}`);
    return fact();
  });
}

function exitCodes(): string {
  const kinds = (Object.keys(EXIT) as FaultKind[]).filter((kind) => kind !== 'interrupted');
  return [
    '- `0 ok`: everything that was asked for was done and checked',
    ...kinds.map((kind) => `- \`${EXIT[kind]} ${kind}\`: ${EXIT_CODE_MEANINGS[kind]}`),
    `- \`130, 143, 129, 141\`: ${EXIT_CODE_MEANINGS.interrupted}`,
  ].join('\n');
}

function globalOptions(): string {
  return GLOBAL_OPTIONS.map(([syntax, description, choices]) => {
    const values = choices === undefined ? '' : ` (${choices.join(', ')})`;
    return `- \`${syntax}\`: ${description}${values}`;
  }).join('\n');
}

function commands(): string {
  return COMMAND_LIST.map(({ words, summary }) => `- \`arx ${words}\`: ${summary}`).join('\n');
}

function severity(): string {
  return `Several failures are all listed, and the most severe decides the exit code: ${exitCodesBySeverity().join(', ')}.`;
}

function settings(): string {
  const nowhere = { config: '', data: '', cache: '' };
  const file = { path: '', values: {}, profiles: new Map<string, Record<string, unknown>>() };
  const defaults = resolveSettings({ flags: {}, env: {}, cwd: '', directories: nowhere, file });
  return SETTING_KEYS.map((key) => {
    const { value } = defaults[key];
    const shown = value === undefined || key === 'data_dir' ? '' : ` (default: ${value})`;
    return `- \`${key}\`: ${KEYS[key].meaning}${shown}`;
  }).join('\n');
}
