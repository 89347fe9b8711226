// Whether bytes are text, and which kind of text their first lines show.
import { Buffer, isUtf8 } from 'node:buffer';

const LOOKED_AT = 64 * 1024;
/** Control characters that text has: backspace, tab, line ends, form feed and escape. */
const IN_TEXT = new Set([8, 9, 10, 11, 12, 13, 27]);

const KINDS: ReadonlyArray<readonly [shape: RegExp, type: string]> = [
  // Readers of PDF look for its first line within the first kilobyte; only white space before it is taken here.
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
  [/^From \S+ .*\d\d:\d\d.*\d{4}.*\r?\n[\w-]+:/, 'application/mbox'],
  [/^#!\s*\/\S*\/(env )?\w*sh\b/, 'text/x-shellscript'],
  [/^#!\s*\/\S*\/(env )?\w*python/, 'text/x-script.python'],
];

const HEADER =
  /^(Received|Return-Path|Delivered-To|Message-ID|MIME-Version|Date|From|To|Subject|X-[\w-]+): ?\S/i;

/** text/plain, or the kind of text its first lines show; null for bytes that are not text, and for no bytes. */
export function detectTextType(bytes: Buffer): string | null {
  if (bytes.length === 0) return null;
  const head = bytes.subarray(0, LOOKED_AT);
  const text = decode(head);
  if (text === null) return null;
  const start = text.replace(/^\uFEFF?\s*/, '');
  for (const [shape, type] of KINDS) if (shape.test(start)) return type;
  if (isMessage(start)) return 'message/rfc822';
  return bytes.length <= LOOKED_AT && /^[{[]/.test(start) && isJson(start)
    ? 'application/json'
    : 'text/plain';
}

function decode(head: Buffer): string | null {
  if (head[0] === 0xff && head[1] === 0xfe) return head.toString('utf16le');
  if (head[0] === 0xfe && head[1] === 0xff)
    return Buffer.from(head.subarray(0, head.length & ~1))
      .swap16()
      .toString('utf16le');
  if (head.some((byte) => (byte < 32 && !IN_TEXT.has(byte)) || byte === 127)) return null;
  if (isUtf8(wholeCharacters(head))) return head.toString('utf8');
  // Text of an older charset is mostly ASCII; bytes that are mostly above it are no text that could be told.
  const above = head.reduce((count, byte) => count + (byte >> 7), 0);
  return above * 3 < head.length ? head.toString('latin1') : null;
}

/** Without the character that the cut at the end may have broken. */
function wholeCharacters(head: Buffer): Buffer {
  if (head.length < LOOKED_AT) return head;
  let end = head.length;
  while (end > head.length - 4 && ((head[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  return (head[end - 1] ?? 0) >= 0xc0 ? head.subarray(0, end - 1) : head;
}

/** Two header fields of mail before anything else. */
function isMessage(text: string): boolean {
  const lines = text.slice(0, 8192).split(/\r?\n(?![ \t])/);
  return HEADER.test(lines[0] ?? '') && HEADER.test(lines[1] ?? '');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
