// One raw mail as a record: identity, threading, sender, date, and its attachments with their exact bytes.
import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import PostalMime, { addressParser, decodeWords } from 'postal-mime';
import type { Header } from './header.ts';
import { parseMailDate } from './date.ts';
import {
  hasAttachmentDisposition,
  hasFilename,
  contentTypeParameter,
  parseMimeStructure,
  type MimeLeaf,
} from './mime-structure.ts';
import type {
  MessageSummary,
  RawMail,
  ImportedAttachment,
  ImportedMessage,
} from '../records/import-items.ts';
import { detectContentType } from '../file-type/content-type.ts';
import { countTrailingBytes } from '../file-type/trailing-bytes.ts';
import { decodeTransferEncoding } from './transfer-encoding.ts';

/** Of more references than this only the newest count: a thread is never lost by it, a hostile header is bounded. */
const MOST_REFERENCES = 500;

/** Lists show senders, subjects and names up to here, so that a page stays an answer; the stored mail has them whole. */
const MOST_SHOWN = 2_000;

/**
 * Reads a mail. Attachments are the parts that are not text, or have a name, or ask to be attachments; parts of
 * nested messages count, multiparts and the nested messages themselves do not. Never fails on malformed mail.
 */
export async function parseMail(mail: RawMail): Promise<ImportedMessage> {
  const raw = Buffer.from(mail.raw.buffer, mail.raw.byteOffset, mail.raw.byteLength);
  const { header, type, leaves, wellFormed } = parseMimeStructure(raw);
  const read: ReadLeaf[] = [];
  // One after the other: what the parser needs for one name is free again before the next.
  for (const [index, leaf] of leaves.entries()) read.push(await readLeaf(leaf, index));
  const field = (name: string) => header.fields.get(name);
  const references = idsIn(field('references'));
  const [answered] = idsIn(field('in-reply-to'));
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
    related: related.slice(-MOST_REFERENCES),
    parent: answered ?? references.at(-1) ?? null,
    source: listed ? 'gateway' : 'external',
    // What went to a list was public; a mailbox of one's own is not for outside observers.
    tier: listed ? 'external' : 'internal',
    nature: natureOf(header, type, listed),
    decodable: read.every(({ decodable }) => decodable),
    wellFormed,
    attachments: read.flatMap(({ attachment }) => attachment ?? []),
  };
}

/** What lists show of a mail, which its header says. */
export function summaryOf({ fields }: Header): MessageSummary {
  const subject = fields.get('subject');
  return {
    key: keyOf(fields.get('message-id')),
    date_ms: parseMailDate(fields.get('date') ?? ''),
    sender: senderOf(fields.get('from') ?? fields.get('sender'))?.slice(0, MOST_SHOWN) ?? null,
    subject: subject === undefined ? null : decodeWords(subject).slice(0, MOST_SHOWN),
  };
}

type ReadLeaf = { decodable: boolean; attachment?: ImportedAttachment };

async function readLeaf(leaf: MimeLeaf, index: number): Promise<ReadLeaf> {
  const { type, header } = leaf;
  const disposition = header.fields.get('content-disposition') ?? '';
  const asked = hasAttachmentDisposition(header);
  if (type.startsWith('multipart/')) return { decodable: true };
  const filename = hasFilename(header) ? await filenameOf(header, disposition) : null;
  if (type.startsWith('text/') && !asked && filename === null) {
    return { decodable: decodesAs(leaf, contentTypeParameter(header, 'charset')) };
  }
  const content = decodeTransferEncoding(leaf.body, header.fields.get('content-transfer-encoding') ?? '');
  const detected = detectContentType(content);
  const image = type.startsWith('image/');
  return {
    decodable: true,
    attachment: {
      filename: filename ?? `part-${index + 1}`,
      declared_type: type,
      detected_type: detected,
      content,
      sha256: createHash('sha256').update(content).digest('hex'),
      bytes: content.length,
      inline: image && !asked && header.fields.has('content-id'),
      origin_city: null,
      redaction: null,
      trailing_bytes: detected === null ? 0 : countTrailingBytes(content, detected),
    },
  };
}

/** The name of a part by RFC 2231 and RFC 2047, which postal-mime reads from a part of nothing but these fields. */
async function filenameOf(header: Header, disposition: string): Promise<string | null> {
  const after = (value: string) => (value.includes(';') ? value.slice(value.indexOf(';')) : '');
  const part = [
    `Content-Type: application/octet-stream${after(header.fields.get('content-type') ?? '')}`,
    `Content-Disposition: attachment${after(disposition)}`,
    '\n',
  ];
  const { attachments } = await PostalMime.parse(part.join('\n'));
  const filename = attachments[0]?.filename;
  return filename?.slice(0, MOST_SHOWN) || null;
}

function idsIn(value: string | undefined): string[] {
  return Array.from(value?.matchAll(/<([^<>\s]{1,998})>/g) ?? [], ([, id = '']) => id);
}

/** A Message-ID that is none by RFC 5322 still names its message: as it stands. */
function keyOf(value: string | undefined): string | null {
  const [id] = idsIn(value);
  return id ?? (value?.slice(0, 998) || null);
}

function senderOf(value: string | undefined): string | null {
  if (value === undefined) return null;
  const [first] = addressParser(value, { flatten: true });
  const { name = '', address = '' } = first ?? {};
  if (address === '') return name === '' ? null : name;
  return name === '' || name === address ? address : `${name} <${address}>`;
}

function isListMail({ fields }: Header): boolean {
  const precedence = fields.get('precedence')?.toLowerCase();
  return precedence === 'list' || ['list-id', 'list-post', 'mailing-list'].some((name) => fields.has(name));
}

function natureOf({ fields }: Header, type: string, listed: boolean): ImportedMessage['nature'] {
  const report = type === 'multipart/report' && /delivery-status/i.test(fields.get('content-type') ?? '');
  if (report || fields.get('return-path') === '<>') return 'bounce';
  const submitted = fields.get('auto-submitted')?.toLowerCase() ?? 'no';
  const precedence = fields.get('precedence')?.toLowerCase() ?? '';
  // Old lists send everything as bulk, people's letters included.
  const bulk = ['auto_reply', 'junk'].includes(precedence) || (precedence === 'bulk' && !listed);
  return bulk || !submitted.startsWith('no') ? 'automatic' : 'ordinary';
}

/** Whether a text part decodes in the charset it declares (US-ASCII where it declares none, RFC 2045 5.2). */
function decodesAs(leaf: MimeLeaf, declared = 'us-ascii'): boolean {
  const charset = declared.toLowerCase();
  const content = decodeTransferEncoding(
    leaf.body,
    leaf.header.fields.get('content-transfer-encoding') ?? '',
  );
  if (charset === 'us-ascii' || charset === 'ascii') return isAscii(content);
  if (charset === 'utf-8' || charset === 'utf8') return isUtf8(content);
  try {
    new TextDecoder(charset, { fatal: true }).decode(content);
    return true;
  } catch {
    return false;
  }
}
