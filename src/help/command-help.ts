// The help of a command or of a group of commands: what it does, examples, arguments, options, and where to read on.
import type { Command, Help } from 'commander';
import type { HelpTopic } from '../command-list/help-topics.ts';
import { indented, MAX_COLUMNS } from './plain-text.ts';

/** What the help of a command says besides what commander knows. */
export type HelpDetails = { readonly examples: readonly string[]; readonly topics?: readonly HelpTopic[] };

/** Below this width of descriptions, each stands below its term. */
const MIN_DESCRIPTION_COLUMNS = 30;

/** Returns the help of `command` as text of at most 80 columns, less on a narrow terminal; only examples may be longer. */
export function commandHelp(command: Command, helper: Help, { examples, topics = [] }: HelpDetails): string {
  const columns = Math.min(helper.helpWidth ?? MAX_COLUMNS, MAX_COLUMNS);
  helper.helpWidth = columns;
  helper.minWidthToWrap = MIN_DESCRIPTION_COLUMNS;
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
    ...indented(sentence(helper.commandDescription(command)), '', '', columns),
    '',
    'Examples:',
    ...examples.map((line) => `  ${line}`),
    '',
    ...indented(`Usage: ${helper.commandUsage(command)}`, '', '  ', columns),
    ...section('Arguments', args, helper),
    ...section('Options', options, helper),
    ...section('Commands', subcommands, helper),
    '',
    ...indented('Options of every command: arx help options', '', '  ', columns),
    ...(topics.length === 0
      ? []
      : indented(`More: ${topics.map((topic) => `arx help ${topic}`).join(', ')}`, '', '  ', columns)),
    '',
  ].join('\n');
}

/** A term and its description. */
type Item = readonly [term: string, description: string];

/** Blanks before a term, and between the term and its description, as commander has them. */
const GAPS = 4;
const INDENT = '  ';
/** Before a description below its term. */
const BELOW = '      ';

function section(title: string, items: readonly Item[], helper: Help): string[] {
  if (items.length === 0) return [];
  const widest = Math.max(...items.map(([term]) => term.length));
  const columns = helper.helpWidth ?? MAX_COLUMNS;
  const isNarrow = columns - widest - GAPS < MIN_DESCRIPTION_COLUMNS;
  const lines = items.flatMap(([term, text]) =>
    isNarrow
      ? [INDENT + term, ...indented(text, BELOW, BELOW, columns)]
      : helper.formatItem(term, widest, text, helper),
  );
  return ['', `${title}:`, ...lines];
}

/** Returns the summary of a command as a sentence. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
