// The texts of a stored message that are searched: what its reader may see of subject, sender, body and files.
import { hash } from 'node:crypto';
import { isMessageFormat, type MessageFormat } from '../../contract/message-format.ts';
import type { SearchText } from '../../contract/search/match.ts';
import { searchable } from '../../contract/search/words.ts';
import { decoderFor } from './charset.ts';
import { htmlToText } from './html-text.ts';
import { decodeTextPart } from './mail-text.ts';
import { readMessageText } from './message-text.ts';
import { mimeStructureOf, type MimeLeaf } from './mime-structure.ts';
import { withoutRedactedParts } from './redacted-parts.ts';

/** A message as it is stored, with its files. */
export type StoredMessage = {
  format: MessageFormat;
  subject: string | null;
  sender: string | null;
  raw: Uint8Array;
  files: readonly StoredFile[];
  /** Names for ids in the text of a Slack message, as a JSON object by id. */
  mentions: string | null;
};

/** A file of a message. `withheld`: nothing of it may be found, neither its name nor its content. */
export type StoredFile = {
  filename: string;
  sha256: string;
  bytes: number;
  declared_type: string;
  withheld: boolean;
};

/** Reads a stored file whose hash was checked; undefined where the archive does not have it as it was imported. */
export type ReadFile = (sha256: string) => Promise<Uint8Array | undefined>;

/** A message as the store reads it. */
type ReadMessage = Pick<StoredMessage, 'raw' | 'files'> & {
  row: Pick<StoredMessage, 'format' | 'subject' | 'sender' | 'mentions'> & { raw_sha256: string };
};

/** Returns the function that reads the texts of messages, none of a message whose bytes or format are not those of import. */
export function searchTextReader(
  readFile: ReadFile,
): (message: ReadMessage) => Promise<SearchText | undefined> {
  const read = importedTextReader(readFile);
  return async (message) => {
    const { raw, row } = message;
    const isSound = isMessageFormat(row.format) && hash('sha256', raw, 'hex') === row.raw_sha256;
    return isSound ? read(message) : undefined;
  };
}

/** As {@link searchTextReader}, for messages that are being imported: their hashes were just made of these bytes. */
export function importedTextReader(readFile: ReadFile): (message: ReadMessage) => Promise<SearchText> {
  return async ({ row: { format, subject, sender, mentions }, raw, files }) =>
    searchTextOf({ format, subject, sender, raw, files, mentions }, readFile);
}

/** What is read of a text file, and of all text files of a message. */
const MAX_FILE_BYTES = 64 * 1024;
const MAX_FILES_BYTES = 256 * 1024;
/** A file that is stored apart is read whole, for its hash. Of a larger one only the name is searched. */
const MAX_READ_BYTES = 4 * 1024 * 1024;
/** What is read of the body. Larger ones are generated. */
const MAX_BODY_CHARACTERS = 1024 * 1024;

/**
 * Returns the texts of a message. Lines of the body that begin with `>` are quoted. Text files are part of `files`, with the
 * names of all files. Never throws for malformed content.
 */
export async function searchTextOf(message: StoredMessage, readFile: ReadFile): Promise<SearchText> {
  const { format, subject, sender, raw, mentions } = message;
  const names = message.files.filter(({ withheld }) => !withheld).map(({ filename }) => filename);
  const { body, files } =
    format === 'rfc822'
      ? mailTexts(message)
      : { body: await otherText(format, raw, mentions), files: await fileTexts(message, readFile) };
  const lines = splitQuoted(body);
  return {
    subject: searchable(subject ?? ''),
    sender: searchable(sender ?? ''),
    body: searchable(lines.body),
    files: searchable([...names, ...files].join('\n')),
    quoted: searchable(lines.quoted),
  };
}

async function otherText(format: MessageFormat, raw: Uint8Array, mentions: string | null): Promise<string> {
  return ((await readMessageText(format, raw, { mentions })).text ?? '').slice(0, MAX_BODY_CHARACTERS);
}

/** A mail contains its files. */
function mailTexts({ raw, files }: StoredMessage): { body: string; files: string[] } {
  const { leaves } = mimeStructureOf(raw);
  const withheld = new Set(files.filter((file) => file.withheld).map(({ sha256 }) => sha256));
  const readable = readableLeaves(leaves, withheld);
  const shown = readable.filter((leaf) => leaf.shown);
  const texts = { bytes: 0, found: [] as string[] };
  for (const leaf of readable) {
    if (leaf.shown || !leaf.type.startsWith('text/') || texts.bytes >= MAX_FILES_BYTES) continue;
    const text = textOf(leaf).slice(0, Math.min(MAX_FILE_BYTES, MAX_FILES_BYTES - texts.bytes));
    texts.found.push(text);
    texts.bytes += text.length;
  }
  return { body: bodyOf(shown), files: texts.found };
}

/** Returns the parts that are not withheld. What is inside a withheld message is withheld with it. */
function readableLeaves(leaves: readonly MimeLeaf[], withheld: ReadonlySet<string>): readonly MimeLeaf[] {
  const open = withoutRedactedParts(leaves, withheld);
  if (open.length === leaves.length) return leaves;
  const kept = new Set(open);
  const readable: MimeLeaf[] = [];
  for (let at = 0; at < leaves.length; at += 1) {
    const leaf = leaves[at]!;
    if (kept.has(leaf)) readable.push(leaf);
    else at += leaf.contains;
  }
  return readable;
}

/** The plain text. HTML is read where there is none, or where it says much more, as beside the footer of a mailing list. */
function bodyOf(shown: readonly MimeLeaf[]): string {
  const plain = joined(shown.filter(({ type }) => type === 'text/plain'));
  const html = shown.filter(({ type }) => type === 'text/html');
  if (html.length === 0) return plain;
  const text = joined(html);
  return plain.trim() === '' || text.length > 2 * plain.length ? `${plain}\n${text}` : plain;
}

function joined(leaves: readonly MimeLeaf[]): string {
  let text = '';
  for (const leaf of leaves) {
    if (text.length >= MAX_BODY_CHARACTERS) break;
    text += `${textOf(leaf)}\n`;
  }
  return text.slice(0, MAX_BODY_CHARACTERS);
}

function textOf(leaf: MimeLeaf): string {
  const text = decodeTextPart(leaf);
  return leaf.type === 'text/html' ? htmlToText(text).text : text;
}

async function fileTexts({ files }: StoredMessage, readFile: ReadFile): Promise<string[]> {
  const texts: string[] = [];
  let left = MAX_FILES_BYTES;
  for (const { sha256, bytes, declared_type: type, withheld } of files) {
    if (withheld || left <= 0 || !type.startsWith('text/') || bytes > MAX_READ_BYTES) continue;
    const content = await readFile(sha256);
    if (content === undefined) continue;
    const part = content.subarray(0, Math.min(MAX_FILE_BYTES, left));
    left -= part.length;
    const text = decoderFor().decode(part);
    texts.push(type === 'text/html' ? htmlToText(text).text : text);
  }
  return texts;
}

const QUOTED_LINE = /^\s{0,3}>/;

function splitQuoted(text: string): { body: string; quoted: string } {
  const body: string[] = [];
  const quoted: string[] = [];
  // Where the lines begin that were read last and are not quoted.
  let from = 0;
  // Of lines only those are read that have the sign.
  for (let sign = text.indexOf('>'); sign >= 0;) {
    const at = text.lastIndexOf('\n', sign) + 1;
    const end = text.indexOf('\n', sign);
    const next = end < 0 ? text.length + 1 : end + 1;
    sign = text.indexOf('>', next);
    if (!QUOTED_LINE.test(text.slice(at, Math.min(at + 4, next - 1)))) continue;
    if (from < at) body.push(text.slice(from, at - 1));
    quoted.push(text.slice(at, next - 1).replace(/^[>\s]{1,200}/, ''));
    from = next;
  }
  if (from <= text.length) body.push(text.slice(from));
  return { body: body.join('\n'), quoted: quoted.join('\n') };
}
