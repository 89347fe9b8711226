// The MIME structure of a message as byte ranges (RFC 2046): its leaves in order, each with its header and exact body.
import { Buffer } from 'node:buffer';
import { parseHeader, type Header } from './header.ts';

export type MimeLeaf = {
  header: Header;
  /** Lower case, without parameters; text/plain where none or nonsense is declared (RFC 2045 5.2). */
  type: string;
  /** Still in its transfer encoding. */
  body: Buffer;
  /** False where the part, or a message or report it is in, asks to be a file of its own and no part of the letter. */
  shown: boolean;
  /** Headers of the forwarded messages that begin with this leaf, the outer one first, where they are shown. */
  forwardedHeaders: Header[];
  /** False where the body runs to the end of the message: then its last line break is its own, not a delimiter's. */
  delimited: boolean;
};

export type MimeStructure = {
  header: Header;
  type: string;
  leaves: MimeLeaf[];
  /** False where a header, a boundary or the end of a multipart was missing. */
  wellFormed: boolean;
};

/** Deeper nesting and more parts than any mailer makes: what is below or after them stays one leaf. */
const DEEPEST = 64;
const MOST_LEAVES = 10_000;
/** The longest line of a mail (RFC 5322 2.1.1); RFC 2046 allows a boundary 70. */
const LONGEST_BOUNDARY = 998;

/** What a part is told: its type where it declares none, how deep it stands, what is around it, whether it is a message. */
type Place = { preset: string; depth: number; shown: boolean; reported: boolean; isForwarded: boolean };

/** Takes time in proportion to the message, whatever its boundaries and nesting. */
export function parseMimeStructure(message: Buffer): MimeStructure {
  const leaves: MimeLeaf[] = [];
  const forwarded: Header[] = [];
  let wellFormed = true;

  const walk = (from: number, to: number, place: Place): Header => {
    const header = parseHeader(message, from, to);
    const type = typeOf(header, place.preset);
    const depth = place.depth + 1;
    if (place.isForwarded) forwarded.push(header);
    const shown = place.shown && !hasAttachmentDisposition(header);
    if (!header.wellFormed && place.depth === 0) wellFormed = false;
    const boundary = type.startsWith('multipart/') ? boundaryOf(header) : undefined;
    if (depth <= DEEPEST && boundary !== undefined) {
      const most = MOST_LEAVES - leaves.length;
      const { ranges, closed } = partsBetween(message, header.bodyAt, to, { boundary, most });
      if (!closed) wellFormed = false;
      const preset = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
      const reported = place.reported || type === 'multipart/report';
      const part = { preset, depth, shown, reported, isForwarded: false };
      for (const [start, end] of ranges) {
        if (leaves.length < MOST_LEAVES) {
          walk(start, end, part);
        } else {
          walk(start, to, { ...part, depth: DEEPEST });
          break;
        }
      }
      if (ranges.length > 0) return header;
    } else if (depth <= DEEPEST && isNested(type, header)) {
      // The message in a report is what the report is about, as are its status fields.
      const quoted = shown && type === 'message/rfc822' && !place.reported;
      walk(header.bodyAt, to, {
        preset: 'text/plain',
        depth,
        shown: quoted,
        reported: false,
        isForwarded: quoted,
      });
      return header;
    } else if (type.startsWith('multipart/') || depth > DEEPEST) {
      wellFormed = false;
    }
    const body = message.subarray(header.bodyAt, to);
    leaves.push({
      header,
      type,
      body,
      shown,
      forwardedHeaders: forwarded.splice(0),
      delimited: to < message.length,
    });
    return header;
  };

  const top = { preset: 'text/plain', depth: 0, shown: true, reported: false, isForwarded: false };
  const header = walk(0, message.length, top);
  return { header, type: typeOf(header, top.preset), leaves, wellFormed };
}

/** A nested message is read for its own parts, unless it is named: then it is a file like any other. */
function isNested(type: string, header: Header): boolean {
  return type.startsWith('message/') && !(type === 'message/rfc822' && hasFilename(header));
}

/** Whether a part says that it is to be kept and not shown (RFC 2183 2.2). */
export function hasAttachmentDisposition({ fields }: Header): boolean {
  return /^\s*attachment\s*(?:;|$)/i.test(fields.get('content-disposition') ?? '');
}

/** Whether a part has a file name, by either of the fields that can give it one (RFC 2183 2.3, RFC 2231). */
export function hasFilename({ fields }: Header): boolean {
  const named = /;\s*(?:file)?name(?:\*\d*)*\s*=/i;
  return ['content-disposition', 'content-type'].some((field) => named.test(fields.get(field) ?? ''));
}

function typeOf(header: Header, preset: string): string {
  const declared = header.fields.get('content-type');
  if (declared === undefined) return preset;
  const type = declared.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return /^[^\s/]{1,127}\/[^\s/]{1,127}$/.test(type) ? type : 'text/plain';
}

/** A parameter of the Content-Type, unquoted. */
export function contentTypeParameter(header: Header, name: string): string | undefined {
  const declared = header.fields.get('content-type') ?? '';
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;]*))`, 'i').exec(declared);
  const value = found?.[1]?.replaceAll(/\\(.)/g, '$1') ?? found?.[2];
  return value?.trimEnd() === '' ? undefined : value?.trimEnd();
}

/** The boundary of a multipart; one that fits in no line is none. */
function boundaryOf(header: Header): Buffer | undefined {
  const boundary = Buffer.from(contentTypeParameter(header, 'boundary') ?? '');
  return boundary.length === 0 || boundary.length > LONGEST_BOUNDARY ? undefined : boundary;
}

/**
 * The ranges between the delimiter lines; the line break before a delimiter belongs to the delimiter. Each line is
 * looked at once. Of more than `most` ranges the last holds all the rest.
 */
function partsBetween(
  bytes: Buffer,
  from: number,
  to: number,
  { boundary, most }: { boundary: Buffer; most: number },
): { ranges: [number, number][]; closed: boolean } {
  const body = bytes.subarray(from, to);
  const ranges: [number, number][] = [];
  let start = -1;
  let at = body[0] === 0x2d && body[1] === 0x2d ? 0 : afterLineBreak(body, 0);
  for (; at >= 0 && ranges.length < most - 1; at = afterLineBreak(body, at)) {
    const mark = at + 2;
    const after = mark + boundary.length;
    if (after > body.length || body.compare(boundary, 0, boundary.length, mark, after) !== 0) continue;
    const delimiter = delimiterAt(body, after);
    if (delimiter === undefined) continue;
    const end = at > 1 && body[at - 2] === 0x0d ? at - 2 : at - 1;
    if (start >= 0) ranges.push([from + start, from + Math.max(start, end)]);
    if (delimiter.closes) return { ranges, closed: true };
    start = delimiter.next;
  }
  if (start >= 0) ranges.push([from + start, to]);
  return { ranges, closed: false };
}

/** The index of the next line from `from` on that begins with two dashes, or -1. */
function afterLineBreak(body: Buffer, from: number): number {
  const found = body.indexOf('\n--', from, 'latin1');
  return found < 0 ? -1 : found + 1;
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
