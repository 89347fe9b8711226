// Parses the header block of a mail or of a MIME part: unfolded fields, and where the body begins.
import { Buffer, isAscii, isUtf8 } from 'node:buffer';

/** A parsed header block (RFC 5322 2.2). */
export type Header = {
  /**
   * Lower-case field name to unfolded value. Of several fields with one name the first counts, so that copies added
   * later cannot change how a message reads.
   */
  fields: ReadonlyMap<string, string>;
  /** Index of the first byte of the body. */
  bodyAt: number;
  /** False when there is no field, or when a line that is no field ended the block. */
  wellFormed: boolean;
};

const FIELD_NAME = /^([!-9;-~]+)[ \t]*:/;
/** The line that some mail stores put before the header. */
const ENVELOPE_LINE = /^>?From [^\n]*(?:\n|$)/;

// More than any mailer writes. What exceeds a limit is ignored.
const MAX_FIELDS = 2_000;
const MAX_NAME_CHARACTERS = 998;
const MAX_VALUE_CHARACTERS = 64 * 1024;

/** Returns the header block that starts at index `from`. It ends before index `to`. Never throws. */
export function parseHeader(bytes: Buffer, from: number, to: number): Header {
  const end = afterBlankLine(bytes, from, to);
  const block = bytes.subarray(from, end);
  // RFC 6532 allows UTF-8. Other bytes are read as Latin-1, which loses none.
  const encoding = isAscii(block) || !isUtf8(block) ? 'latin1' : 'utf8';
  const text = block.toString(encoding);
  const fields = new Map<string, string>();
  let at = ENVELOPE_LINE.exec(text)?.[0].length ?? 0;
  while (at < text.length) {
    const [, name] = FIELD_NAME.exec(text.slice(at, at + MAX_NAME_CHARACTERS)) ?? [];
    if (name === undefined) break;
    const next = afterField(text, at);
    const key = name.toLowerCase();
    if (!fields.has(key) && fields.size < MAX_FIELDS) {
      const value = text.slice(text.indexOf(':', at) + 1, next).slice(0, MAX_VALUE_CHARACTERS);
      fields.set(key, value.replaceAll(/[\r\n]/g, '').trim());
    }
    at = next;
  }
  const rest = text.slice(at);
  const isComplete = rest === '' || rest === '\n' || rest === '\r\n';
  return {
    fields,
    bodyAt: isComplete ? end : end - Buffer.byteLength(rest, encoding),
    wellFormed: isComplete && fields.size > 0,
  };
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
