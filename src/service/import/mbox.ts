// Splits an mbox file of any size into its mails, each with its byte offset.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { RawMail, RefusedItem } from '../records/import-items.ts';
import { CHUNK_BYTES, MAX_SEPARATOR_BYTES, nextSeparator } from './mbox-separator.ts';

/** A larger mail is refused. A mail is hashed, parsed and stored as a whole, so it must fit into memory. */
export const MAX_MAIL_BYTES = 36 * 1024 * 1024;

/**
 * Reads the mails of an mbox file: mboxo, mboxcl, mboxcl2 or mboxrd. `position` is the byte offset of the separator.
 *
 * A separator line begins with `From `, has a complete date, follows an empty line and precedes a header field. If a
 * mail has a Content-Length that ends at a separator or at the end of the file, the lines of its body are not examined.
 * A mail is the bytes between two separators, unchanged. Skips empty lines before the first separator.
 *
 * In mboxrd the empty line before a separator and the quoting (`>From `) belong to the format: both are undone, and
 * every line that begins with `From ` separates. A file is mboxrd if its name ends in `.mboxrd` or if it begins with
 * git's `From mboxrd@z`.
 *
 * Refuses a mail longer than `maxBytes`. Memory is bounded by that limit, not by the file. Throws the error of the file
 * system.
 */
export async function* readMbox(
  path: string,
  maxBytes: number = MAX_MAIL_BYTES,
): AsyncGenerator<RawMail | RefusedItem> {
  const file = await open(path);
  try {
    yield* splitMails(path, (into, at) => file.read(into, 0, into.length, at), maxBytes);
  } finally {
    await file.close();
  }
}

type ReadAt = (into: Buffer, at: number) => Promise<{ bytesRead: number }>;

async function* splitMails(
  path: string,
  readAt: ReadAt,
  maxBytes: number,
): AsyncGenerator<RawMail | RefusedItem> {
  // Bytes that were read and not yielded. They begin at `offset` of the file; their mail begins at `mailStart`.
  let buffered = Buffer.alloc(0);
  let offset = 0;
  let mailStart = 0;
  // Up to this index there is no separator.
  let scanned = 0;
  let isOversize = false;

  /** Reads one more chunk. Returns whether the file has ended. */
  const readChunk = async () => {
    // The size doubles, so that a long mail is copied few times. It stays near the limit.
    const growth = Math.min(
      Math.max(buffered.length, CHUNK_BYTES),
      Math.max(maxBytes - buffered.length, 0) + CHUNK_BYTES,
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
  drop(/^[\r\n]*/.exec(buffered.toString('latin1', 0, 80))?.[0].length ?? 0);
  mailStart = offset;
  const isMboxrd = path.endsWith('.mboxrd') || startsWith(buffered, 'From mboxrd@z ');

  while (buffered.length > 0 || !hasEnded) {
    const found = nextSeparator(buffered, scanned, { isMboxrd, hasEnded, maxBytes });
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
      const raw = mailIn(buffered.subarray(0, end), isMboxrd);
      const sha256 = createHash('sha256').update(raw).digest('hex');
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
  const separatorLength = startsWith(stretch, 'From ') ? stretch.indexOf('\n') + 1 || stretch.length : 0;
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
