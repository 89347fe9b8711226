// Whether the write-ahead log beside a SQLite file is its own, or a journal. SQLite does not ask: it writes the log of another database,
// or of an older or newer state of this one, into the file, also where it is opened only to read.
//
// `user_version`, a number in the first page, begins at random, and each transaction adds one. So in the log that begins with n, all was
// written for a file with n - 1, and the file has that number or one of the log, from which pages were moved into it already.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { sizeOf } from '../archive-folder.ts';
import { UnusableArchive } from '../sql/unusable-archive.ts';

type Handle = Pick<InstanceType<typeof DatabaseSync>, 'exec' | 'prepare'>;

/** Sets the number of a new database, before its journal becomes a log. Does nothing where another process was faster. */
export function beginNumbers(handle: Handle): void {
  handle.exec('BEGIN IMMEDIATE');
  const { pages, n } = handle
    .prepare('SELECT page_count AS pages, random() & 1073741823 AS n FROM pragma_page_count')
    .get() as { pages: number; n: number };
  handle.exec(`${pages === 0 ? `PRAGMA user_version = ${n}; ` : ''}COMMIT`);
}

/** Returns what counts a transaction that changed anything, to be called before its COMMIT. `prepare` keeps the statements. */
export function transactionCounter(exec: Handle['exec'], prepare: Handle['prepare']): () => void {
  let counted = 0;
  return () => {
    const { n } = prepare('SELECT total_changes() AS n').get() as { n: number };
    if (n === counted) return;
    counted = n;
    const { user_version: last } = prepare('PRAGMA user_version').get() as { user_version: number };
    exec(`PRAGMA user_version = ${(last + 1) | 0}`);
  };
}

/** Gives the copy of a database four random bytes as its number: no log of the original is its own. */
export function renumberCopy(path: string, number: Uint8Array): void {
  const file = openSync(path, 'r+');
  try {
    writeSync(file, number, 0, NUMBER_BYTES, NUMBER_AT);
  } finally {
    closeSync(file);
  }
}

/**
 * Throws {@link UnusableArchive} where a log or journal beside a database is that of another one, or of another state of this one. Call it
 * before SQLite opens the file.
 */
export function refuseForeignLog(path: string): void {
  // A new archive has a journal while it has one page. From then on it has a log.
  if (sizeOf(`${path}-journal`) > 0 && sizeOf(path) > PAGE_BYTES) throw foreign(`${path}-journal`);
  let before: string | undefined;
  for (let reading = 0; reading < MAX_READINGS; reading += 1) {
    const found = readPair(path);
    if (found === undefined || isPair(found)) return;
    const now = `${found.number} ${found.log}`;
    if (now === before) break;
    before = now;
  }
  throw foreign(`${path}-wal`);
}

function foreign(path: string): UnusableArchive {
  const name = basename(path);
  return new UnusableArchive(
    `${name} does not belong to archive.db: one of them was replaced, and opened together they would destroy the archive`,
    {
      isDamaged: true,
      hint: `if archive.db is the right one, move ${name} away; arx help maintenance`,
    },
  );
}

/** A process that writes may move pages of its log into the file after the file was read here, and before the log is. */
const MAX_READINGS = 10;

const PAGE_BYTES = 4096;

/** Of the file formats of SQLite ("Database File Format"). */
const NUMBER_AT = 60;
const NUMBER_BYTES = 4;
const MIN_PAGE_BYTES = 512;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The last bit says in which order the bytes of checksums are read. */
const LOG_MAGIC = 0x377f0682;

/** The number of the file, that of the file for which the log was begun, the last one in the log, and what tells this log from others. */
type Pair = { number: number; base: number; last: number; log: string };

function isPair({ number, base, last }: Pair): boolean {
  // After the largest number comes the smallest.
  return (number - base) >>> 0 <= (last - base) >>> 0;
}

/**
 * Returns undefined where the log has nothing to write into the file, or no number, since an older arx wrote it; and for an empty file,
 * whose log SQLite removes.
 */
function readPair(path: string): Pair | undefined {
  const bytes = sizeOf(`${path}-wal`);
  const file = bytes > LOG_HEADER_BYTES ? openIfExists(`${path}-wal`) : undefined;
  if (file === undefined) return undefined;
  try {
    const read = (position: number, length: number): Buffer => {
      const buffer = Buffer.alloc(length);
      readSync(file, buffer, 0, length, position);
      return buffer;
    };
    const header = read(0, LOG_HEADER_BYTES);
    const pageBytes = header.readUInt32BE(8);
    const isLog = header.readUInt32BE() >>> 1 === LOG_MAGIC >>> 1 && pageBytes >= MIN_PAGE_BYTES;
    if (!isLog || sizeOf(path) === 0) return undefined;
    const log = header.toString('hex', 16, 24);
    const frameBytes = FRAME_HEADER_BYTES + pageBytes;
    const frame = (n: number) => {
      const at = LOG_HEADER_BYTES + n * frameBytes;
      const head = read(at, FRAME_HEADER_BYTES);
      const page = head.readUInt32BE();
      return {
        // Behind the last frame of a log may be those of an earlier one.
        isOfLog: page > 0 && head.toString('hex', 8, 16) === log,
        isCommit: head.readUInt32BE(4) > 0,
        number: () =>
          page === 1 ? read(at + FRAME_HEADER_BYTES + NUMBER_AT, NUMBER_BYTES).readInt32BE() : undefined,
      };
    };
    const count = firstWithout(Math.floor((bytes - LOG_HEADER_BYTES) / frameBytes), (n) => frame(n).isOfLog);
    let first: number | undefined;
    let at = 0;
    // A long transaction may write the page more than once, and one that was not committed counts as little as for SQLite.
    for (let isCommitted = false; !(isCommitted && first !== undefined); at += 1) {
      if (at === count) return undefined;
      const { number, isCommit } = frame(at);
      first = number() ?? first;
      isCommitted = isCommit;
    }
    let last: number | undefined;
    for (let n = count - 1; last === undefined; n -= 1) last = frame(n).number();
    return { number: numberInFile(path), base: first - 1, last, log };
  } finally {
    closeSync(file);
  }
}

/** The process that wrote the log may remove it at any moment. */
function openIfExists(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads by SQLite: to close a file that SQLite has open in this process would release the locks of SQLite. */
function numberInFile(path: string): number {
  const handle = new DatabaseSync(immutableAddress(path), { readOnly: true });
  try {
    return (handle.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  } finally {
    handle.close();
  }
}

/** The address of a file that is read without its log and without locks. */
export function immutableAddress(path: string): string {
  const address = pathToFileURL(path);
  address.search = 'immutable=1';
  return address.href;
}

/** Returns the first of `count` numbers for which `is` is false, or `count`. After it, it is false for all. */
function firstWithout(count: number, is: (n: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (is(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
