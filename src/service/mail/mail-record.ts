// Parses one mail into the record that the archive stores: key, threading, sender, date, and attachments with their exact bytes.
import { hash } from 'node:crypto';
import PostalMime, { addressParser, decodeWords } from 'postal-mime';
import type { Tier } from '../../contract/tier.ts';
import { detectContentType } from '../file-type/content-type.ts';
import { countTrailingBytes } from '../file-type/trailing-bytes.ts';
import type {
  ImportedAttachment,
  ImportedMessage,
  MessageSummary,
  RawMail,
} from '../records/import-items.ts';
import { isValidIn } from './charset.ts';
import { parseMailDate } from './date.ts';
import type { Header } from './header.ts';
import { declaredTypeOf, mimeStructureOf, type MimeLeaf } from './mime-structure.ts';
import { contentTypeParameter, hasAttachmentDisposition, hasFilename } from './part-header.ts';
import { rememberResults } from './remember-results.ts';
import { decodeTransferEncoding } from './transfer-encoding.ts';

/** Of more references the newest are kept: they suffice to find the thread, and a hostile header stays bounded. */
const MAX_REFERENCES = 500;
const MAX_ID_CHARACTERS = 998;
/** Longer senders, subjects and file names are cut in lists. The stored mail keeps them whole. */
const MAX_SHOWN_CHARACTERS = 2_000;

/**
 * Parses a mail, which gets this tier. Its header does not decide who may read it, because its sender wrote that.
 * Its attachments are the parts that are not text, have a file name, or are declared attachments. Parts of nested
 * messages count too; nested messages without a file name themselves do not, nor do multiparts, except one that cannot be split
 * and has a file name or declares itself an attachment. Does not fail on malformed mail.
 */
export async function parseMail(mail: RawMail, tier: Tier): Promise<ImportedMessage> {
  const { header, type, leaves, wellFormed } = mimeStructureOf(mail.raw);
  const parts: ParsedPart[] = [];
  // One after the other, so that the memory postal-mime needs for one file name is free before the next.
  for (const [index, leaf] of leaves.entries()) parts.push(await parsePart(leaf, index));
  const isInFile = countContainedFiles(leaves, parts);
  const references = idsIn(header.fields.get('references'));
  const [answered] = idsIn(header.fields.get('in-reply-to'));
  const related = answered === undefined ? references : [...references, answered];
  const listed = isListMail(header);
  return {
    kind: 'message',
    format: 'rfc822',
    path: mail.path,
    position: mail.position,
    raw: mail.raw,
    sha256: mail.sha256,
    ...summaryOf(header),
    related: related.slice(-MAX_REFERENCES),
    parent: answered ?? references.at(-1) ?? null,
    source: listed ? 'gateway' : 'external',
    channel: null,
    tier,
    nature: natureOf(header, type, listed),
    decodable: parts.every(({ decodable }, index) => decodable || isInFile[index]),
    wellFormed,
    attachments: parts.flatMap(({ attachment }) => attachment ?? []),
  };
}

/** Returns the key of a mail and what lists show of it, from its header alone. */
export function summaryOf({ fields }: Header): MessageSummary {
  const subject = fields.get('subject');
  return {
    key: keyOf(fields.get('message-id')),
    date_ms: parseMailDate(fields.get('date') ?? ''),
    sender: senderOf(fields.get('from') ?? fields.get('sender'))?.slice(0, MAX_SHOWN_CHARACTERS) ?? null,
    subject: subject === undefined ? null : decoded(subject).slice(0, MAX_SHOWN_CHARACTERS),
  };
}

/** Most subjects have no encoded word (RFC 2047), and are as they are. */
function decoded(text: string): string {
  return text.includes('=?') ? decodeWords(text) : text;
}

type ParsedPart = { decodable: boolean; attachment?: ImportedAttachment };

/** Sets `contains` of each file that is a message. Returns for each part whether it is inside such a file. */
function countContainedFiles(leaves: readonly MimeLeaf[], parts: readonly ParsedPart[]): boolean[] {
  const isInFile = leaves.map(() => false);
  for (const [index, { contains }] of leaves.entries()) {
    const { attachment } = parts[index]!;
    if (contains === 0 || attachment === undefined) continue;
    isInFile.fill(true, index + 1, index + 1 + contains);
    const inside = parts.slice(index + 1, index + 1 + contains);
    attachment.contains = inside.filter((part) => part.attachment !== undefined).length;
  }
  return isInFile;
}

async function parsePart(leaf: MimeLeaf, index: number): Promise<ParsedPart> {
  const { type, header } = leaf;
  const isDeclaredAttachment = hasAttachmentDisposition(header);
  const isNamed = hasFilename(header);
  if (type.startsWith('multipart/') && !isDeclaredAttachment && !isNamed) return { decodable: true };
  const filename = isNamed ? await filenameOf(header) : null;
  const content = decodeTransferEncoding(leaf.body, header.fields.get('content-transfer-encoding') ?? '');
  if (type.startsWith('text/') && !isDeclaredAttachment && filename === null) {
    return { decodable: isValidIn(contentTypeParameter(header, 'charset'), content) };
  }
  const detected = detectContentType(content);
  return {
    decodable: true,
    attachment: {
      filename: filename ?? `part-${index + 1}`,
      declared_type: declaredTypeOf(leaf),
      detected_type: detected,
      content,
      sha256: hash('sha256', content, 'hex'),
      bytes: content.length,
      inline: type.startsWith('image/') && !isDeclaredAttachment && header.fields.has('content-id'),
      origin_city: null,
      redaction: null,
      absence: null,
      trailing_bytes: detected === null ? 0 : countTrailingBytes(content, detected),
    },
  };
}

/**
 * Returns the file name of a part by RFC 2231 and RFC 2047, or null. postal-mime decodes it. It gets a part of these two fields
 * alone, because it can take very long for some bodies.
 */
export async function filenameOf({ fields }: Header): Promise<string | null> {
  const parametersOf = (value = '') => (value.includes(';') ? value.slice(value.indexOf(';')) : '');
  const part = [
    `Content-Type: application/octet-stream${parametersOf(fields.get('content-type'))}`,
    `Content-Disposition: attachment${parametersOf(fields.get('content-disposition'))}`,
    '\n',
  ];
  return filenameIn(part.join('\n'));
}

const filenameIn = rememberResults(async (part: string): Promise<string | null> => {
  const { attachments } = await PostalMime.parse(part);
  const filename = attachments[0]?.filename;
  return filename?.slice(0, MAX_SHOWN_CHARACTERS) || null;
});

function idsIn(value: string | undefined): string[] {
  return Array.from(value?.matchAll(/<([^<>\s]{1,998})>/g) ?? [], ([, id = '']) => id);
}

/** A Message-ID that breaks RFC 5322 still identifies its message: the key is then the field as it is. */
function keyOf(value: string | undefined): string | null {
  const [id] = idsIn(value);
  return id ?? (value?.slice(0, MAX_ID_CHARACTERS) || null);
}

function senderOf(value: string | undefined): string | null {
  return value === undefined ? null : firstAddressIn(value);
}

const firstAddressIn = rememberResults((value: string): string | null => {
  const [first] = addressParser(value, { flatten: true });
  const { name = '', address = '' } = first ?? {};
  if (address === '') return name === '' ? null : name;
  return name === '' || name === address ? address : `${name} <${address}>`;
});

function isListMail({ fields }: Header): boolean {
  const precedence = fields.get('precedence')?.toLowerCase();
  return precedence === 'list' || ['list-id', 'list-post', 'mailing-list'].some((name) => fields.has(name));
}

function natureOf({ fields }: Header, type: string, listed: boolean): ImportedMessage['nature'] {
  const isDeliveryReport =
    type === 'multipart/report' && /delivery-status/i.test(fields.get('content-type') ?? '');
  if (isDeliveryReport || fields.get('return-path') === '<>') return 'bounce';
  const submitted = fields.get('auto-submitted')?.toLowerCase() ?? 'no';
  const precedence = fields.get('precedence')?.toLowerCase() ?? '';
  // Old mailing lists send all mail as bulk, also what people wrote.
  const isBulk = ['auto_reply', 'junk'].includes(precedence) || (precedence === 'bulk' && !listed);
  return isBulk || !submitted.startsWith('no') ? 'automatic' : 'ordinary';
}
