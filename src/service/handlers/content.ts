// GET /api/content/{id}: the raw view and the lore view of one message (interface 2.2, 4.3). The raw view is ours.
import {
  MAX_RAW_BYTES,
  type Asset,
  type Carrier,
  type Pipeline,
  type RawRecord,
} from '../../contract/content.ts';
import { isMessageFormat } from '../../contract/message-format.ts';
import type { Tier } from '../../contract/tier.ts';
import { ApiError } from '../rules/api-error.ts';
import { lastDayOf, messagePath } from '../rules/signed-path.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { integrityOf } from '../rules/integrity.ts';
import { assetTypeOf, zeroWidthCarriers, sequenceStatusOf, variantOf } from '../rules/lore.ts';
import { partsWithoutFiles } from '../mail/parts-without-files.ts';
import { parseMailHeader } from '../mail/header.ts';
import { summaryOf } from '../mail/mail-record.ts';
import { readMessageText, type MessageText } from '../mail/message-text.ts';
import { mayRead } from '../rules/tiers.ts';
import { CLOSED_WITH_ANOTHER, type AttachmentRow } from '../records/attachment.ts';
import type { MessageRow } from '../records/message.ts';
import { storableSummary } from '../records/storable-text.ts';
import { attachmentsOf } from '../store/lists/attachments.ts';
import { findMessage, storedBytes } from '../store/lists/messages.ts';
import { fileKey } from '../store/meta-table/file-key.ts';
import { ok, type Call, type Reply } from './call.ts';
import { hasHash } from './checked-bytes.ts';
import { instantOf } from '../records/instant.ts';

/**
 * Returns one message in the raw or the lore view. Defaults (our choice): view=raw, no carriers, no pipeline. The stored
 * bytes are hashed at every read. Where a file is withheld from this reader, it is left out of the text, and the stored bytes
 * are not sent. Throws ApiError `observer_not_permitted` for a message above the reader's tier, `message_damaged` where the
 * stored bytes are not those of import.
 */
export async function content(call: Call): Promise<Reply> {
  const { archive, bearer, query } = call;
  const view = query.choice('view', ['raw', 'lore']) ?? 'raw';
  const withStego = query.flag('include_stego') ?? false;
  const withPipeline = query.flag('include_pipeline') ?? false;

  const row = await permittedMessage(call);
  const bytes = await storedBytes(archive.database, row.n);
  if (!hasHash(bytes, row.raw_sha256))
    throw damaged(row, 'its stored bytes have another hash than at import');
  if (bytes.byteLength !== row.raw_bytes)
    throw damaged(row, 'its row has another size than its stored bytes');
  if (!isMessageFormat(row.format)) throw damaged(row, 'this version knows no such format');
  const message = { ...row, ...summaryIn(row, bytes) };
  const files = await attachmentsOf(archive.database, message.n);
  const withheld = files.filter((file) => !isReadable(file, bearer.tier));
  const text =
    view === 'raw' || withStego
      ? await readMessageText(message.format, bytes, {
          redacted: new Set(withheld.map(({ sha256 }) => sha256)),
          mentions: message.mentions,
        })
      : undefined;

  const record =
    view === 'raw'
      ? rawRecord(
          message,
          {
            ...(await storedPart(call, message, bytes, withheld)),
            ...(await placedPart(message, bytes, files, withheld)),
            ...unavailablePart(files, bearer.tier),
          },
          files,
          text!,
        )
      : loreRecord(message);
  const data = {
    ...record,
    ...(withPipeline ? { pipeline: pipelineOf(message.n, files, bearer.tier) } : {}),
    ...(withStego ? { stego: { carriers: carriersOf(message, text!, files, bearer.tier) } } : {}),
  };
  return ok({ view, data });
}

function damaged({ n }: MessageRow, reason: string): ApiError {
  return new ApiError('message_damaged', `${idOf('msg', n)} is damaged: ${reason}`);
}

/** Returns what lists show of a message. Of a mail it is read from the stored bytes, whose hash was checked: the row has none. */
function summaryIn(
  message: MessageRow,
  bytes: Uint8Array,
): Pick<MessageRow, 'date_ms' | 'sender' | 'subject'> {
  if (message.format !== 'rfc822') return message;
  return storableSummary(summaryOf(parseMailHeader(bytes)));
}

async function permittedMessage({ archive, bearer, parameters }: Call): Promise<MessageRow> {
  const n = numberOf('msg', parameters['id']!);
  if (n === undefined) throw new ApiError('not_found', 'no message has such an id');
  const message = await findMessage(archive.database, n);
  // For 404 of one record our client shows its own text (client/error-response.ts), since other services word it differently.
  if (message === undefined) throw new ApiError('not_found', `no message ${idOf('msg', n)} in this archive`);
  if (!mayRead(bearer.tier, message.tier)) {
    throw new ApiError('observer_not_permitted', `${idOf('msg', n)} is above the tier ${bearer.tier}`);
  }
  return message;
}

function loreRecord(message: MessageRow) {
  return {
    id: idOf('msg', message.n),
    glyph_trigger: idOf('entry', message.n),
    classification: message.classification,
    sequence_status: sequenceStatusOf(message),
    integrity: integrityOf('message', message.failed),
    origin: 'derived',
    source: message.source,
  };
}

/** Returns whether the bytes of a file may be sent to this reader. */
function isReadable(file: AttachmentRow, reader: Tier): boolean {
  return file.redacted === 0 && mayRead(reader, file.tier);
}

/**
 * Returns the stored bytes with their hash and size as a part of the record, or their address where they are larger than a
 * client reads. A mail contains its files, so the bytes are sent only where this reader may have every file.
 */
async function storedPart(
  { archive, bearer, options }: Call,
  message: MessageRow,
  bytes: Uint8Array,
  withheld: AttachmentRow[],
): Promise<object> {
  // The size and the hash of the message depend on the files in it.
  if (withheld.length > 0) return { withheld: withheld.map(({ n }) => idOf('att', n)) };
  const checked = { sha256: message.raw_sha256, bytes: message.raw_bytes };
  if (bytes.byteLength > MAX_RAW_BYTES) {
    const id = idOf('msg', message.n);
    const grant = { id, sha256: message.raw_sha256, tier: bearer.tier, lastDay: lastDayOf(archive.now()) };
    return { raw_url: options.assetUrl + messagePath(await fileKey(archive), grant), ...checked };
  }
  const { buffer, byteOffset, byteLength } = bytes;
  return { raw_base64: Buffer.from(buffer, byteOffset, byteLength).toString('base64'), ...checked };
}

/** Returns the parts of a mail whose bytes are not sent, so that a reader sees where its files are. */
async function placedPart(
  { format }: MessageRow,
  bytes: Uint8Array,
  files: readonly AttachmentRow[],
  withheld: readonly AttachmentRow[],
): Promise<Pick<RawRecord, 'parts'>> {
  if (withheld.length === 0 || format !== 'rfc822') return {};
  const mail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const known = files.map(({ n, sha256 }) => ({ id: idOf('att', n), sha256 }));
  const parts = await partsWithoutFiles(mail, known, new Set(withheld.map(({ sha256 }) => sha256)));
  return parts === undefined ? {} : { parts };
}

/** Returns which files cannot be had, each with the reason that this reader may know. */
function unavailablePart(files: readonly AttachmentRow[], reader: Tier): Pick<RawRecord, 'unavailable'> {
  const unavailable = files.flatMap((file): NonNullable<RawRecord['unavailable']> => {
    const id = idOf('att', file.n);
    if (!mayRead(reader, file.tier)) return [{ id, state: 'withheld', reason: null }];
    if (file.redacted === 1)
      return [{ id, state: 'withheld', reason: file.redaction ?? CLOSED_WITH_ANOTHER }];
    return file.stored === 1 ? [] : [{ id, state: 'absent', reason: file.absence }];
  });
  return unavailable.length === 0 ? {} : { unavailable };
}

/** Returns the raw view. */
function rawRecord(message: MessageRow, stored: object, files: AttachmentRow[], text: MessageText) {
  return {
    id: idOf('msg', message.n),
    entry: idOf('entry', message.n),
    conversation_id: idOf('conv', message.conversation),
    parent_id: message.parent === null ? null : idOf('msg', message.parent),
    sequence: message.sequence,
    format: message.format,
    date: instantOf(message.date_ms),
    subject: message.subject,
    from: message.sender,
    ...(message.channel === null ? {} : { channel: message.channel }),
    ...text,
    ...stored,
    attachments: files.map(({ n }) => idOf('att', n)),
    integrity: integrityOf('message', message.failed),
    source: message.source,
  };
}

function pipelineOf(n: number, files: AttachmentRow[], reader: Tier): Pipeline {
  const assets = files.map((file, index): Asset => {
    const readable = mayRead(reader, file.tier);
    return {
      asset_id: idOf('att', file.n),
      // A redacted row does not show its content type (interface 2.1).
      asset_type: isReadable(file, reader) ? assetTypeOf(file.detected_type ?? file.declared_type) : 'other',
      filename: readable ? file.filename : idOf('att', file.n),
      generation_job_id: `job_${n}`,
      render_variant: variantOf(index),
    };
  });
  return { provider: 'arx.import', assets };
}

function carriersOf(message: MessageRow, text: MessageText, files: AttachmentRow[], reader: Tier): Carrier[] {
  const trailing = files
    .filter((file) => file.trailing_bytes > 0 && isReadable(file, reader))
    .map((file) => ({ where: idOf('att', file.n), kind: 'trailing_bytes', count: file.trailing_bytes }));
  return [
    ...zeroWidthCarriers('subject', message.subject),
    ...zeroWidthCarriers('text', text.text),
    ...zeroWidthCarriers('html', text.html),
    ...trailing,
  ];
}
