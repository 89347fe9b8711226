// The MIME structure of a message as byte ranges (RFC 2046): its leaves in order, each with its header and exact body.
import { Buffer } from 'node:buffer';
import { headerOf, type Header } from './header.ts';

export type Leaf = {
  header: Header;
  /** Lower case, without parameters; text/plain where none or nonsense is declared (RFC 2045 5.2). */
  type: string;
  /** Still in its transfer encoding. */
  body: Buffer;
};

export type Structure = {
  header: Header;
  type: string;
  leaves: Leaf[];
  /** False where a header, a boundary or the end of a multipart was missing. */
  wellFormed: boolean;
};

/** Deeper nesting than any mailer makes: what is below stays one leaf. */
const DEEPEST = 100;

export function structureOf(message: Buffer): Structure {
  const leaves: Leaf[] = [];
  let wellFormed = true;

  const walk = (from: number, to: number, preset: string, depth: number): Header => {
    const header = headerOf(message, from, to);
    const type = typeOf(header, preset);
    if (!header.wellFormed && depth === 0) wellFormed = false;
    const boundary = type.startsWith('multipart/') ? parameterOf(header, 'boundary') : undefined;
    if (depth < DEEPEST && boundary !== undefined) {
      const { ranges, closed } = partsBetween(message, header.bodyAt, to, boundary);
      if (!closed) wellFormed = false;
      const inner = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
      for (const [start, end] of ranges) walk(start, end, inner, depth + 1);
      if (ranges.length > 0) return header;
    } else if (depth < DEEPEST && isNested(type, header)) {
      walk(header.bodyAt, to, 'text/plain', depth + 1);
      return header;
    } else if (type.startsWith('multipart/')) {
      wellFormed = false;
    }
    leaves.push({ header, type, body: message.subarray(header.bodyAt, to) });
    return header;
  };

  const header = walk(0, message.length, 'text/plain', 0);
  return { header, type: typeOf(header, 'text/plain'), leaves, wellFormed };
}

/** A nested message is read for its own parts, unless it is named: then it is a file like any other. */
function isNested(type: string, header: Header): boolean {
  return type.startsWith('message/') && !(type === 'message/rfc822' && isNamed(header));
}

/** Whether a part has a file name, by either of the fields that can give it one (RFC 2183 2.3, RFC 2231). */
export function isNamed({ fields }: Header): boolean {
  const named = /;\s*(?:file)?name(?:\*\d*)*\s*=/i;
  return ['content-disposition', 'content-type'].some((field) => named.test(fields.get(field) ?? ''));
}

function typeOf(header: Header, preset: string): string {
  const declared = header.fields.get('content-type');
  if (declared === undefined) return preset;
  const type = declared.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return /^[^\s/]+\/[^\s/]+$/.test(type) ? type : 'text/plain';
}

/** A parameter of the Content-Type, unquoted. */
export function parameterOf(header: Header, name: string): string | undefined {
  const declared = header.fields.get('content-type') ?? '';
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;]*))`, 'i').exec(declared);
  const value = found?.[1]?.replaceAll(/\\(.)/g, '$1') ?? found?.[2];
  return value?.trimEnd() === '' ? undefined : value?.trimEnd();
}

/** The ranges between the delimiter lines; the line break before a delimiter belongs to the delimiter. */
function partsBetween(
  bytes: Buffer,
  from: number,
  to: number,
  boundary: string,
): { ranges: [number, number][]; closed: boolean } {
  const body = bytes.subarray(from, to);
  const mark = `--${boundary}`;
  const length = Buffer.byteLength(mark);
  const ranges: [number, number][] = [];
  let start = -1;
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + 2)) {
    if (at > 0 && body[at - 1] !== 0x0a) continue;
    const delimiter = delimiterAt(body, at + length);
    if (delimiter === undefined) continue;
    const end = at > 1 && body[at - 2] === 0x0d ? at - 2 : at - 1;
    if (start >= 0) ranges.push([from + start, from + Math.max(start, end)]);
    if (delimiter.closes) return { ranges, closed: true };
    start = delimiter.next;
  }
  if (start >= 0) ranges.push([from + start, to]);
  return { ranges, closed: false };
}

/** What follows the boundary's own bytes: nothing but `--` and blanks up to the end of the line, else no delimiter. */
function delimiterAt(body: Buffer, at: number): { closes: boolean; next: number } | undefined {
  const closes = body[at] === 0x2d && body[at + 1] === 0x2d;
  let end = closes ? at + 2 : at;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (body[end] === 0x0d) end += 1;
  if (end < body.length && body[end] !== 0x0a) return undefined;
  return { closes, next: Math.min(end + 1, body.length) };
}
