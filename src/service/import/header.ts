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

const FIELD = /([!-9;-~]+)[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)(?:\n|$)/y;
const ENVELOPE = /^>?From [^\n]*(?:\n|$)/;

/** Reads the block that starts at `from`; nothing at or after `to` belongs to it. */
export function headerOf(bytes: Buffer, from: number, to: number): Header {
  const end = afterBlankLine(bytes, from, to);
  const block = bytes.subarray(from, end);
  // RFC 6532: what is not ASCII is UTF-8 where it can be; else byte for byte, so that nothing is lost.
  const encoding = isAscii(block) || !isUtf8(block) ? 'latin1' : 'utf8';
  const text = block.toString(encoding);
  const fields = new Map<string, string>();
  let at = ENVELOPE.exec(text)?.[0].length ?? 0;
  while (at < text.length) {
    FIELD.lastIndex = at;
    const [, name, value] = FIELD.exec(text) ?? [];
    if (name === undefined || value === undefined) break;
    at = FIELD.lastIndex;
    const key = name.toLowerCase();
    if (!fields.has(key)) fields.set(key, value.replaceAll(/[\r\n]/g, '').trim());
  }
  const rest = text.slice(at);
  const whole = rest === '' || rest === '\n' || rest === '\r\n';
  return {
    fields,
    bodyAt: whole ? end : end - Buffer.byteLength(rest, encoding),
    wellFormed: whole && fields.size > 0,
  };
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
