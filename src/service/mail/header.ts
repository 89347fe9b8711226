// The header block of a message or part: its fields unfolded, where its body begins, and whether it is in order.
import { Buffer, isAscii, isUtf8 } from 'node:buffer';

export type Header = {
  /** Unfolded value of the first field of that lower-case name; later copies must not change how a message reads. */
  fields: ReadonlyMap<string, string>;
  /** Index of the body's first byte. */
  bodyAt: number;
  /** False where there is no field, or a line that is none ended the block. */
  wellFormed: boolean;
};

const NAME = /^([!-9;-~]+)[ \t]*:/;
const ENVELOPE = /^>?From [^\n]*(?:\n|$)/;

/** More names, longer names and longer values than any mailer writes: what is above is passed over. */
const MOST_NAMES = 2_000;
const MOST_NAME = 998;
const MOST_VALUE = 64 * 1024;

/** Reads the block that starts at `from`; nothing at or after `to` belongs to it. */
export function parseHeader(bytes: Buffer, from: number, to: number): Header {
  const end = afterBlankLine(bytes, from, to);
  const block = bytes.subarray(from, end);
  // RFC 6532: what is not ASCII is UTF-8 where it can be; else byte for byte, so that nothing is lost.
  const encoding = isAscii(block) || !isUtf8(block) ? 'latin1' : 'utf8';
  const text = block.toString(encoding);
  const fields = new Map<string, string>();
  let at = ENVELOPE.exec(text)?.[0].length ?? 0;
  while (at < text.length) {
    const [, name] = NAME.exec(text.slice(at, at + MOST_NAME)) ?? [];
    if (name === undefined) break;
    const next = afterField(text, at);
    const key = name.toLowerCase();
    if (!fields.has(key) && fields.size < MOST_NAMES) {
      const value = text.slice(text.indexOf(':', at) + 1, next).slice(0, MOST_VALUE);
      fields.set(key, value.replaceAll(/[\r\n]/g, '').trim());
    }
    at = next;
  }
  const rest = text.slice(at);
  const whole = rest === '' || rest === '\n' || rest === '\r\n';
  return {
    fields,
    bodyAt: whole ? end : end - Buffer.byteLength(rest, encoding),
    wellFormed: whole && fields.size > 0,
  };
}

/** The index after the line break that ends a field: one that no blank follows, which would fold the line. */
function afterField(text: string, from: number): number {
  for (let at = from; ;) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
    if (text[at] !== ' ' && text[at] !== '\t') return at;
  }
}

/** The index after the first empty line, or `to`. */
function afterBlankLine(bytes: Buffer, from: number, to: number): number {
  if (bytes[from] === 0x0a) return from + 1;
  if (bytes[from] === 0x0d && bytes[from + 1] === 0x0a) return from + 2;
  const part = bytes.subarray(from, to);
  const bare = part.indexOf('\n\n');
  const crlf = part.subarray(0, bare < 0 ? part.length : bare).indexOf('\n\r\n');
  if (crlf >= 0) return from + crlf + 3;
  return bare >= 0 ? from + bare + 2 : to;
}
