// Detects whether a file is text, and which kind of text by its first lines.
import { Buffer, isUtf8 } from 'node:buffer';
import { isJson } from '../../contract/json-text.ts';

/** Only the beginning of a file is examined. */
const EXAMINED_BYTES = 64 * 1024;
/** Control characters that occur in text: backspace, tab, line ends, form feed and escape. */
const TEXT_CONTROLS = new Set([8, 9, 10, 11, 12, 13, 27]);

const KINDS: ReadonlyArray<readonly [shape: RegExp, type: string]> = [
  // PDF readers accept the marker anywhere in the first kilobyte. Here only white space may stand before it.
  [/^%PDF-/, 'application/pdf'],
  [/^<\?xml[\s\S]{0,2000}?<svg[\s>]|^<svg[\s>]|^<!DOCTYPE svg/i, 'image/svg+xml'],
  [/^(<!--[\s\S]{0,2000}?-->\s*)?<(!DOCTYPE\s+html|html|head|body|title|script)[\s>]/i, 'text/html'],
  [/^<\?xml[\s\S]{0,2000}?<(!DOCTYPE\s+)?html[\s>]/i, 'application/xhtml+xml'],
  [/^<\?xml\s/, 'text/xml'],
  [/^BEGIN:VCALENDAR/i, 'text/calendar'],
  [/^BEGIN:VCARD/i, 'text/vcard'],
  [/^-----BEGIN PGP SIGNATURE-----/, 'application/pgp-signature'],
  [/^-----BEGIN PGP MESSAGE-----/, 'application/pgp-encrypted'],
  [/^-----BEGIN PGP PUBLIC KEY BLOCK-----/, 'application/pgp-keys'],
  [/^From [0-9a-f]{40} |^(diff --git |Index: |diff -[a-z]+ |--- \S)/, 'text/x-diff'],
  [/^From \S+ (?=.*\d\d:\d\d)(?=.*\d{4}).*\r?\n[\w-]+:/, 'application/mbox'],
  [/^#!\s*\/\S*\/(env )?\w*sh\b/, 'text/x-shellscript'],
  [/^#!\s*\/\S*\/(env )?\w*python/, 'text/x-script.python'],
];

/** A field of a mail header, with a value. */
const MAIL_FIELD =
  /^(Received|Return-Path|Delivered-To|Message-ID|MIME-Version|Date|From|To|Subject|X-[\w-]+): ?\S/i;

/** Returns the text type that the first lines show, else text/plain. Returns null for an empty file and for binary data. */
export function detectTextType(bytes: Buffer): string | null {
  if (bytes.length === 0) return null;
  const head = bytes.subarray(0, EXAMINED_BYTES);
  const text = decode(head);
  if (text === null) return null;
  const start = text.replace(/^\uFEFF?\s*/, '');
  for (const [shape, type] of KINDS) if (shape.test(start)) return type;
  if (isMessage(start)) return 'message/rfc822';
  return bytes.length <= EXAMINED_BYTES && /^[{[]/.test(start) && isJson(start)
    ? 'application/json'
    : 'text/plain';
}

function decode(head: Buffer): string | null {
  if (head[0] === 0xff && head[1] === 0xfe) return head.toString('utf16le');
  if (head[0] === 0xfe && head[1] === 0xff)
    return Buffer.from(head.subarray(0, head.length & ~1))
      .swap16()
      .toString('utf16le');
  if (hasBinaryByte(head)) return null;
  if (isUtf8(wholeCharacters(head))) return head.toString('utf8');
  // Text in an older charset is mostly ASCII. If a third of the bytes is not, the file counts as binary.
  const above = head.reduce((count, byte) => count + (byte >> 7), 0);
  return above * 3 < head.length ? head.toString('latin1') : null;
}

function hasBinaryByte(bytes: Buffer): boolean {
  // By index: a callback or an iterator takes several times as long.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if ((byte < 32 && !TEXT_CONTROLS.has(byte)) || byte === 127) return true;
  }
  return false;
}

/** Removes a last character that the cut may have split. */
function wholeCharacters(head: Buffer): Buffer {
  if (head.length < EXAMINED_BYTES) return head;
  let end = head.length;
  while (end > head.length - 4 && ((head[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  return (head[end - 1] ?? 0) >= 0xc0 ? head.subarray(0, end - 1) : head;
}

/** Whether the text begins with two mail header fields. */
function isMessage(text: string): boolean {
  const lines = text.slice(0, 8192).split(/\r?\n(?![ \t])/);
  return MAIL_FIELD.test(lines[0] ?? '') && MAIL_FIELD.test(lines[1] ?? '');
}
