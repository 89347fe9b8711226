// Decodes MIME transfer encodings (RFC 2045 6). Exact to the byte, line ends included, because the result is hashed.
import { Buffer } from 'node:buffer';
import { valueBeforeParameters } from './header.ts';

/**
 * Returns the decoded bytes of a body. `encoding` is the value of Content-Transfer-Encoding; an unknown one decodes to
 * the body itself. A malformed body is decoded as far as possible. Never throws.
 */
export function decodeTransferEncoding(body: Buffer, encoding: string): Buffer {
  const name = /[\w-]+/.exec(valueBeforeParameters(encoding))?.[0].toLowerCase();
  if (name === 'base64') return decodeBase64(body);
  if (name === 'quoted-printable') return decodeQuotedPrintable(body);
  if (name === 'uuencode' || name === 'x-uuencode' || name === 'uue' || name === 'x-uue')
    return decodeUu(body);
  return body;
}

/** Bytes decoded at a time, so that memory never holds all of a large file as text. */
const SLICE_BYTES = 1024 * 1024;

function decodeBase64(body: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(Math.ceil((body.length / 4) * 3));
  let length = 0;
  let rest = '';
  for (let at = 0; at < body.length; at += SLICE_BYTES) {
    const letters = rest + body.toString('latin1', at, at + SLICE_BYTES).replaceAll(/[^A-Za-z0-9+/=]+/g, '');
    // The first padding ends the data. What follows is a footer that a mailing list appended.
    const padded = letters.indexOf('=');
    if (padded >= 0)
      return decoded.subarray(0, length + decoded.write(letters.slice(0, padded), length, 'base64'));
    const whole = letters.length - (letters.length % 4);
    length += decoded.write(letters.slice(0, whole), length, 'base64');
    rest = letters.slice(whole);
  }
  return decoded.subarray(0, length + decoded.write(rest, length, 'base64'));
}

const EQUALS = 0x3d;
const LF = 0x0a;
const CR = 0x0d;

function decodeQuotedPrintable(body: Buffer): Buffer {
  const first = body.indexOf(EQUALS);
  if (first < 0) return body;
  const decoded = Buffer.allocUnsafe(body.length);
  let length = body.copy(decoded, 0, 0, first);
  // Byte by byte: escape sequences stand too close for copies of what is between them.
  for (let at = first; at < body.length;) {
    const byte = body[at]!;
    at += 1;
    if (byte !== EQUALS) {
      decoded[length++] = byte;
      continue;
    }
    const lineEnd = softBreak(body, at);
    const value = hexValue(body[at]) * 16 + hexValue(body[at + 1]);
    if (lineEnd >= 0) {
      at = lineEnd;
    } else if (value >= 0) {
      decoded[length++] = value;
      at += 2;
    } else {
      // Not an escape sequence: the equals sign is literal.
      decoded[length++] = EQUALS;
    }
  }
  return decoded.subarray(0, length);
}

/** Returns the index after the soft line break at `at`, spaces before the break included, or -1 when there is none. */
function softBreak(body: Buffer, at: number): number {
  let end = at;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (end >= body.length) return body.length;
  if (body[end] === 0x0d) end += 1;
  return body[end] === LF ? end + 1 : -1;
}

function hexValue(code: number | undefined): number {
  if (code === undefined) return -256;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -256;
}

/** Blanks that mailers removed at line ends count as zeros. The result is never longer than the body. */
function decodeUu(body: Buffer): Buffer {
  let at = afterBegin(body);
  if (at < 0) return body;
  const decoded = Buffer.allocUnsafe(body.length + 2);
  let length = 0;
  for (let next = 0; at < body.length && length < body.length; at = next) {
    const lineFeed = body.indexOf(LF, at);
    next = lineFeed < 0 ? body.length : lineFeed + 1;
    const stop = lineFeed < 0 ? body.length : lineFeed;
    const end = stop > at && body[stop - 1] === CR ? stop - 1 : stop;
    if (end - at === 3 && body.toString('latin1', at, end) === 'end') break;
    const size = end > at ? uuValue(body, at, end) : 0;
    const whole = Math.min(length + size, body.length);
    for (let letter = at + 1; length < whole; letter += 4) {
      const second = uuValue(body, letter + 1, end);
      const third = uuValue(body, letter + 2, end);
      decoded[length++] = (uuValue(body, letter, end) << 2) | (second >> 4);
      decoded[length++] = (second << 4) | (third >> 2);
      decoded[length++] = (third << 6) | uuValue(body, letter + 3, end);
    }
    length = whole;
  }
  return decoded.subarray(0, length);
}

/** Returns the index after the line `begin <mode> <name>`, or -1. */
function afterBegin(body: Buffer): number {
  const BEGIN = 'begin ';
  for (let at = body.indexOf(BEGIN); at >= 0; at = body.indexOf(BEGIN, at + 1)) {
    if (at > 0 && body[at - 1] !== LF) continue;
    if (!/^begin \d+ /.test(body.toString('latin1', at, at + 40))) continue;
    const lineFeed = body.indexOf(LF, at);
    return lineFeed < 0 ? body.length : lineFeed + 1;
  }
  return -1;
}

/** Returns the six bits of a character, zero for one after the end of its line. */
function uuValue(body: Buffer, at: number, end: number): number {
  return at < end ? (body[at]! - 32) & 63 : 0;
}
