// A mail as a person reads it: its text and its files in order, HTML as text, one of several forms of the same text.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { decoderFor, isValidIn } from './charset.ts';
import { joinFlowedLines } from './flowed-text.ts';
import type { Header } from './header.ts';
import { htmlToText } from './html-text.ts';
import { filenameOf } from './mail-record.ts';
import { declaredTypeOf, parseMimeStructure, type MimeLeaf } from './mime-structure.ts';
import { contentTypeParameter, hasAttachmentDisposition, hasFilename } from './part-header.ts';
import { decodeTransferEncoding } from './transfer-encoding.ts';

export { readUnusualMail, type UnusualMail } from './unusual-mail.ts';

/** A part of a message, in the order of the message. */
export type ReadablePart = {
  /** `alternative`: another form of a text that is shown, such as its HTML; it is named and not shown. */
  kind: 'text' | 'file' | 'alternative';
  /** The declared type, lower case. */
  type: string;
  /** Of a text: LF line ends. HTML is turned into text, format=flowed into a line for each paragraph. */
  text?: string;
  /** Of a text from HTML: the addresses that `[1]`, `[2]` … in it stand for. */
  links?: string[];
  filename?: string | null;
  /** Of a file: its decoded bytes. */
  sha256?: string;
  bytes?: number;
  /** Headers of forwarded messages that begin here: From, Date, To and Subject. */
  forwarded?: [name: string, value: string][][];
  /** What makes the part doubtful. */
  warnings?: string[];
};

/** A mail in readable parts. */
export type ReadableMail = { parts: ReadablePart[]; wellFormed: boolean };

/** Which form of a text is shown where there are several. */
export type PreferredForm = 'text/plain' | 'text/html';

/**
 * Returns the parts of a mail. Every leaf of its MIME structure is a part, except for texts inside an attached message, which is
 * a file itself. Takes time linear in the mail, whatever it holds. Never throws.
 */
export async function readableMail(
  bytes: Buffer,
  prefer: PreferredForm = 'text/plain',
): Promise<ReadableMail> {
  const { leaves, wellFormed } = parseMimeStructure(bytes);
  return { parts: (await readableLeaves(leaves, prefer)).map(({ part }) => part), wellFormed };
}

/** Returns the parts of leaves, each with its leaf. See {@link readableMail}. */
export async function readableLeaves(
  leaves: readonly MimeLeaf[],
  prefer: PreferredForm = 'text/plain',
): Promise<{ part: ReadablePart; leaf: MimeLeaf }[]> {
  const { decodeWords } = await import('postal-mime');
  const shownBranches = chooseBranches(leaves, prefer);
  const parts: { part: ReadablePart; leaf: MimeLeaf }[] = [];
  const add = (leaf: MimeLeaf, part: ReadablePart): unknown => parts.push({ leaf, part });
  let endOfFile = 0;
  for (const [index, leaf] of leaves.entries()) {
    const isInFile = index < endOfFile;
    endOfFile = Math.max(endOfFile, index + 1 + leaf.contains);
    const forwarded = leaf.enclosedHeaders.map((header) => headingOf(header, decodeWords));
    const head = forwarded.length === 0 ? {} : { forwarded };
    if (isFile(leaf)) add(leaf, { ...(await fileOf(leaf)), ...head });
    // A text with a file name is read too, such as a patch that is shown in the mail.
    if (!isText(leaf) || isInFile || (isFile(leaf) && !leaf.shown)) continue;
    const isOtherForm = leaf.branches.some(({ of, number }) => (shownBranches.get(of) ?? number) !== number);
    if (isOtherForm)
      add(leaf, { kind: 'alternative', type: declaredTypeOf(leaf), bytes: leaf.body.length, ...head });
    else add(leaf, { ...textOf(leaf), ...(isFile(leaf) ? {} : head) });
  }
  return parts;
}

/**
 * Returns the parts of a message of which only the text and the HTML are known. `contentType`: that of the message, which may
 * say format=flowed.
 */
export function readableText(
  { text, html, contentType }: { text: string | null; html: string | null; contentType: string | undefined },
  prefer: PreferredForm = 'text/plain',
): ReadablePart[] {
  const forms = [
    ...(text === null || text.trim() === '' ? [] : [shownText('text/plain', text, contentType)]),
    ...(html === null || html.trim() === '' ? [] : [shownText('text/html', html, undefined)]),
  ];
  const shown = forms.find(({ type }) => type === prefer) ?? forms[0];
  return forms.map((part) =>
    part === shown ? part : { kind: 'alternative', type: part.type, bytes: Buffer.byteLength(html ?? '') },
  );
}

/** Returns a header value with its encoded words (RFC 2047) decoded. */
export async function decodedHeader(value: string): Promise<string> {
  const { decodeWords } = await import('postal-mime');
  return decodeWords(value);
}

/** Returns for each multipart/alternative the branch that is shown: the first with text of the preferred type, else of the other. */
function chooseBranches(leaves: readonly MimeLeaf[], prefer: PreferredForm): Map<number, number> {
  const other: PreferredForm = prefer === 'text/html' ? 'text/plain' : 'text/html';
  const chosen = new Map<number, number>();
  for (const wanted of [prefer, other])
    for (const leaf of leaves) {
      if (leaf.branches.length === 0 || leaf.type !== wanted || !leaf.shown || isBlank(leaf)) continue;
      for (const { of, number } of leaf.branches) if (!chosen.has(of)) chosen.set(of, number);
    }
  return chosen;
}

const isBlank = (leaf: MimeLeaf): boolean => !/\S/.test(leaf.body.toString('latin1'));

/** A malformed multipart is one leaf. Without a file name, what it holds is read as text. */
const isText = (leaf: MimeLeaf): boolean =>
  leaf.type.startsWith('text/') || (leaf.type.startsWith('multipart/') && !isFile(leaf));

/** Returns whether an import makes the part an attachment. */
function isFile({ type, header }: MimeLeaf): boolean {
  const mayBeText = type.startsWith('text/') || type.startsWith('multipart/');
  return !mayBeText || hasAttachmentDisposition(header) || hasFilename(header);
}

async function fileOf(leaf: MimeLeaf): Promise<ReadablePart> {
  const { header, body } = leaf;
  const type = declaredTypeOf(leaf);
  const content = decodeTransferEncoding(body, encodingOf(header));
  const filename = hasFilename(header) ? await filenameOf(header) : null;
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { kind: 'file', type, filename, sha256, bytes: content.length, ...warningsOf(damage(header, body)) };
}

function textOf(leaf: MimeLeaf): ReadablePart {
  const { header, type, body } = leaf;
  const charset = contentTypeParameter(header, 'charset');
  const content = decodeTransferEncoding(body, encodingOf(header));
  const isValid = isValidIn(charset, content);
  const notes = [
    ...damage(header, body),
    ...(isValid ? [] : [`some bytes are no ${charset ?? 'us-ascii'}: letters may be wrong`]),
    ...(type.startsWith('multipart/') ? [`${type} without readable parts, shown as it is`] : []),
  ];
  const text = fieldsText(leaf.reportFields) + decoderFor(charset).decode(content);
  return { ...shownText(type, text, header.fields.get('content-type')), ...warningsOf(notes) };
}

/** Returns the first fields of a report as text, with the empty line after them. */
function fieldsText(fields: Buffer | undefined): string {
  return fields === undefined ? '' : fields.toString(isUtf8(fields) ? 'utf8' : 'latin1');
}

function shownText(type: string, source: string, contentType: string | undefined): ReadablePart {
  if (type === 'text/html') {
    const { text, links } = htmlToText(source, { links: true });
    return { kind: 'text', type, text, ...(links.length === 0 ? {} : { links }) };
  }
  const text = source.replaceAll(/\r\n?/g, '\n');
  const isFlowed = type === 'text/plain' && /;\s*format\s*=\s*"?flowed\b/i.test(contentType ?? '');
  if (!isFlowed) return { kind: 'text', type, text };
  return {
    kind: 'text',
    type,
    text: joinFlowedLines(text, /;\s*delsp\s*=\s*"?yes\b/i.test(contentType ?? '')),
  };
}

/** Returns what is wrong with the transfer encoding of a part. */
function damage(header: Header, body: Buffer): string[] {
  if (!/base64/i.test(encodingOf(header))) return [];
  return /[^A-Za-z\d+/=\s]/.test(body.toString('latin1'))
    ? ['its base64 is damaged: bytes may be missing']
    : [];
}

const warningsOf = (warnings: string[]): { warnings?: string[] } =>
  warnings.length === 0 ? {} : { warnings };

const encodingOf = ({ fields }: Header): string => fields.get('content-transfer-encoding') ?? '';

const MAX_HEADING_CHARACTERS = 1000;

function headingOf({ fields }: Header, decodeWords: (text: string) => string): [string, string][] {
  return ['From', 'Date', 'To', 'Subject'].flatMap((name): [string, string][] => {
    const value = fields.get(name.toLowerCase());
    return value === undefined ? [] : [[name, decodeWords(value.slice(0, MAX_HEADING_CHARACTERS))]];
  });
}
