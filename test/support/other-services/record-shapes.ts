// How the records of other services are written: names and types of their fields.
import type { Letter, SequenceEntry, StoredFile, Thread } from './archive.ts';

/** A record as JSON. */
export type WireRow = Record<string, unknown>;

/** Writes each kind of record. `id` of a written row is also its cursor. */
export type RecordShape = {
  thread(thread: Thread, at: number): WireRow;
  letter(letter: Letter, at: number): WireRow;
  file(file: StoredFile, url: string | null): WireRow;
  entry(entry: SequenceEntry): WireRow;
  /** The id of a conversation or an attachment as text, as cursors and paths have it. */
  idOf(record: { id: string; number: number }): string;
  /** The field that holds the id of a row. */
  idField: string;
};

const iso = (ms: number): string => new Date(ms).toISOString();

/** Fields as the interface spells them; `subject` for conversations. */
export const plainRecords: RecordShape = {
  thread: ({ id, title, startedAt, lastAt, messageCount }) => ({
    id,
    subject: title,
    status: 'stable',
    message_count: messageCount,
    started_at: iso(startedAt),
    last_at: iso(lastAt),
  }),
  letter: ({ id, threadId, author, title, sentAt, fileIds }) => ({
    id,
    conversation_id: threadId,
    from: author,
    subject: title,
    date: iso(sentAt),
    attachments: fileIds.length,
  }),
  file: (file, url) => ({
    id: file.id,
    filename: file.filename,
    file_url: url,
    sha256: file.sha256,
    redacted: file.isWithheld,
    decorative_layer: file.isDecoration,
    first_visible: file.isFirstVisible,
    // On a redacted row these can be absent (interface 2.1).
    ...(file.isWithheld
      ? { origin_city: file.city }
      : { content_type: file.contentType, origin_city: file.city, source: file.source }),
  }),
  entry: ({ entry, place, source, status }) => ({ id: entry, sequence: place, source, status }),
  idOf: ({ id }) => id,
  idField: 'id',
};

/** Also numbers the rows without gaps. Files name their messages. */
export const numberedRecords: RecordShape = {
  ...plainRecords,
  thread: (thread, at) => ({ ...plainRecords.thread(thread, at), sequence: at + 1 }),
  letter: (letter, at) => ({ ...plainRecords.letter(letter, at), sequence: at + 1 }),
  file: (file, url) => ({ ...plainRecords.file(file, url), message_id: file.letterId }),
};

/** `title` in place of `subject`, no count of messages, and participants as objects. */
export const titledRecords: RecordShape = {
  ...plainRecords,
  thread: ({ id, title, startedAt }) => ({
    id,
    title,
    participants: [{ name: 'ana' }, { name: 'bo' }],
    created_at: iso(startedAt),
  }),
  letter: ({ id, threadId, author, title, body, sentAt }) => ({
    id,
    conversation_id: threadId,
    author: { address: author },
    title,
    excerpt: body.slice(0, 20),
    created_at: iso(sentAt),
  }),
};

/** camelCase, ids as numbers, dates in milliseconds, other numbers as text. */
export const camelRecords: RecordShape = {
  ...plainRecords,
  thread: ({ number, title, startedAt, lastAt, messageCount }) => ({
    id: number,
    subject: title,
    messageCount: String(messageCount),
    startedAt,
    lastAt,
  }),
  letter: ({ id, threadNumber, author, title, sentAt }) => ({
    id,
    conversationId: threadNumber,
    from: author,
    subject: title,
    sentAt,
  }),
  file: (file, url) => ({
    id: file.number,
    filename: file.filename,
    fileUrl: url,
    sha256: file.sha256.toUpperCase(),
    contentType: file.contentType,
    redacted: file.isWithheld,
    decorativeLayer: file.isDecoration,
    firstVisible: file.isFirstVisible,
    originCity: file.city,
    source: file.source,
    bytes: String(file.bytes.length),
    messageId: file.letterId,
  }),
  entry: ({ entry, place, source, status }) => ({ entry, sequence: String(place), source, status }),
  idOf: ({ number }) => String(number),
};

/** PascalCase, flags and numbers as text. */
export const pascalRecords: RecordShape = {
  ...plainRecords,
  thread: (thread, at) => pascal(plainRecords.thread(thread, at)),
  letter: (letter, at) => pascal(plainRecords.letter(letter, at)),
  file: (file, url) => pascal(plainRecords.file(file, url)),
  entry: (entry) => pascal(plainRecords.entry(entry)),
  idField: 'Id',
};

/** Returns a record with names in PascalCase, flags as `True` and `False`, and numbers as text. */
export function pascal(row: WireRow): WireRow {
  const named = (name: string): string =>
    name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const written = (value: unknown): unknown =>
    typeof value === 'boolean'
      ? value
        ? 'True'
        : 'False'
      : typeof value === 'number'
        ? String(value)
        : value;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [named(name), written(value)]));
}

/** Ids as numbers, the count of messages as text, dates in seconds. */
export const numericRecords: RecordShape = {
  ...plainRecords,
  thread: ({ number, title, startedAt, lastAt, messageCount }) => ({
    id: number,
    subject: title,
    message_count: String(messageCount),
    started_at: startedAt / 1000,
    last_at: lastAt / 1000,
  }),
  letter: (letter, at) => ({
    ...plainRecords.letter(letter, at),
    conversation_id: letter.threadNumber,
    date: letter.sentAt / 1000,
  }),
  file: (file, url) => ({
    ...plainRecords.file(file, url),
    id: file.number,
    bytes: String(file.bytes.length),
  }),
  idOf: ({ number }) => String(number),
};

/** The id under another name. */
export const renamedIds = (idField: string): RecordShape => {
  const renamed = ({ id, ...rest }: WireRow): WireRow => ({ [idField]: id, ...rest });
  return {
    ...plainRecords,
    thread: (thread, at) => renamed(plainRecords.thread(thread, at)),
    letter: (letter, at) => renamed(plainRecords.letter(letter, at)),
    file: (file, url) => renamed(plainRecords.file(file, url)),
    entry: (entry) => renamed(plainRecords.entry(entry)),
    idField,
  };
};

/** Here and there an optional field of a type that nobody expects. */
export const oddRecords: RecordShape = {
  ...plainRecords,
  thread: (thread, at) => ({
    ...plainRecords.thread(thread, at),
    ...pickOdd(at, [
      { message_count: 'several' },
      { started_at: { year: 2019 } },
      { status: 4 },
      { subject: ['About', thread.title] },
      { integrity: 'high' },
    ]),
  }),
  letter: (letter, at) => ({
    ...plainRecords.letter(letter, at),
    ...pickOdd(at, [
      { attachments: letter.fileIds.map((id) => ({ id })) },
      { date: false },
      { from: { name: letter.author } },
      { parent_id: 17 },
      { sequence: 'third' },
    ]),
  }),
  file: (file, url) => ({
    ...plainRecords.file(file, url),
    ...pickOdd(file.number, [
      { source: { kind: file.source } },
      { bytes: 'unknown' },
      { integrity: -1 },
      { detected_type: null },
      { message_id: 12 },
    ]),
  }),
  entry: (entry) => ({
    ...plainRecords.entry(entry),
    ...pickOdd(entry.place, [{ status: 7 }, { source: null }, { integrity: 'none' }]),
  }),
};

/** Returns one of these fields for every third row, none for the others. */
function pickOdd(at: number, odd: readonly WireRow[]): WireRow {
  return at % 3 === 1 ? (odd[Math.floor(at / 3) % odd.length] ?? {}) : {};
}
