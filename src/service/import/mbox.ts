// Splits an mbox file into its mails: from a file of any size in flat memory, each with its byte offset.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { RawMail, RefusedItem } from '../records/import-items.ts';

/** A mail above this is refused: it has to be held whole to be hashed, parsed and stored. */
export const MOST_MAIL_BYTES = 36 * 1024 * 1024;

const CHUNK_BYTES = 4 * 1024 * 1024;

/** A separator and the line after it fit in this, or it is none. */
const LONGEST_SEPARATOR = 4096;

/** `From <address> <asctime date>`: weekday, month, time and year in any order, as all known writers have them. */
const SEPARATOR =
  /^From (?=[^\n]*\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )(?=[^\n]*\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b)(?=[^\n]*\b\d\d?:\d\d)(?=[^\n]*\b\d{4}\b)[^\n]*\n(?:>From |[!-9;-~]+[ \t]*:)/;

/**
 * Reads mboxo, mboxcl, mboxcl2 and mboxrd. A separator has the full shape, an empty line before and a field after it;
 * a Content-Length that ends at a separator or the end is believed, so that lines inside a body are not looked at.
 * The bytes of a mail are those between separators, unchanged. Only where the file declares mboxrd (by git's
 * `From mboxrd@z` or the name `.mboxrd`) are quoting and the empty line before a separator known to be the
 * format's own: there every `From ` line separates, and both are undone.
 */
export async function* readMbox(
  path: string,
  mostBytes: number = MOST_MAIL_BYTES,
): AsyncGenerator<RawMail | RefusedItem> {
  const file = await open(path);
  try {
    yield* split(path, (into, at) => file.read(into, 0, into.length, at), mostBytes);
  } finally {
    await file.close();
  }
}

type Read = (into: Buffer, at: number) => Promise<{ bytesRead: number }>;

async function* split(path: string, read: Read, mostBytes: number): AsyncGenerator<RawMail | RefusedItem> {
  // What was read and not given out yet; it stands at `offset` in the file, in the mail that began at `start`.
  let held = Buffer.alloc(0);
  let offset = 0;
  let start = 0;
  let scanned = 0;
  let oversize = false;

  /** Reads a chunk more; true where there is none. */
  const readMore = async () => {
    // Doubled, so that a long mail leaves little behind, but not beyond what is of use.
    const growth = Math.min(
      Math.max(held.length, CHUNK_BYTES),
      Math.max(mostBytes - held.length, 0) + CHUNK_BYTES,
    );
    const larger = Buffer.allocUnsafeSlow(held.length + growth);
    held.copy(larger);
    const { bytesRead } = await read(larger.subarray(held.length), offset + held.length);
    held = larger.subarray(0, held.length + bytesRead);
    return bytesRead === 0;
  };
  const drop = (count: number) => {
    held = held.subarray(count);
    offset += count;
  };

  let ended = await readMore();
  drop(/^[\r\n]*/.exec(held.toString('latin1', 0, 80))?.[0].length ?? 0);
  start = offset;
  const quoted = path.endsWith('.mboxrd') || startsWith(held, 'From mboxrd@z ');

  while (held.length > 0 || !ended) {
    const found = nextSeparator(held, scanned, { quoted, ended, mostBytes });
    if (found.at === undefined && !ended) {
      scanned = found.scanned;
      oversize ||= held.length > mostBytes + LONGEST_SEPARATOR;
      if (oversize) {
        // Enough is kept to see the empty line before a separator.
        const useless = Math.max(scanned - 4, 0);
        drop(useless);
        scanned -= useless;
      }
      ended = await readMore();
      continue;
    }
    const end = found.at ?? held.length;
    if (oversize || end > mostBytes) {
      yield { kind: 'refused', path, position: start, reason: `the mail is larger than ${mostBytes} bytes` };
    } else if (end > 0) {
      const raw = mailIn(held.subarray(0, end), quoted);
      yield {
        kind: 'raw',
        path,
        position: start,
        raw,
        sha256: createHash('sha256').update(raw).digest('hex'),
      };
    }
    drop(end);
    start = offset;
    scanned = 0;
    oversize = false;
  }
}

type Limits = { quoted: boolean; ended: boolean; mostBytes: number };

/** Where the next mail begins; without one, how far the bytes need not be looked at again. */
function nextSeparator(held: Buffer, scanned: number, limits: Limits): { at?: number; scanned: number } {
  if (scanned === 0 && !limits.quoted) {
    const declared = declaredEnd(held, limits);
    if (declared === 'unknown') return { scanned: 0 };
    if (declared !== undefined) return { at: declared, scanned: 0 };
  }
  let at = held.indexOf('\nFrom ', scanned);
  for (; at >= 0; at = held.indexOf('\nFrom ', at + 1)) {
    if (!limits.ended && held.length < at + LONGEST_SEPARATOR) return { scanned: at };
    if (limits.quoted || (afterEmptyLine(held, at + 1) && isSeparator(held, at + 1)))
      return { at: at + 1, scanned: 0 };
  }
  return { scanned: Math.max(held.length - 5, 0) };
}

/** The end by Content-Length, where a separator or the end of the file stands there; unknown until that is read. */
function declaredEnd(held: Buffer, { ended, mostBytes }: Limits): number | 'unknown' | undefined {
  const line = held.subarray(0, LONGEST_SEPARATOR).indexOf('\n');
  const lineEnd = line > 0 && held[line - 1] === 0x0d ? '\r\n' : '\n';
  const blank = held.indexOf(lineEnd + lineEnd);
  if (blank < 0) return ended || held.length >= CHUNK_BYTES ? undefined : 'unknown';
  const header = held.toString('latin1', 0, blank);
  const length = /^content-length:[ \t]*(\d{1,12})\r?$/im.exec(header)?.[1];
  if (length === undefined) return undefined;
  const end = blank + 2 * lineEnd.length + Number(length);
  if (end > mostBytes) return undefined;
  if (!ended && held.length < end + LONGEST_SEPARATOR) return 'unknown';
  const spaces = /^[\r\n]{0,4}/.exec(held.toString('latin1', end, end + 4))?.[0].length ?? 0;
  if (end + spaces === held.length) return held.length;
  return held[end + spaces - 1] === 0x0a && isSeparator(held, end + spaces) ? end + spaces : undefined;
}

function afterEmptyLine(held: Buffer, at: number): boolean {
  return held[at - 2] === 0x0a || (held[at - 2] === 0x0d && held[at - 3] === 0x0a);
}

function isSeparator(held: Buffer, at: number): boolean {
  return SEPARATOR.test(held.toString('latin1', at, at + LONGEST_SEPARATOR));
}

/** The mail after its separator line, with what mboxrd added taken away. */
function mailIn(stretch: Buffer, quoted: boolean): Buffer {
  const separator = startsWith(stretch, 'From ') ? stretch.indexOf('\n') + 1 || stretch.length : 0;
  const mail = stretch.subarray(separator);
  if (!quoted) return mail;
  const last = mail.toString('latin1', Math.max(mail.length - 3, 0));
  const blank = /(?:^|\n)(\r?\n)$/.exec(last)?.[1]?.length ?? 0;
  return unquoted(mail.subarray(0, mail.length - blank));
}

function startsWith(bytes: Buffer, text: string): boolean {
  return bytes.toString('latin1', 0, text.length) === text;
}

/** Takes one `>` off every line of the form `>From `, `>>From `, … */
function unquoted(mail: Buffer): Buffer {
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
