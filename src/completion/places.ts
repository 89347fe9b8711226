// What may be typed at each place of a command line, from the command list.
import type { CommandOption, CommandSpec } from '../command-list/command-spec.ts';
import { GLOBAL_OPTIONS } from '../command-list/global-options.ts';
import { HELP_COMMAND } from '../command-list/help-command.ts';
import { COMMAND_LIST, NOUNS } from '../command-list/index.ts';

/** What may be typed at a place: nothing, free text, a path, or one of these words. */
export type Expected = 'nothing' | 'text' | 'file' | 'dir' | readonly string[];
export type Flag = { names: string[]; description: string; value: Expected };
export type Place = { words: string; summary: string; flags: Flag[]; rest: Expected };
export type Entry = [word: string, summary: string];

export const PLACES: Place[] = [...COMMAND_LIST, HELP_COMMAND].map(placeOf);
export const GLOBALS: Flag[] = [
  ...GLOBAL_OPTIONS,
  ['-h, --help', 'show help'] as const,
  ['-V, --version', 'show the version'] as const,
].map(flagOf);
export const NOUN_WORDS = Object.keys(NOUNS);
/** Names of the options that are followed by a value, in any command. */
export const VALUED = [
  ...new Set(
    namesOf([...GLOBALS, ...PLACES.flatMap(({ flags }) => flags)].filter(({ value }) => value !== 'nothing')),
  ),
];

function flagOf([syntax, description, choices]: CommandOption): Flag {
  return {
    names: syntax.split(/[ ,]+/).filter((part) => part.startsWith('-')),
    description,
    value: expected(/<(\w+)/.exec(syntax)?.[1], choices),
  };
}

function placeOf({ words, summary, options = [], arguments: given = [] }: CommandSpec): Place {
  const [syntax = '', , proposals] = given[0] ?? [];
  return {
    words,
    summary,
    flags: options.map(flagOf),
    rest: expected(/\w+/.exec(syntax)?.[0], proposals),
  };
}

/** `name` is the word in the brackets of commander's syntax. */
function expected(name: string | undefined, choices: readonly string[] | undefined): Expected {
  if (choices !== undefined) return choices;
  if (name === undefined) return 'nothing';
  return name === 'dir' ? 'dir' : name === 'file' || name === 'paths' ? 'file' : 'text';
}

export function namesOf(flags: readonly Flag[]): string[] {
  return flags.flatMap(({ names }) => names);
}

/** What may follow these words: first words after none, second words after a noun. */
export function entriesAfter(noun: string): Entry[] {
  if (noun === '') {
    const single = PLACES.filter(({ words }) => !words.includes(' '));
    return [...Object.entries(NOUNS), ...single.map(({ words, summary }): Entry => [words, summary])];
  }
  return PLACES.filter(({ words }) => words.startsWith(`${noun} `)).map(({ words, summary }) => [
    words.slice(noun.length + 1),
    summary,
  ]);
}

export const wordsAfter = (noun: string): string[] => entriesAfter(noun).map(([word]) => word);
export const lines = (parts: readonly string[]): string => parts.join('\n');
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
