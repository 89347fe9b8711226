// The help of a command or of a group of commands: what it does, examples, arguments, options, and where to read on.
import type { Command, Help } from 'commander';
import type { HelpTopic } from '../command-list/help-topics.ts';
import { MAX_COLUMNS } from './plain-text.ts';

/** What the help of a command says besides what commander knows. */
export type HelpDetails = { readonly examples: readonly string[]; readonly topics?: readonly HelpTopic[] };

/** Returns the help of `command` as text of at most 80 columns; only examples may be longer. */
export function commandHelp(command: Command, helper: Help, { examples, topics = [] }: HelpDetails): string {
  helper.helpWidth = Math.min(helper.helpWidth ?? MAX_COLUMNS, MAX_COLUMNS);
  const args = helper
    .visibleArguments(command)
    .map((argument): Item => [helper.argumentTerm(argument), helper.argumentDescription(argument)]);
  const options = helper
    .visibleOptions(command)
    .filter((option) => option.long !== '--help')
    .map((option): Item => [helper.optionTerm(option), helper.optionDescription(option)]);
  const subcommands = helper
    .visibleCommands(command)
    .map((child): Item => [child.name(), helper.subcommandDescription(child)]);
  return [
    ...helper.boxWrap(sentence(helper.commandDescription(command)), MAX_COLUMNS).split('\n'),
    '',
    'Examples:',
    ...examples.map((line) => `  ${line}`),
    '',
    `Usage: ${helper.commandUsage(command)}`,
    ...section('Arguments', args, helper),
    ...section('Options', options, helper),
    ...section('Commands', subcommands, helper),
    '',
    'Options of every command: arx help options',
    ...(topics.length === 0 ? [] : [`More: ${topics.map((topic) => `arx help ${topic}`).join(', ')}`]),
    '',
  ].join('\n');
}

/** A term and its description. */
type Item = readonly [term: string, description: string];

function section(title: string, items: readonly Item[], helper: Help): string[] {
  if (items.length === 0) return [];
  const widest = Math.max(...items.map(([term]) => term.length));
  return ['', `${title}:`, ...items.map((item) => helper.formatItem(item[0], widest, item[1], helper))];
}

/** Returns the summary of a command as a sentence. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
