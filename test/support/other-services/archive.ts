// The records of the other archive service: made once, always the same, never changed.
import { createHash } from 'node:crypto';

/** A conversation as the archive has it; a variant decides how its fields are named on the wire. */
export type Thread = {
  id: string;
  number: number;
  title: string;
  startedAt: number;
  lastAt: number;
  messageCount: number;
};
/** A message. Its id has the form `msg_<number>`. */
export type Letter = {
  id: string;
  number: number;
  threadId: string;
  threadNumber: number;
  isFirst: boolean;
  author: string;
  title: string;
  body: string;
  sentAt: number;
  fileIds: string[];
};
/** An attachment with its bytes. */
export type StoredFile = {
  id: string;
  number: number;
  filename: string;
  bytes: Buffer;
  sha256: string;
  contentType: string;
  city: string;
  source: string;
  isWithheld: boolean;
  isDecoration: boolean;
  isFirstVisible: boolean;
  letterId: string;
};
/** One entry of a sequence. `place` is the reported position. */
export type SequenceEntry = { entry: string; place: number; source: string; status: string };
/** All records, each list in its true order, oldest first. */
export type OtherArchive = {
  threads: Thread[];
  letters: Letter[];
  files: StoredFile[];
  sequences: ReadonlyMap<string, SequenceEntry[]>;
};

const CITIES = ['lisbon', 'porto', 'oslo', 'trieste', 'cork'] as const;
const SOURCES = ['external', 'gateway', 'local'] as const;
const STATUSES = ['stable', 'partial', 'unverified'] as const;
const TYPES = ['text/plain', 'application/octet-stream', 'text/csv'] as const;
const NOUNS = ['lamps', 'ledger', 'glass', 'harbour', 'signal', 'tide', 'index', 'plates', 'stairs'] as const;
const FIRST_DAY = Date.UTC(2019, 4, 6, 7, 8, 9);
const HOUR = 3_600_000;
const FILE_COUNT = 120;

const pick = <T>(list: readonly T[], at: number): T => list[at % list.length]!;

/** Returns the archive. `letters`: messages of a conversation; `one` gives each conversation exactly one. */
export function makeArchive({
  threadCount = 300,
  letters: kind = 'several',
}: { threadCount?: number; letters?: 'one' | 'several' } = {}): OtherArchive {
  const threads = Array.from({ length: threadCount }, (_, at): Thread => {
    // Ids in no order that sorting could find; 7,919 and 90,001 are primes.
    const number = 10_007 + ((at * 7_919) % 90_001);
    const startedAt = FIRST_DAY + at * 5 * HOUR;
    const messageCount = kind === 'one' ? 1 : 1 + ((at * 5) % 4);
    const title = `About the ${pick(NOUNS, at)} no. ${at + 1}`;
    const lastAt = startedAt + (messageCount - 1) * 31 * HOUR;
    return { id: `th-${number.toString(36)}`, number, title, startedAt, lastAt, messageCount };
  });
  const letters = threads
    .flatMap((thread) =>
      Array.from({ length: thread.messageCount }, (_, index) => ({
        thread,
        index,
        sentAt: thread.startedAt + index * 31 * HOUR,
      })),
    )
    .sort((a, b) => a.sentAt - b.sentAt || a.index - b.index)
    .map(({ thread, index, sentAt }, at): Letter => ({
      id: `msg_${at + 1}`,
      number: at + 1,
      threadId: thread.id,
      threadNumber: thread.number,
      isFirst: index === 0,
      // Every third letter has a file: not all of them are of one author.
      author: `${pick(['ana', 'bo', 'cyd'], at + Math.floor(at / 3))}@post.example`,
      title: index === 0 ? thread.title : `Re: ${thread.title}`,
      body: `Letter ${at + 1}: the ${pick(NOUNS, at * 3)} are where we left them.\n`,
      sentAt,
      fileIds: [],
    }));
  const files = Array.from({ length: FILE_COUNT }, (_, at): StoredFile => {
    const letter = pick(letters, at * 3);
    const number = 501 + ((at * 613) % 4_001);
    const bytes = Buffer.from(`file ${at}\n${pick(NOUNS, at)} `.repeat(1 + ((at * 37) % 90)));
    const city = pick(CITIES, at * 7 + Math.floor(at / 9));
    const id = `fl-${number.toString(36)}`;
    letter.fileIds.push(id);
    return {
      id,
      number,
      filename: `${city}-${at}.${pick(['txt', 'bin', 'csv'], at)}`,
      bytes,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      contentType: pick(TYPES, at),
      city,
      source: pick(SOURCES, at),
      isWithheld: at % 11 === 4,
      isDecoration: at % 6 === 5,
      isFirstVisible: at % 13 === 0,
      letterId: letter.id,
    };
  });
  const sequences = new Map([
    ['arc_reconstruction', sequenceOf(150)],
    ['mirror_relay', sequenceOf(40)],
  ]);
  return { threads, letters, files, sequences };
}

/** Returns entries of which every ninth reports a place that is three too high. */
function sequenceOf(count: number): SequenceEntry[] {
  return Array.from({ length: count }, (_, at) => ({
    entry: `entry_${at + 1}`,
    place: at % 9 === 8 ? at + 4 : at + 1,
    source: pick(SOURCES, at),
    status: pick(STATUSES, at),
  }));
}
