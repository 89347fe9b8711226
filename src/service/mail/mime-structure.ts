// Parses the MIME structure of a mail (RFC 2046): its leaf parts in order, each with its header and the exact bytes of its body.
import { Buffer } from 'node:buffer';
import { parseHeader, type Header } from './header.ts';

/** A part that is not split further. */
export type MimeLeaf = {
  header: Header;
  /** Lower case, without parameters. `text/plain` when the declared type is absent or malformed (RFC 2045 5.2). */
  type: string;
  /** Still in its transfer encoding. */
  body: Buffer;
  /** False when this part, or a message or report around it, is an attachment and not part of the visible text. */
  shown: boolean;
  /** Headers of the forwarded messages that begin with this part and are shown; the outermost first. */
  forwardedHeaders: Header[];
  /** False when the body runs to the end of the mail. Its last line break is then content, not part of a delimiter. */
  delimited: boolean;
};

/** A mail with its leaf parts in order. */
export type MimeStructure = {
  header: Header;
  type: string;
  leaves: MimeLeaf[];
  /** False when the header is malformed, or when a boundary or the end of a multipart is missing. */
  wellFormed: boolean;
};

// More than any mailer makes. Deeper parts, and parts after these, stay one leaf.
const MAX_DEPTH = 64;
const MAX_LEAVES = 10_000;
/** The longest line of a mail (RFC 5322 2.1.1). RFC 2046 allows a boundary 70 characters. */
const MAX_BOUNDARY_BYTES = 998;

/** What a part inherits from what is around it. */
type Context = {
  /** Its type when it declares none. */
  defaultType: string;
  /** Of the part around it; 0 for the mail itself. */
  depth: number;
  shown: boolean;
  /** Whether it is directly in a multipart/report. */
  inReport: boolean;
  /** Whether it is a forwarded message that is shown. */
  isForwarded: boolean;
};

/** Returns the structure of a mail. Takes time linear in its size, whatever its boundaries. Never throws. */
export function parseMimeStructure(message: Buffer): MimeStructure {
  const leaves: MimeLeaf[] = [];
  const forwarded: Header[] = [];
  let wellFormed = true;

  const visit = (from: number, to: number, context: Context): Header => {
    const header = parseHeader(message, from, to);
    const type = typeOf(header, context.defaultType);
    const depth = context.depth + 1;
    if (context.isForwarded) forwarded.push(header);
    const shown = context.shown && !hasAttachmentDisposition(header);
    if (!header.wellFormed && context.depth === 0) wellFormed = false;
    const boundary = type.startsWith('multipart/') ? boundaryOf(header) : undefined;
    if (depth <= MAX_DEPTH && boundary !== undefined) {
      const maxRanges = MAX_LEAVES - leaves.length;
      const { ranges, closed } = partsBetween(message, header.bodyAt, to, { boundary, maxRanges });
      if (!closed) wellFormed = false;
      const defaultType = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
      const inReport = context.inReport || type === 'multipart/report';
      const inner = { defaultType, depth, shown, inReport, isForwarded: false };
      for (const [start, end] of ranges) {
        if (leaves.length < MAX_LEAVES) {
          visit(start, end, inner);
        } else {
          visit(start, to, { ...inner, depth: MAX_DEPTH });
          break;
        }
      }
      if (ranges.length > 0) return header;
    } else if (depth <= MAX_DEPTH && isNestedMessage(type, header)) {
      // A message inside a report is the subject of the report, like the report's status fields: it is not shown.
      const isForwarded = shown && type === 'message/rfc822' && !context.inReport;
      const inner = { defaultType: 'text/plain', depth, shown: isForwarded, inReport: false, isForwarded };
      visit(header.bodyAt, to, inner);
      return header;
    } else if (type.startsWith('multipart/') || depth > MAX_DEPTH) {
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

  const top = { defaultType: 'text/plain', depth: 0, shown: true, inReport: false, isForwarded: false };
  const header = visit(0, message.length, top);
  return { header, type: typeOf(header, top.defaultType), leaves, wellFormed };
}

/** A nested message is split into its own parts, except when it has a file name: then it is an attachment. */
function isNestedMessage(type: string, header: Header): boolean {
  return type.startsWith('message/') && !(type === 'message/rfc822' && hasFilename(header));
}

/** Returns whether a part declares itself an attachment (`Content-Disposition: attachment`, RFC 2183 2.2). */
export function hasAttachmentDisposition({ fields }: Header): boolean {
  return /^\s*attachment\s*(?:;|$)/i.test(fields.get('content-disposition') ?? '');
}

/** Returns whether one of the two fields that can hold a file name does (RFC 2183 2.3, RFC 2231). */
export function hasFilename({ fields }: Header): boolean {
  const parameter = /;\s*(?:file)?name(?:\*\d*)*\s*=/i;
  return ['content-disposition', 'content-type'].some((field) => parameter.test(fields.get(field) ?? ''));
}

function typeOf(header: Header, defaultType: string): string {
  const declared = header.fields.get('content-type');
  if (declared === undefined) return defaultType;
  const type = declared.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return /^[^\s/]{1,127}\/[^\s/]{1,127}$/.test(type) ? type : 'text/plain';
}

/** Returns a parameter of the Content-Type without quotes; undefined when it is absent or empty. */
export function contentTypeParameter(header: Header, name: string): string | undefined {
  const declared = header.fields.get('content-type') ?? '';
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;]*))`, 'i').exec(declared);
  const value = found?.[1]?.replaceAll(/\\(.)/g, '$1') ?? found?.[2];
  return value?.trimEnd() === '' ? undefined : value?.trimEnd();
}

/** The boundary of a multipart. One that is longer than a line can be is ignored. */
function boundaryOf(header: Header): Buffer | undefined {
  const boundary = Buffer.from(contentTypeParameter(header, 'boundary') ?? '');
  return boundary.length === 0 || boundary.length > MAX_BOUNDARY_BYTES ? undefined : boundary;
}

/**
 * Returns the ranges between the delimiter lines of a multipart. The line break before a delimiter belongs to the
 * delimiter. Reads each line once. The last of `maxRanges` ranges holds everything that follows.
 */
function partsBetween(
  bytes: Buffer,
  from: number,
  to: number,
  { boundary, maxRanges }: { boundary: Buffer; maxRanges: number },
): { ranges: [number, number][]; closed: boolean } {
  const body = bytes.subarray(from, to);
  const ranges: [number, number][] = [];
  let start = -1;
  let at = body[0] === 0x2d && body[1] === 0x2d ? 0 : afterLineBreak(body, 0);
  for (; at >= 0 && ranges.length < maxRanges - 1; at = afterLineBreak(body, at)) {
    const boundaryStart = at + 2;
    const boundaryEnd = boundaryStart + boundary.length;
    if (boundaryEnd > body.length) continue;
    if (body.compare(boundary, 0, boundary.length, boundaryStart, boundaryEnd) !== 0) continue;
    const delimiter = delimiterAt(body, boundaryEnd);
    if (delimiter === undefined) continue;
    const end = at > 1 && body[at - 2] === 0x0d ? at - 2 : at - 1;
    if (start >= 0) ranges.push([from + start, from + Math.max(start, end)]);
    if (delimiter.closes) return { ranges, closed: true };
    start = delimiter.next;
  }
  if (start >= 0) ranges.push([from + start, to]);
  return { ranges, closed: false };
}

/** Returns the index of the next line after `from` that begins with two dashes, or -1. */
function afterLineBreak(body: Buffer, from: number): number {
  const found = body.indexOf('\n--', from, 'latin1');
  return found < 0 ? -1 : found + 1;
}

/** Returns what follows a boundary: only `--` and blanks may stand before the end of its line, else undefined. */
function delimiterAt(body: Buffer, at: number): { closes: boolean; next: number } | undefined {
  const closes = body[at] === 0x2d && body[at + 1] === 0x2d;
  let end = closes ? at + 2 : at;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (body[end] === 0x0d) end += 1;
  if (end < body.length && body[end] !== 0x0a) return undefined;
  return { closes, next: Math.min(end + 1, body.length) };
}
