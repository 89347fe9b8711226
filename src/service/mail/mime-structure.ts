// Parses the MIME structure of a mail (RFC 2046): its leaf parts in order, each with its header and the exact bytes of its body.
import { Buffer } from 'node:buffer';
import { mediaTypeOf } from '../../contract/media-type.ts';
import { parseHeader, valueBeforeParameters, type Header } from './header.ts';
import { withLfEnds } from './line-ends.ts';
import { partsBetween } from './mime-boundary.ts';
import { contentTypeParameter, hasAttachmentDisposition, hasFilename } from './part-header.ts';
import { decodeTransferEncoding } from './transfer-encoding.ts';

/** A part that is not split further, or a message with a file name: a file whose own parts follow it. */
export type MimeLeaf = {
  header: Header;
  /**
   * Lower case, without parameters. `text/plain` when the declared type is absent or has not two parts (RFC 2045 5.2). May have
   * signs that no content type has: {@link declaredTypeOf}.
   */
  type: string;
  /** Still in its transfer encoding. */
  body: Buffer;
  /** False when this part, or a message or report around it, is an attachment and not part of the visible text. */
  shown: boolean;
  /** Headers of the forwarded messages that begin with this part and are shown; the outermost first. */
  forwardedHeaders: Header[];
  /** Headers of all mails inside the mail that begin with this part, shown or not; the outermost first. */
  enclosedHeaders: Header[];
  /** The first fields of a report (`message/delivery-status` and other messages that are no mails), which its body follows. */
  reportFields: Buffer | undefined;
  /** False when the body runs to the end of the mail. Its last line break is then content, not part of a delimiter. */
  delimited: boolean;
  /** How many of the next leaves are inside this one; 0 unless it is a message with a file name. */
  contains: number;
  /** The branches of the multipart/alternatives around this part, the outermost first. */
  branches: readonly Branch[];
};

/** One of the forms in which a multipart/alternative has its content: the number of the multipart, and of its part. */
export type Branch = { of: number; number: number };

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
/** Bytes that are searched for boundaries: a mail of 36 MB is read for seven multiparts inside each other. */
const MAX_SEARCHED_BYTES = 256 * 1024 * 1024;
/** Nested messages in an encoding inside each other. Each is a copy in memory, so more stay one leaf. */
const MAX_ENCODED_DEPTH = 4;
/** The longest line of a mail (RFC 5322 2.1.1). RFC 2046 allows a boundary 70 characters. */
const MAX_BOUNDARY_BYTES = 998;

/** What a part inherits from what is around it. */
type Context = {
  /** Its type when it declares none. */
  defaultType: string;
  /** Of the part around it; 0 for the mail itself. */
  depth: number;
  /** How many messages around it are in a transfer encoding. */
  encodedDepth: number;
  shown: boolean;
  /** Whether it is directly in a multipart/report. */
  inReport: boolean;
  /** Whether it is a forwarded message that is shown. */
  isForwarded: boolean;
  /** What a message inside the mail is: a mail, or a report of fields. */
  message: 'mail' | 'report' | undefined;
  branches: readonly Branch[];
};

/** Structures by the bytes of their mail: an import reads them for its rows and for the search index. */
const STRUCTURES = new WeakMap<Uint8Array, MimeStructure>();

/** Returns the structure of a mail whose bytes do not change. See {@link parseMimeStructure}. */
export function mimeStructureOf(raw: Uint8Array): MimeStructure {
  let structure = STRUCTURES.get(raw);
  if (structure === undefined) {
    structure = parseMimeStructure(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
    STRUCTURES.set(raw, structure);
  }
  return structure;
}

/**
 * Returns the structure of a mail. The lines of the mail, or of a mail inside it, may all end with CR: its parts then have LF. Takes
 * time linear in its size, whatever its boundaries; multiparts beyond {@link MAX_SEARCHED_BYTES} stay one leaf. Never throws.
 */
export function parseMimeStructure(message: Buffer): MimeStructure {
  const leaves: MimeLeaf[] = [];
  const forwarded: Header[] = [];
  const enclosed: Header[] = [];
  let wellFormed = true;
  let alternatives = 0;
  let searchedBytes = 0;

  const visit = (bytes: Buffer, from: number, to: number, context: Context): Header => {
    const header = parseHeader(bytes, from, to);
    const type = typeOf(header, context.defaultType);
    const depth = context.depth + 1;
    if (context.isForwarded) forwarded.push(header);
    if (context.message === 'mail') enclosed.push(header);
    const shown = context.shown && !hasAttachmentDisposition(header);
    if (!header.wellFormed && context.depth === 0) wellFormed = false;
    const boundary = type.startsWith('multipart/') ? boundaryOf(header) : undefined;
    if (boundary !== undefined) searchedBytes += to - header.bodyAt;
    if (depth <= MAX_DEPTH && boundary !== undefined && searchedBytes <= MAX_SEARCHED_BYTES) {
      const maxRanges = MAX_LEAVES - leaves.length;
      const { ranges, closed } = partsBetween(bytes, header.bodyAt, to, { boundary, maxRanges });
      if (!closed) wellFormed = false;
      const defaultType = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
      const inReport = context.inReport || type === 'multipart/report';
      const inner = {
        ...context,
        defaultType,
        depth,
        shown,
        inReport,
        isForwarded: false,
        message: undefined,
      };
      const of = type === 'multipart/alternative' ? alternatives++ : undefined;
      for (const [index, [start, end]] of ranges.entries()) {
        const branches = of === undefined ? context.branches : [...context.branches, { of, number: index }];
        if (leaves.length < MAX_LEAVES) {
          visit(bytes, start, end, { ...inner, branches });
        } else {
          visit(bytes, start, to, { ...inner, depth: MAX_DEPTH });
          break;
        }
      }
      if (ranges.length > 0) return header;
    } else if (depth <= MAX_DEPTH && isNestedMessage(type, header)) {
      // A message inside a report is the subject of the report, like the report's status fields: it is not shown.
      const isForwarded = shown && type === 'message/rfc822' && !context.inReport;
      const message = type === 'message/rfc822' || type === 'message/global' ? 'mail' : 'report';
      if (visitMessage(bytes, header, to, { ...context, depth, shown: isForwarded, isForwarded, message }))
        return header;
      wellFormed = false;
    } else if (type.startsWith('multipart/') || depth > MAX_DEPTH) {
      wellFormed = false;
    }
    const leaf: MimeLeaf = {
      header,
      type,
      body: bytes.subarray(header.bodyAt, to),
      shown,
      forwardedHeaders: forwarded.splice(0),
      enclosedHeaders: enclosed.splice(0),
      reportFields: context.message === 'report' ? bytes.subarray(from, header.bodyAt) : undefined,
      delimited: to < bytes.length,
      contains: 0,
      branches: context.branches,
    };
    leaves.push(leaf);
    if (depth <= MAX_DEPTH && isNamedMessage(type, header)) {
      const before = { leaves: leaves.length, wellFormed };
      visitMessage(bytes, header, to, {
        ...context,
        depth,
        shown: false,
        isForwarded: false,
        message: 'mail',
      });
      leaf.contains = leaves.length - before.leaves;
      // What is wrong inside a file is not wrong with the mail.
      ({ wellFormed } = before);
    }
    return header;
  };

  /** Visits the message in the body of a part, decoded. Returns false where it is encoded too often, or no leaf is left. */
  const visitMessage = (bytes: Buffer, header: Header, to: number, context: Context): boolean => {
    if (leaves.length >= MAX_LEAVES) return false;
    const inner = { ...context, defaultType: 'text/plain', inReport: false };
    const body = bytes.subarray(header.bodyAt, to);
    const encoding = header.fields.get('content-transfer-encoding') ?? '';
    const decoded = withLfEnds(decodeTransferEncoding(body, encoding));
    if (decoded === body) {
      visit(bytes, header.bodyAt, to, inner);
      return true;
    }
    if (context.encodedDepth >= MAX_ENCODED_DEPTH) return false;
    visit(decoded, 0, decoded.length, { ...inner, encodedDepth: context.encodedDepth + 1 });
    return true;
  };

  const top = {
    defaultType: 'text/plain',
    depth: 0,
    encodedDepth: 0,
    shown: true,
    inReport: false,
    isForwarded: false,
    message: undefined,
    branches: [],
  };
  const header = visit(withLfEnds(message), 0, message.length, top);
  return { header, type: typeOf(header, top.defaultType), leaves, wellFormed };
}

/** A nested message is split into its own parts. With a file name it is an attachment besides. */
function isNestedMessage(type: string, header: Header): boolean {
  return type.startsWith('message/') && !isNamedMessage(type, header);
}

function isNamedMessage(type: string, header: Header): boolean {
  return type === 'message/rfc822' && hasFilename(header);
}

function typeOf(header: Header, defaultType: string): string {
  const declared = header.fields.get('content-type');
  if (declared === undefined) return defaultType;
  const type = valueBeforeParameters(declared)
    .toLowerCase()
    .split('/')
    .map((name) => name.trim())
    .join('/');
  return /^[^\s/]{1,127}\/[^\s/]{1,127}$/.test(type) ? type : 'text/plain';
}

/** Returns the declared type of a part, as a valid content type. */
export function declaredTypeOf({ type }: Pick<MimeLeaf, 'type'>): string {
  return mediaTypeOf(type) ?? 'application/octet-stream';
}

/** The boundary of a multipart. One that is longer than a line can be is ignored. */
function boundaryOf(header: Header): Buffer | undefined {
  const boundary = Buffer.from(contentTypeParameter(header, 'boundary') ?? '');
  return boundary.length === 0 || boundary.length > MAX_BOUNDARY_BYTES ? undefined : boundary;
}
