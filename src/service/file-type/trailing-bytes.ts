// Counts the bytes after the end that a file's own format declares. Readers ignore them, so hidden data can be there.
import { Buffer } from 'node:buffer';

/** Returns the index after the last byte of the format, or undefined when the structure ends early. */
type EndOf = (bytes: Buffer) => number | undefined;

/**
 * Returns the number of bytes after the end of JPEG (end of image), PNG (IEND), GIF (trailer), zip-based formats (end of
 * the central directory with its comment) and PDF (last %%EOF and its line end). Returns 0 for other types and for files
 * whose structure ends early. `type` comes from `detectContentType`. Linear in the bytes. Never throws.
 */
export function countTrailingBytes(content: Uint8Array, type: string | null): number {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const end = endOf(type ?? '')?.(bytes);
  return end === undefined ? 0 : Math.max(0, bytes.length - end);
}

function endOf(type: string): EndOf | undefined {
  if (type === 'image/jpeg') return endOfJpeg;
  if (type === 'image/png') return endOfPng;
  if (type === 'image/gif') return endOfGif;
  if (type === 'application/pdf') return endOfPdf;
  return /zip$|officedocument|opendocument|java-archive|android\.package/.test(type) && !type.endsWith('gzip')
    ? endOfZip
    : undefined;
}

function endOfJpeg(bytes: Buffer): number | undefined {
  let at = 2;
  while (at + 1 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) at += 1;
    else if (marker === 0xd9) return at + 2;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else {
      if (at + 4 > bytes.length) return undefined;
      at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
      if (marker === 0xda) at = endOfScan(bytes, at);
    }
  }
  return undefined;
}

/** Image data ends at a marker: 0xff, not followed by 0x00 (a stuffed byte), 0xff or a restart marker. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return bytes.length;
}

function endOfPng(bytes: Buffer): number | undefined {
  for (let at = 8; at + 12 <= bytes.length;) {
    const next = at + 12 + bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return next;
    at = next;
  }
  return undefined;
}

function endOfGif(bytes: Buffer): number | undefined {
  const table = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));
  let at = 13 + table(bytes[10] ?? 0);
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x3b) return at + 1;
    if (kind === 0x21) at += 2;
    else if (kind === 0x2c) at += 11 + table(bytes[at + 9] ?? 0);
    else return undefined;
    while ((bytes[at] ?? 0) !== 0) at += 1 + (bytes[at] ?? 0);
    at += 1;
  }
  return undefined;
}

/** The last end record that fits. One whose comment would pass the end of the file is part of other data. */
function endOfZip(bytes: Buffer): number | undefined {
  for (let at = bytes.lastIndexOf('PK\x05\x06', bytes.length, 'latin1'); at >= 0;) {
    const end = at + 22 <= bytes.length ? at + 22 + bytes.readUInt16LE(at + 20) : Infinity;
    if (end <= bytes.length) return end;
    if (at === 0) break;
    at = bytes.lastIndexOf('PK\x05\x06', at - 1, 'latin1');
  }
  return undefined;
}

function endOfPdf(bytes: Buffer): number | undefined {
  const mark = bytes.lastIndexOf('%%EOF', bytes.length, 'latin1');
  if (mark < 0) return undefined;
  const rest = bytes.toString('latin1', mark + 5, mark + 5 + 64);
  const blank = /^\s*/.exec(rest)?.[0].length ?? 0;
  return mark + 5 + blank;
}
