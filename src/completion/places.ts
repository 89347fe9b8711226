// What may be typed at each place of a command line, from the command list.
import type { CommandOption, CommandSpec } from '../command-list/command-spec.ts';
import { GLOBAL_OPTIONS } from '../command-list/global-options.ts';
import { HELP_COMMAND } from '../command-list/help-command.ts';
import { HELP_TOPICS } from '../command-list/help-topics.ts';
import { COMMAND_LIST, NOUNS } from '../command-list/index.ts';
import {
  FILE_MEANINGS,
  FOLDER,
  meaningOfOption,
  type FileMeaning,
} from '../command-list/standard-streams.ts';
import { TIERS } from '../contract/tier.ts';
import { kindsOfArgument, kindsOfOption, type ValueKind } from './value-kinds.ts';

/** What may be typed: nothing, free text, a path, one of these words, or values that are found out when they are asked for. */
export type Expected = 'nothing' | 'text' | 'file' | 'dir' | readonly string[] | FoundValues;
/** Values that `arx __complete` finds out. */
export type FoundValues = { kinds: readonly ValueKind[] };
/** An option with all its names. */
export type Flag = { names: string[]; description: string; value: Expected };
/** A command: what may follow its words. */
export type Place = { words: string; summary: string; flags: Flag[]; rest: Expected };
/** A word that may be typed next, with its summary. */
export type Entry = [word: string, summary: string];

/** Every command but `help`, which only words follow. */
export const PLACES: Place[] = COMMAND_LIST.map(placeOf);
/** The global options. */
export const GLOBALS: Flag[] = [
  ...GLOBAL_OPTIONS,
  ['-h, --help', 'show help'] as const,
  ['-V, --version', 'show the version'] as const,
].map((option) => flagOf('', option));
/** What another word follows: `attachments`, and since help explains every command, also `help` and `help attachments`. */
export const PREFIXES = Object.keys(NOUNS).flatMap((noun) => [noun, `${HELP_COMMAND.words} ${noun}`]);
PREFIXES.push(HELP_COMMAND.words);
/** Names of the options that are followed by a value, in any command. */
export const VALUED = [
  ...new Set(
    namesOf([...GLOBALS, ...PLACES.flatMap(({ flags }) => flags)].filter(({ value }) => value !== 'nothing')),
  ),
];

function flagOf(words: string, [syntax, description, choices]: CommandOption): Flag {
  const kinds = kindsOfOption(words, syntax);
  const name = /[<[](\w+)/.exec(syntax)?.[1];
  const values = choices ?? (name === 'tier' ? TIERS : undefined);
  return {
    names: syntax.split(/[ ,]+/).filter((part) => part.startsWith('-')),
    description,
    // A service may have other tiers too, so these are proposals only.
    value: kinds.length > 0 ? { kinds } : expected(name, values, meaningOfOption(syntax)),
  };
}

function placeOf({ words, summary, options = [], arguments: given = [] }: CommandSpec): Place {
  const [syntax = '', , proposals] = given[0] ?? [];
  const kinds = kindsOfArgument(words);
  return {
    words,
    summary,
    flags: options.map((option) => flagOf(words, option)),
    rest:
      kinds.length > 0
        ? { kinds }
        : expected(/\w+/.exec(syntax)?.[0], proposals, FILE_MEANINGS[`${words} ${syntax}`]),
  };
}

/** `name` is the word in the brackets of commander's syntax; `meaning` is that of `-`, which each file and folder has. */
function expected(
  name: string | undefined,
  choices: readonly string[] | undefined,
  meaning: FileMeaning | undefined,
): Expected {
  if (choices !== undefined) return choices;
  if (name === undefined) return 'nothing';
  // The JSON of --payload is a file only after @.
  if (meaning === undefined || name === 'json') return 'text';
  return meaning === FOLDER ? 'dir' : 'file';
}

/** Returns whether values are found out when they are asked for. */
export function isFound(value: Expected): value is FoundValues {
  return typeof value === 'object' && 'kinds' in value;
}

/** Returns the names of options. */
export function namesOf(flags: readonly Flag[]): string[] {
  return flags.flatMap(({ names }) => names);
}

/** Returns what may follow a prefix, or the first words where it is empty. */
export function entriesAfter(prefix: string): Entry[] {
  const { words: help, summary } = HELP_COMMAND;
  if (prefix === '') return [...firstWords(), [help, summary]];
  // A topic may have the name of a command.
  if (prefix === help) return [...new Map([...firstWords(), ...Object.entries(HELP_TOPICS)])];
  const noun = prefix.startsWith(`${help} `) ? prefix.slice(help.length + 1) : prefix;
  return PLACES.filter(({ words }) => words.startsWith(`${noun} `)).map((place) => [
    place.words.slice(noun.length + 1),
    place.summary,
  ]);
}

function firstWords(): Entry[] {
  const single = PLACES.filter(({ words }) => !words.includes(' '));
  return [...Object.entries(NOUNS), ...single.map((place): Entry => [place.words, place.summary])];
}

/** Returns the words that may follow a prefix. */
export const wordsAfter = (prefix: string): string[] => entriesAfter(prefix).map(([word]) => word);
/** Returns lines as one text. */
export const lines = (parts: readonly string[]): string => parts.join('\n');
/** Returns text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
