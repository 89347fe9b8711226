// The state of the explorer: a stack of screens, and what lies over the last one.
import type { ProgressRecord } from '../contract/reports/command.ts';
import type { Style } from '../format/terminal/styled-line.ts';
import type { Chunk, Document, Ended } from './archive.ts';
import { searchedText, type Entry } from './entry.ts';
import type { Key } from './key-parser.ts';
import type { Place } from './place.ts';

/** Something that was said. */
export type Notice = {
  text: string;
  style: Style;
  /** How a command ended: what stands in full in place of `text`. */
  result?: Result;
};

/** How a command ended. `words` stand after `arx`; `output` is all that it printed. */
type Result = { words: readonly string[]; exit: number; output: string };

/** How far a screen is read. `paused`: more rows follow, which nobody has asked for yet. */
export type Reading = 'reading' | 'paused' | 'whole' | 'failed';

/** How conversations are ordered: as the archive lists them, by their last message, or by their number of messages. */
export type Order = 'archive' | 'newest' | 'longest';

/** One place on the screen. A list has `entries`, a text has `document`. */
export type Screen = {
  /** Names the screen in events and effects. */
  number: number;
  place: Place;
  title: string | undefined;
  entries: readonly Entry[];
  document: Document | undefined;
  reading: Reading;
  next: string | undefined;
  total: number | undefined;
  /** How much of the next part is read. */
  progress: string | undefined;
  doubts: readonly string[];
  /** Why reading failed. */
  failure: string | undefined;
  /** The chosen row among the shown ones. */
  cursor: number;
  /** The first row or line on the screen. */
  top: number;
  /** Only entries with this text are shown; in a document it is marked. */
  filter: string;
  order: Order;
  /** Indexes of the entries that match the filter, in this order; undefined where all are shown in the order of the archive. */
  matches: readonly number[] | undefined;
  /** The end of the list was asked for: reading goes on until it is there. */
  isToEnd: boolean;
};

/** A line that is being typed. `text` is what was typed so far. */
export type Prompt =
  | { kind: 'filter'; text: string; before: string }
  | { kind: 'search'; text: string }
  /** `words`: the command without its folder and the ids of files. `ids`: these, where they are known. `what`: how many files. */
  | { kind: 'pull'; text: string; words: readonly string[]; ids: readonly string[]; what: string };

/** Whether the bytes of a file have the hash that the archive gives. `failed` has the reason. */
export type Check = { state: 'checking' | 'verified' } | { state: 'failed'; text: string };

/** All that is known at one moment. */
export type State = {
  columns: number;
  rows: number;
  /** The time zone of dates in messages; undefined: that of this machine. */
  timeZone: string | undefined;
  /** Box and block characters may be used. */
  unicode: boolean;
  /** The folder that commands run in. */
  folder: string;
  /** The home folder of the user, '' where it is unknown. */
  home: string;
  /** The last one is shown. There is always one. */
  screens: readonly Screen[];
  /** The number of the next screen or job. */
  nextNumber: number;
  prompt: Prompt | undefined;
  /** What is shown in place of the screen, from its line `top` on: the keys, or what was said. */
  overlay: { kind: 'help' | 'notices'; top: number } | undefined;
  /** Long quotations are folded. */
  isFolded: boolean;
  /** What the last line says. */
  notice: Notice | undefined;
  /** What was said, the last one last. */
  notices: readonly Notice[];
  /** How many results of commands were not looked at. */
  unread: number;
  /** The last key would have quit, had no command been running. */
  isLeaving: boolean;
  /** The checks of attachments, by id. */
  checks: ReadonlyMap<string, Check>;
  /** Commands that run in the background, by number: what each is called. */
  jobs: ReadonlyMap<number, Job>;
};

/** A command that runs in the background, and how far it is where that is known. */
export type Job = {
  kind: 'verify' | 'pull' | 'open';
  words: readonly string[];
  ids: readonly string[];
  progress?: ProgressRecord;
};

/** Something that happened. */
export type Event =
  | { kind: 'key'; key: Key }
  | { kind: 'resize'; columns: number; rows: number }
  | { kind: 'chunk'; screen: number; chunk: Chunk }
  | { kind: 'progress'; screen: number; text: string; entries?: readonly Entry[] | undefined }
  /** `class`: the kind of the Fault, where it is one. */
  | { kind: 'failed'; screen: number; text: string; class?: string | undefined }
  | { kind: 'jobProgress'; job: number; progress: ProgressRecord }
  | ({ kind: 'ended'; job: number } & Ended);

/** Something to do. */
export type Effect =
  /** Read a screen, from `from` on. */
  | { kind: 'read'; screen: number; place: Place; from: string | undefined }
  /** Stop the request of a screen. `isForGood`: the screen is gone. */
  | { kind: 'cancel'; screen: number; isForGood: boolean }
  /** `hasReport`: the command prints a report, which is kept. */
  | { kind: 'run'; job: number; words: readonly string[]; hasReport: boolean }
  /** Copy the command line of these words. `filter`: the filter of the screen, which the command has no option for. */
  | { kind: 'copy'; words: readonly string[]; filter?: string }
  | { kind: 'mouse' }
  | { kind: 'suspend' }
  | { kind: 'redraw' }
  | { kind: 'quit' };

/** A state, and what it wants done. */
export type Step = { state: State; effects: readonly Effect[] };

/** Returns the screen that is shown. */
export function shownScreen({ screens }: State): Screen {
  return screens.at(-1)!;
}

/** Returns the indexes of the entries that a screen shows; the entries themselves without a filter. */
export function shownCount({ entries, matches }: Screen): number {
  return matches?.length ?? entries.length;
}

/** Returns the entry at a place among the shown ones. */
export function entryAt({ entries, matches }: Screen, index: number): Entry | undefined {
  return entries[matches === undefined ? index : (matches[index] ?? -1)];
}

/** Returns the chosen entry; a heading is none. */
export function chosenEntry(screen: Screen): Exclude<Entry, { kind: 'heading' }> | undefined {
  const entry = entryAt(screen, screen.cursor);
  return entry === undefined || entry.kind === 'heading' ? undefined : entry;
}

/**
 * Returns what {@link Screen.matches} is for these entries. `known`: the matches of a text that the filter contains, or of the
 * entries before `from`, so that not all entries need be looked at.
 */
export function matchesOf(
  entries: readonly Entry[],
  { filter, order }: Pick<Screen, 'filter' | 'order'>,
  known: { among: readonly number[] } | { from: number; before: readonly number[] } = { from: 0, before: [] },
): readonly number[] | undefined {
  if (filter === '' && order === 'archive') return undefined;
  const wanted = filter.toLowerCase();
  const matches = (index: number): boolean => {
    const entry = entries[index]!;
    return entry.kind !== 'heading' && searchedText(entry).includes(wanted);
  };
  if ('among' in known) return known.among.filter(matches);
  const found = [...known.before];
  for (let index = known.from; index < entries.length; index += 1) if (matches(index)) found.push(index);
  return order === 'archive' ? found : sorted(found, entries, order);
}

function sorted(indexes: readonly number[], entries: readonly Entry[], order: Order): number[] {
  const key = (index: number): string | number => {
    const entry = entries[index]!;
    if (entry.kind !== 'conversation') return 0;
    return order === 'newest' ? entry.last.instant : Number(entry.messages);
  };
  const keys = new Map(indexes.map((index) => [index, key(index)]));
  return indexes.toSorted((a, b) => {
    const [one, other] = [keys.get(a)!, keys.get(b)!];
    return one === other ? a - b : one < other ? 1 : -1;
  });
}

/** Returns a screen that nothing is read of yet. */
export function newScreen(number: number, place: Place): Screen {
  return {
    number,
    place,
    title: undefined,
    entries: [],
    document: undefined,
    reading: 'reading',
    next: undefined,
    total: undefined,
    progress: undefined,
    doubts: [],
    failure: undefined,
    cursor: 0,
    top: 0,
    filter: '',
    order: 'archive',
    matches: undefined,
    isToEnd: false,
  };
}
