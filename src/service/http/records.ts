// Stored rows as wire records: what a reader of a tier is shown of each (interface 2.1, 2.4, 2.5).
import type { Attachment } from '../../contract/attachment.ts';
import type { Conversation, Message } from '../../contract/conversation.ts';
import type { Envelope } from '../../contract/event.ts';
import type { Tier } from '../../contract/token.ts';
import { filePath } from '../rules/capability.ts';
import { idOf } from '../rules/identifier.ts';
import type { Effect } from '../rules/ingest.ts';
import { integrityOf, statusOf } from '../rules/integrity.ts';
import { mayRead } from '../rules/tiers.ts';
import type { AttachmentRow } from '../store/attachments.ts';
import type { ConversationRow, MessageRow } from '../store/messages.ts';
import type { EventRow } from '../store/positions.ts';

/** Where files are served and the key that opens them, for a reader of this tier. */
export type Doors = { assetUrl: string; key: Uint8Array; reader: Tier };

/**
 * One catalogue row. A row above the reader's tier reads as redacted and is named by its id. A row whose bytes the
 * archive does not hold is not redacted, but has no address either.
 */
export function attachmentRecord(row: AttachmentRow, { assetUrl, key, reader }: Doors): Attachment {
  const id = idOf('att', row.n);
  const readable = mayRead(reader, row.tier);
  const redacted = row.redacted === 1 || !readable;
  const open = !redacted && row.stored === 1;
  return {
    id,
    filename: readable ? row.filename : id,
    file_url: open ? assetUrl + filePath(key, { id, sha256: row.sha256, tier: reader }) : null,
    sha256: row.sha256,
    ...(redacted ? {} : { content_type: row.declared_type }),
    redacted,
    decorative_layer: row.decorative_layer === 1,
    first_visible: row.first_visible === 1,
    ...(redacted || row.origin_city === null ? {} : { origin_city: row.origin_city }),
    ...(redacted ? {} : { source: row.source }),
    message_id: idOf('msg', row.message),
    sequence: row.n,
    ...(redacted ? {} : { bytes: row.bytes, trailing_bytes: row.trailing_bytes }),
    ...(redacted || row.detected_type === null ? {} : { detected_type: row.detected_type }),
    integrity: integrityOf('attachment', row.failed),
  };
}

/** One message. Above the reader's tier its words and people are null and its status is `withheld`. */
export function messageRecord(row: MessageRow, reader: Tier): Message {
  const readable = mayRead(reader, row.tier);
  return {
    id: idOf('msg', row.n),
    conversation_id: idOf('conv', row.conversation),
    parent_id: row.parent === null ? null : idOf('msg', row.parent),
    entry: idOf('entry', row.n),
    sequence: row.sequence,
    date: instantOf(row.date_ms),
    from: readable ? row.sender : null,
    subject: readable ? row.subject : null,
    source: row.source,
    status: readable ? statusOf(row.failed) : 'withheld',
    attachments: row.attachments,
    integrity: integrityOf('message', row.failed),
  };
}

/** One conversation; its subject is its first message's, and withheld with it. Status is stable or partial otherwise. */
export function conversationRecord(row: ConversationRow, reader: Tier): Conversation {
  const readable = row.tier === null || mayRead(reader, row.tier);
  return {
    id: idOf('conv', row.n),
    sequence: row.n,
    subject: readable ? row.subject : null,
    status: readable ? (row.failed === 0 ? 'stable' : 'partial') : 'withheld',
    source: row.source,
    message_count: row.message_count,
    first_message_id: idOf('msg', row.first_message),
    started_at: instantOf(row.started_ms),
    last_at: instantOf(row.last_ms),
    integrity: integrityOf('conversation', row.failed),
  };
}

/** One event as kept, with what became of it. */
export function eventRecord(row: EventRow): Envelope {
  return {
    id: row.id,
    type: row.type,
    status: eventStatusOf(row.effect),
    payload: JSON.parse(row.payload) as Record<string, unknown>,
    sequence: row.n,
    received_at: new Date(row.received_ms).toISOString(),
    effect: row.effect,
    deliveries: row.deliveries,
    ...(row.failures === 0 ? {} : { failures: row.failures }),
    ...(row.error === null ? {} : { error: row.error }),
  };
}

/** `partial` while its effect is still to come, or never came; `stable` from then on. */
export function eventStatusOf(effect: Effect): 'stable' | 'partial' {
  return ['queued', 'waiting', 'dead'].includes(effect) ? 'partial' : 'stable';
}

/** ISO 8601 in UTC with milliseconds; null where there is no time or none that a calendar has. */
export function instantOf(ms: number | null): string | null {
  return ms === null || Math.abs(ms) > 8.64e15 ? null : new Date(ms).toISOString();
}
