// Parses the header block of a mail or of a MIME part: unfolded fields, and where the body begins.
import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { withLfEnds } from './line-ends.ts';

/** A parsed header block (RFC 5322 2.2). */
export type Header = {
  /**
   * Lower-case field name to unfolded value. Of several fields with one name the first counts, so that copies added
   * later cannot change how a message reads.
   */
  fields: ReadonlyMap<string, string>;
  /** Index of the first byte of the body. */
  bodyAt: number;
  /** False when there is no field, or when a line of the block is no field. */
  wellFormed: boolean;
};

const LINE_BREAK = /[\r\n]/;
/** What some editors and mail stores put before the header: a byte order mark, an envelope line. */
const BEFORE_HEADER = /^(?:\ufeff|\u00ef\u00bb\u00bf)?(?:>?From [^\n]*(?:\n|$))?/;

/** Fields that show that a header goes on after a line that is no field. Prose has lines with colons, too. */
const USUAL_FIELD =
  /^(?:from|to|cc|bcc|date|subject|sender|reply-to|received|return-path|message-id|in-reply-to|references|mime-version|content-[a-z-]+|delivered-to|list-[a-z-]+|dkim-signature|x-[a-z-]+)[ \t]*:/gim;

// More than any mailer writes. What exceeds a limit is ignored.
const MAX_FIELDS = 2_000;
const MAX_NAME_CHARACTERS = 998;
const MAX_VALUE_CHARACTERS = 64 * 1024;

/** Returns the header of a whole mail, whose lines may all end with CR. See {@link parseHeader}. */
export function parseMailHeader({ buffer, byteOffset, byteLength }: Uint8Array): Header {
  return parseHeader(withLfEnds(Buffer.from(buffer, byteOffset, byteLength)), 0, byteLength);
}

/**
 * Returns the header block that starts at index `from`. It ends before index `to`. A line that is no field is left out, as mail
 * readers do, if a usual field follows in the block; else the body begins with it. Never throws.
 */
export function parseHeader(bytes: Buffer, from: number, to: number): Header {
  const end = afterBlankLine(bytes, from, to);
  const block = bytes.subarray(from, end);
  // RFC 6532 allows UTF-8. Other bytes are read as Latin-1, which loses none.
  const encoding = isAscii(block) || !isUtf8(block) ? 'latin1' : 'utf8';
  const text = block.toString(encoding);
  const fields = new Map<string, string>();
  let at = BEFORE_HEADER.exec(text)?.[0].length ?? 0;
  let lastField: number | undefined;
  let isRepaired = false;
  const fieldsEnd = text.length - (text.endsWith('\n\r\n') ? 2 : text.endsWith('\n\n') ? 1 : 0);
  while (at < fieldsEnd) {
    const colon = colonOfField(text, at);
    const next = afterField(text, at);
    if (colon === undefined) {
      // A part of a multipart may have no header at all. Its text is not searched for one.
      const mayGoOn = fields.size > 0 || from === 0;
      lastField ??= mayGoOn ? lastUsualField(text) : -1;
      if (at > lastField) break;
      isRepaired = true;
      at = next;
      continue;
    }
    const key = text.slice(at, colon).trimEnd().toLowerCase();
    if (!fields.has(key) && fields.size < MAX_FIELDS) {
      const value = text.slice(colon + 1, Math.min(next, colon + 1 + MAX_VALUE_CHARACTERS)).trim();
      fields.set(key, LINE_BREAK.test(value) ? value.replaceAll(/[\r\n]/g, '') : value);
    }
    at = next;
  }
  const rest = text.slice(at);
  const isComplete = rest === '' || rest === '\n' || rest === '\r\n';
  return {
    fields,
    bodyAt: isComplete ? end : end - Buffer.byteLength(rest, encoding),
    wellFormed: isComplete && !isRepaired && fields.size > 0,
  };
}

/** Returns the index of the colon behind a field name that begins at `from`, of printable ASCII; blanks may stand between. */
function colonOfField(text: string, from: number): number | undefined {
  const end = Math.min(text.length, from + MAX_NAME_CHARACTERS);
  let at = from;
  while (at < end && text[at] !== ':' && text[at]! > ' ' && text[at]! <= '~') at += 1;
  if (at === from) return undefined;
  while (at < end && (text[at] === ' ' || text[at] === '\t')) at += 1;
  return at < end && text[at] === ':' ? at : undefined;
}

/** Returns where the last usual field of a block begins, or -1. */
function lastUsualField(text: string): number {
  let last = -1;
  for (const { index } of text.matchAll(USUAL_FIELD)) last = index;
  return last;
}

/** Returns the index after the line break that ends a field. A line that begins with a blank continues the field. */
function afterField(text: string, from: number): number {
  for (let at = from; ;) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
    if (text[at] !== ' ' && text[at] !== '\t') return at;
  }
}

/** Returns the index after the first empty line, or `to` when there is none. */
function afterBlankLine(bytes: Buffer, from: number, to: number): number {
  if (bytes[from] === 0x0a) return from + 1;
  if (bytes[from] === 0x0d && bytes[from + 1] === 0x0a) return from + 2;
  const part = bytes.subarray(from, to);
  const bare = part.indexOf('\n\n');
  const crlf = part.subarray(0, bare < 0 ? part.length : bare).indexOf('\n\r\n');
  if (crlf >= 0) return from + crlf + 3;
  return bare >= 0 ? from + bare + 2 : to;
}

/** Returns the value of a MIME field without its parameters and without comments (RFC 2045 5.1, RFC 5322 3.2.2). */
export function valueBeforeParameters(value: string): string {
  if (!value.includes('(')) return value.split(';', 1)[0]!.trim();
  let kept = '';
  let depth = 0;
  for (let at = 0; at < value.length && (depth > 0 || value[at] !== ';'); at += 1) {
    const character = value[at]!;
    if (character === '(') depth += 1;
    else if (depth === 0) kept += character;
    else if (character === ')') depth -= 1;
    else if (character === '\\') at += 1;
  }
  return kept.trim();
}
