// Splits an mbox file of any size into its mails, each with its byte offset.
import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { replaceCr } from '../mail/line-ends.ts';
import type { FileNote, RawMail, RefusedItem } from '../records/import-items.ts';
import {
  CHUNK_BYTES,
  MAX_SEPARATOR_BYTES,
  nextSeparator,
  surveyMbox,
  type MboxDialect,
  type ReadAt,
} from './mbox-separator.ts';

/** A larger mail is refused. A mail is hashed, parsed and stored as a whole, so it must fit into memory. */
export const MAX_MAIL_BYTES = 36 * 1024 * 1024;

/**
 * Reads the mails of an mbox file: mboxo, mboxcl, mboxcl2, mboxrd, or the mbox of Thunderbird. `position` is the byte
 * offset of the separator. The first item says which one it is.
 *
 * A separator line begins with `From ` and precedes a header field; most follow an empty line. {@link surveyMbox} decides for
 * the file as a whole which of these lines separate. If a mail has a Content-Length that ends at a separator or at the
 * end of the file, the lines of its body are not examined. A mail is the bytes between two separators, unchanged. Bytes
 * before the first separator belong to no mail and are reported as skipped.
 *
 * In mboxrd the empty line before a separator and the quoting (`>From `) belong to the format: both are undone, and
 * every line that begins with `From ` separates. A file is mboxrd if its name ends in `.mboxrd` or if it begins with
 * git's `From mboxrd@z`.
 *
 * What is a line is decided for the file as a whole, too: if it has CR and no LF, its lines end with CR, and the mails get LF. A
 * byte order mark before the first line is reported as skipped.
 *
 * Refuses a mail longer than `maxBytes`. Memory is bounded by that limit, not by the file. Takes time linear in the size of
 * the file. Throws the error of the file system, and the reason of the signal when it is aborted.
 */
export async function* readMbox(
  path: string,
  { maxBytes = MAX_MAIL_BYTES, signal }: { maxBytes?: number; signal?: AbortSignal } = {},
): AsyncGenerator<RawMail | RefusedItem | FileNote> {
  const file = await open(path);
  try {
    const readAt: ReadAt = (into, at) => {
      signal?.throwIfAborted();
      return file.read(into, 0, into.length, at);
    };
    yield* readMboxFrom({ path, readAt, size: async () => (await file.stat()).size }, { maxBytes });
  } finally {
    await file.close();
  }
}

/** The bytes of an mbox. `path` is in what is yielded, and its name may say that it is an mboxrd. */
export type MboxSource = { path: string; readAt: ReadAt; size: () => Promise<number> };

/** As {@link readMbox}, from any bytes. `chunkBytes`: how much is read at a time. */
export async function* readMboxFrom(
  { path, readAt, size }: MboxSource,
  { maxBytes = MAX_MAIL_BYTES, chunkBytes = CHUNK_BYTES }: { maxBytes?: number; chunkBytes?: number } = {},
): AsyncGenerator<RawMail | RefusedItem | FileNote> {
  const { readPlain, hasCrEnds } = await plainLines(readAt);
  const { dialect, start } = await surveyMbox(readPlain, await isMboxrdFile(path, readPlain), chunkBytes);
  yield { kind: 'opened', path, format: hasCrEnds ? 'mbox (CR line ends)' : dialect.name };
  const begin = start ?? (await size());
  if (begin > 0) {
    const reason = start === null ? NO_SEPARATOR : 'is before the first separator and belongs to no mail';
    yield { kind: 'skipped', path, position: 0, bytes: begin, reason };
  }
  if (start !== null) yield* splitMails(path, { readAt: readPlain, dialect, start, maxBytes, chunkBytes });
}

/** Returns whether a file has a separator line, so that it can be read as an mbox. Throws the error of the file system. */
export async function hasSeparator(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { start } = await surveyMbox(
      (await plainLines((into, at) => file.read(into, 0, into.length, at))).readPlain,
      false,
    );
    return start !== null;
  } finally {
    await file.close();
  }
}

const [LF, CR] = [0x0a, 0x0d];
const MARK = Buffer.from('\ufeff');

/**
 * Returns how an mbox is read so that its lines end with LF and nothing stands before the first: each byte stays at its place.
 * `hasCrEnds`: the whole file has CR, and no LF. The byte order mark of UTF-8 becomes line breaks.
 */
async function plainLines(readAt: ReadAt): Promise<{ readPlain: ReadAt; hasCrEnds: boolean }> {
  const chunk = Buffer.allocUnsafe(64 * 1024);
  let hasMark = false;
  let hasCr = false;
  let hasLf = false;
  for (let at = 0; !hasLf;) {
    const { bytesRead } = await readAt(chunk, at);
    if (bytesRead === 0) break;
    const bytes = chunk.subarray(0, bytesRead);
    if (at === 0) hasMark = bytes.subarray(0, MARK.length).equals(MARK);
    hasLf = bytes.includes(LF);
    hasCr ||= bytes.includes(CR);
    at += bytesRead;
  }
  const hasCrEnds = hasCr && !hasLf;
  if (!hasMark && !hasCrEnds) return { readPlain: readAt, hasCrEnds };
  const readPlain: ReadAt = async (into, at) => {
    const read = await readAt(into, at);
    const bytes = into.subarray(0, read.bytesRead);
    if (hasMark && at < MARK.length) bytes.fill(LF, 0, MARK.length - at);
    if (hasCrEnds) replaceCr(bytes);
    return read;
  };
  return { readPlain, hasCrEnds };
}

const NO_SEPARATOR = 'has no separator and belongs to no mail';

async function isMboxrdFile(path: string, readAt: ReadAt): Promise<boolean> {
  if (path.endsWith('.mboxrd')) return true;
  const head = Buffer.alloc(80);
  const { bytesRead } = await readAt(head, 0);
  return /^[\r\n]*From mboxrd@z /.test(head.toString('latin1', 0, bytesRead));
}

type SplitOptions = {
  readAt: ReadAt;
  dialect: MboxDialect;
  start: number;
  maxBytes: number;
  chunkBytes: number;
};

async function* splitMails(
  path: string,
  { readAt, dialect, start, maxBytes, chunkBytes }: SplitOptions,
): AsyncGenerator<RawMail | RefusedItem> {
  // Bytes that were read and not yielded. They begin at `offset` of the file; their mail begins at `mailStart`.
  let buffered = Buffer.alloc(0);
  let offset = start;
  let mailStart = start;
  // Up to this index there is no separator.
  let scanned = 0;
  let isOversize = false;

  /** Reads one more chunk. Returns whether the file has ended. */
  const readChunk = async () => {
    // The size doubles, so that a long mail is copied few times. It stays near the limit.
    const growth = Math.min(
      Math.max(buffered.length, chunkBytes),
      Math.max(maxBytes - buffered.length, 0) + chunkBytes,
    );
    const larger = Buffer.allocUnsafeSlow(buffered.length + growth);
    buffered.copy(larger);
    const { bytesRead } = await readAt(larger.subarray(buffered.length), offset + buffered.length);
    buffered = larger.subarray(0, buffered.length + bytesRead);
    return bytesRead === 0;
  };
  const drop = (count: number) => {
    buffered = buffered.subarray(count);
    offset += count;
  };

  let hasEnded = await readChunk();
  while (buffered.length > 0 || !hasEnded) {
    const found = nextSeparator(buffered, scanned, { dialect, hasEnded, maxBytes, chunkBytes });
    if (found.at === undefined && !hasEnded) {
      scanned = found.scanned;
      isOversize ||= buffered.length > maxBytes + MAX_SEPARATOR_BYTES;
      if (isOversize) {
        // The last bytes are kept to recognize the empty line before a separator.
        const useless = Math.max(scanned - 4, 0);
        drop(useless);
        scanned -= useless;
      }
      hasEnded = await readChunk();
      continue;
    }
    const end = found.at ?? buffered.length;
    if (isOversize || end > maxBytes) {
      const reason = `the mail is larger than ${maxBytes} bytes`;
      yield { kind: 'refused', path, position: mailStart, reason };
    } else if (end > 0) {
      const raw = mailIn(buffered.subarray(0, end), dialect.isMboxrd);
      const sha256 = hash('sha256', raw, 'hex');
      yield { kind: 'raw', path, position: mailStart, raw, sha256 };
    }
    drop(end);
    mailStart = offset;
    scanned = 0;
    isOversize = false;
  }
}

/** Returns the mail after its separator line, without what mboxrd added. */
function mailIn(stretch: Buffer, isMboxrd: boolean): Buffer {
  // Only the first separator of a file may be quoted.
  const isSeparated = startsWith(stretch, 'From ') || startsWith(stretch, '>From ');
  const separatorLength = isSeparated ? stretch.indexOf('\n') + 1 || stretch.length : 0;
  const mail = stretch.subarray(separatorLength);
  if (!isMboxrd) return mail;
  const last = mail.toString('latin1', Math.max(mail.length - 3, 0));
  const blank = /(?:^|\n)(\r?\n)$/.exec(last)?.[1]?.length ?? 0;
  return unquote(mail.subarray(0, mail.length - blank));
}

function startsWith(bytes: Buffer, text: string): boolean {
  return bytes.toString('latin1', 0, text.length) === text;
}

/** Removes one `>` from each line of the form `>From `, `>>From `, … */
function unquote(mail: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let copied = 0;
  for (let at = mail.indexOf('>From '); at >= 0; at = mail.indexOf('>From ', at + 1)) {
    let line = at;
    while (mail[line - 1] === 0x3e) line -= 1;
    if (line > 0 && mail[line - 1] !== 0x0a) continue;
    pieces.push(mail.subarray(copied, at));
    copied = at + 1;
  }
  return pieces.length === 0 ? mail : Buffer.concat([...pieces, mail.subarray(copied)]);
}
