// Reads a mail whose lines all end with CR, as old Macintosh programs wrote them, as one whose lines end with LF.
import { Buffer } from 'node:buffer';

const [LF, CR] = [0x0a, 0x0d];

/**
 * Returns the bytes with LF in place of each CR, where they have CR and no LF; else the bytes themselves. Each byte stays at its
 * place. Where there is an LF, a CR alone is a character: mutt and dovecot read it so, and Python does not. A field behind it
 * would be hidden from one of them and shown by the other.
 */
export function withLfEnds(bytes: Buffer): Buffer {
  return bytes.includes(LF) || !bytes.includes(CR) ? bytes : replaceCr(Buffer.from(bytes));
}

/** Makes LF of each CR, in place. Returns the same bytes. */
export function replaceCr(bytes: Buffer): Buffer {
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1)) bytes[at] = LF;
  return bytes;
}
