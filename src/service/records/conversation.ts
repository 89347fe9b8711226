// Conversations: the columns of their tables and the JSON of a list row (interface 2.5).
import type { Conversation } from '../../contract/conversation.ts';
import type { Tier } from '../../contract/tier.ts';
import { MESSAGES } from './message.ts';
import { instant, integrity, json, jsonRow, quoted, quotedOrNull, whole, withheldMark } from './page-json.ts';
import { isReadable } from './reader.ts';
import {
  ABOVE,
  columnNames,
  IN_PART,
  INTEGER,
  NOWHERE,
  oneOf,
  orNull,
  table,
  TEXT,
  type RowOf,
  type WireColumn,
} from './table.ts';

/** `n` is the number in `conv_<n>`: that of the message which opened the conversation. */
export const CONVERSATIONS = table('conversations', {
  n: { type: INTEGER, shown: ['id', 'sequence'], hidden: NOWHERE },
  subject: { type: orNull(TEXT), shown: ['subject'], hidden: ABOVE },
  source: { type: TEXT, shown: ['source'], hidden: ABOVE },
  first_message: { type: INTEGER, shown: ['first_message_id'], hidden: NOWHERE },
  message_count: { type: INTEGER, shown: ['message_count'], hidden: NOWHERE },
  started_ms: { type: orNull(INTEGER), shown: ['started_at'], hidden: IN_PART },
  last_ms: { type: orNull(INTEGER), shown: ['last_at'], hidden: IN_PART },
  /** Bit set of failed integrity checks, see rules/integrity.ts. */
  failed: { type: INTEGER, shown: ['status', 'integrity'], hidden: IN_PART },
  /** The highest tier of its messages. */
  tier: { type: oneOf<Tier>(), shown: [], hidden: IN_PART },
} satisfies Record<string, WireColumn<keyof typeof Conversation.shape>>);

/** A conversation as statements read it. */
export type ConversationRow = RowOf<typeof CONVERSATIONS>;

/** The conversation of each message key that an imported message had or named. */
export const THREADS = table('threads', { message_key: { type: TEXT }, conversation: { type: INTEGER } });

/** Returns the SQL that tells whether the reader sees the subject: that of the first message, `f`. */
function isSubjectReadable(reader: Tier): string {
  const { tier: firstTier } = columnNames(MESSAGES, 'f');
  return `(${firstTier} IS NULL OR ${isReadable(firstTier, reader)})`;
}

/** Returns the SQL of the subject from the table alias `c`, with its first message as `f`; NULL where the reader does not see it. */
export function conversationSubject(reader: Tier): string {
  return `CASE WHEN ${isSubjectReadable(reader)} THEN ${columnNames(CONVERSATIONS, 'c').subject} END`;
}

/**
 * Returns the SQL of a list row from the table alias `c`, with its first message as `f`. The subject and the source are
 * those of the first message. Dates and integrity depend on all messages. What depends on a message above the reader's
 * tier is null or absent, and the status `withheld`.
 */
export function conversationJson(reader: Tier): string {
  const c = columnNames(CONVERSATIONS, 'c');
  const isWhole = isReadable(c.tier, reader);
  const row = (subject: string, rest: string) =>
    jsonRow`{"id":"conv_${c.n}","sequence":${c.n},"subject":${subject},${rest}`;
  const source = json`"source":${quoted(c.source)},`;
  const messages = json`"message_count":${whole(c.message_count)},"first_message_id":"msg_${whole(c.first_message)}"`;
  const status = `CASE ${c.failed} WHEN 0 THEN 'stable' ELSE 'partial' END`;
  const dates = json`"started_at":${instant(c.started_ms)},"last_at":${instant(c.last_ms)}`;
  const open = json`"status":"${status}",${source}${messages},${dates},"integrity":${integrity(c.failed)}}`;
  const closed = (shown: string) =>
    json`"status":"withheld",${shown}${messages},"started_at":null,"last_at":null}${withheldMark()}`;
  return `CASE WHEN ${isWhole} THEN ${row(quotedOrNull(c.subject), open)}
    WHEN ${isSubjectReadable(reader)} THEN ${row(quotedOrNull(c.subject), closed(source))}
    ELSE ${row(`'null'`, closed(`''`))} END`;
}
