// The rows of the lists of the explorer. Texts come from the archive as they are; only drawing escapes them.
import type { Attachment } from '../contract/attachment.ts';
import type { FileState } from '../contract/attachment-file.ts';
import type { ShownInstant } from '../format/instants.ts';
import { NO_VALUE } from '../format/views/index.ts';
import { formatBytes } from '../format/numbers.ts';
import type { Place } from './place.ts';

/** An instant as the archive gives it, and as it is shown. */
export type EntryInstant = ShownInstant & { instant: string };

/** A conversation. Fields that the service does not give are ''. */
export type ConversationEntry = {
  kind: 'conversation';
  id: string;
  subject: string;
  messages: string;
  started: EntryInstant;
  last: EntryInstant;
  source: string;
  status: string;
  integrity: number | undefined;
};

/** A message of a thread or of a search. `lead`: the branches of the thread that stand before its subject. */
export type MessageEntry = {
  kind: 'message';
  id: string;
  lead: string;
  from: string;
  date: EntryInstant;
  subject: string;
  /** The subject is another one than that of the message above. */
  isNewSubject: boolean;
  files: string;
  status: string;
  integrity: number | undefined;
  /** The conversation of a message that a search found. */
  conversation?: string | undefined;
  /** The words that a search found. */
  snippet?: string;
  /** The words are in quoted lines, which are shown when the message is opened. */
  isQuoted?: boolean;
};

/** An attachment. `row`: the whole row of the catalogue. */
export type FileEntry = {
  kind: 'file';
  id: string;
  name: string;
  state: FileState;
  reason: string;
  type: string;
  bytes: string;
  city: string;
  row: Attachment;
};

/** The files of one city or type. `value` is null for those that have none. */
export type GroupEntry = {
  kind: 'group';
  by: 'city' | 'type';
  id: string;
  value: string | null;
  files: number;
  withheld: number;
  absent: number;
  /** Of the files whose size is known; undefined where none is. */
  bytes: number | undefined;
};

/** A part of the archive. `count`: how many rows it has, undefined where that is not known. */
export type SectionEntry = {
  kind: 'section';
  id: string;
  label: string;
  count: number | undefined;
  opens: Place;
};

/** A line above other entries, which cannot be chosen. */
export type HeadingEntry = { kind: 'heading'; id: string; label: string };

/** A row of a list. */
export type Entry = ConversationEntry | MessageEntry | FileEntry | GroupEntry | SectionEntry | HeadingEntry;

/** Returns what an entry leads to, if it leads somewhere. */
export function placeOf(entry: Entry): Place | undefined {
  switch (entry.kind) {
    case 'conversation':
      return { kind: 'thread', id: entry.id };
    case 'message':
      return { kind: 'message', id: entry.id, ...(entry.isQuoted === true ? { quotes: true } : {}) };
    case 'file':
      return { kind: 'file', id: entry.id };
    case 'section':
      return entry.opens;
    case 'group':
      return entry.value === null ? undefined : { kind: 'files', [entry.by]: entry.value };
    default:
      return undefined;
  }
}

/** Returns the size of the files of a group, empty where no size is known. */
export function sizeText({ bytes }: Pick<GroupEntry, 'bytes'>): string {
  return bytes === undefined ? '' : formatBytes(bytes);
}

const TEXTS = new WeakMap<Entry, string>();

/** Returns the text that a filter looks into, in lower case. */
export function searchedText(entry: Entry): string {
  let text = TEXTS.get(entry);
  if (text === undefined) {
    text = textsOf(entry).join('\n').toLowerCase();
    TEXTS.set(entry, text);
  }
  return text;
}

function textsOf(entry: Entry): string[] {
  switch (entry.kind) {
    case 'conversation':
      return [entry.id, entry.subject, entry.started.text, entry.last.text, entry.source, entry.status];
    case 'message':
      return [entry.id, entry.from, entry.subject, entry.date.text, entry.status, entry.snippet ?? ''];
    case 'file':
      return [entry.id, entry.name, entry.state, entry.reason, entry.type, entry.city];
    case 'group':
      return [entry.value ?? NO_VALUE, sizeText(entry)];
    case 'section':
      return [entry.label];
    default:
      return [];
  }
}
