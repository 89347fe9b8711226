// The lists of the interface as the client reads them: names of their rows and ids, and the fields of a row.
import type * as z from 'zod';
import { Attachment } from '../../contract/attachment.ts';
import { UNUSABLE_HASH } from '../../contract/attachment-file.ts';
import { Conversation, Message } from '../../contract/conversation.ts';
import { Envelope } from '../../contract/event.ts';
import { flagOf } from '../../contract/flag.ts';
import { Position } from '../../contract/sequence.ts';
import { isWithheld } from '../../contract/withheld.ts';
import {
  ATTACHMENT_ALIASES,
  CONVERSATION_ALIASES,
  EVENT_ALIASES,
  LISTED_MESSAGE_ALIASES,
  POSITION_ALIASES,
} from './field-aliases.ts';
import { certainSha256 } from './file-hash.ts';
import { idNames } from './find-id.ts';
import type { JsonRecord } from './json-path.ts';
import { numberOf } from './page-facts.ts';
import type { DropField, RecordKind } from './record-fields.ts';

/** How the rows of one list are read. */
export type ListKind<Fields extends z.ZodRawShape> = RecordKind<Fields> & {
  /** What is listed, as in messages: `conversations`. */
  list: string;
  /** Names under which a body may hold the rows, beside the common ones. */
  names: readonly string[];
  ids: readonly string[];
};

/** Returns the kind with the types of its fields. */
function kindOf<Fields extends z.ZodRawShape>(kind: ListKind<Fields>): ListKind<Fields> {
  return kind;
}

/** Conversations (interface 4.7). */
export const CONVERSATIONS = kindOf({
  list: 'conversations',
  names: ['conversations', 'conversation', 'threads'],
  ids: idNames('conversation'),
  schema: Conversation,
  dates: ['started_at', 'last_at'],
  counts: ['message_count'],
  aliases: CONVERSATION_ALIASES,
});

/** Messages (interface 4.8). */
export const MESSAGES = kindOf({
  list: 'messages',
  names: ['messages', 'message'],
  ids: idNames('message'),
  schema: Message,
  dates: ['date'],
  counts: ['attachments'],
  people: ['from'],
  aliases: LISTED_MESSAGE_ALIASES,
});

/** The attachment catalogue (interface 4.2). */
export const ATTACHMENTS = kindOf({
  list: 'attachments',
  names: ['attachments', 'attachment', 'files', 'assets'],
  ids: idNames('attachment'),
  schema: Attachment,
  aliases: ATTACHMENT_ALIASES,
  prepare: withCertainHash,
});

/** Stored events. */
export const EVENTS = kindOf({
  list: 'events',
  names: ['events', 'event', 'envelopes'],
  ids: idNames('event'),
  schema: Envelope,
  dates: ['received_at'],
  aliases: EVENT_ALIASES,
});

/** The entries of a sequence (interface 4.4). */
export const POSITIONS = kindOf({
  list: 'entries',
  names: ['entries', 'positions', 'sequence', 'markers'],
  ids: ['entry', ...idNames('entry')],
  schema: Position,
  aliases: POSITION_ALIASES,
  prepare: withOffset,
});

/**
 * Only a certain hash stays in the row, so that nothing is called verified by a guess. A row whose `redacted` cannot be read,
 * or that says by another field that it is withheld, counts as redacted, so that nothing is fetched by a guess either.
 */
function withCertainHash(row: JsonRecord, drop: DropField): JsonRecord | undefined {
  const { sha256, redacted } = row;
  const isHex = typeof sha256 === 'string' && /^[0-9a-f]{64}$/i.test(sha256);
  const isUnsaid = redacted === undefined;
  const isReadable = isUnsaid ? !isWithheld(row) : flagOf(redacted) !== undefined;
  if (isHex && isReadable) return undefined;
  const others = Object.entries(row).filter(([name]) => name !== 'sha256' && name !== 'redacted');
  const hash = isHex ? sha256 : certainSha256(row);
  const isUnusable = hash === undefined && Object.hasOwn(row, 'sha256');
  if (isUnusable && sha256 !== null) drop('sha256', 'SHA-256');
  if (!isReadable && !isUnsaid) drop('redacted', 'true or false');
  const record = Object.fromEntries([
    ...others,
    ...(hash === undefined ? [] : [['sha256', hash]]),
    ...(isReadable && isUnsaid ? [] : [['redacted', isReadable ? redacted : true]]),
  ]) as JsonRecord & { [UNUSABLE_HASH]?: boolean };
  if (isUnusable) record[UNUSABLE_HASH] = true;
  return record;
}

/** Where both positions are given, the offset follows (interface 4.4). */
function withOffset(row: JsonRecord): JsonRecord | undefined {
  const { reported, checked, offset } = row;
  const difference = (numberOf(reported) ?? NaN) - (numberOf(checked) ?? NaN);
  const isGiven = offset !== undefined && offset !== null;
  return isGiven || !Number.isSafeInteger(difference) ? undefined : { ...row, offset: difference };
}
