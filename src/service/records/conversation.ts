// Conversations: the columns of their tables and the JSON of a list row (interface 2.5).
import type { Conversation } from '../../contract/conversation.ts';
import type { Tier } from '../../contract/token.ts';
import { MESSAGES } from './message.ts';
import { instant, integrity, json, jsonRow, quoted, quotedOrNull, withheldMark } from './page-json.ts';
import { isReadable } from './reader.ts';
import { columnNames, INTEGER, orNull, table, TEXT, type RowOf, type WireColumn } from './table.ts';

/** `n` is the number in `conv_<n>`: that of the message which opened the conversation. */
export const CONVERSATIONS = table('conversations', {
  n: { type: INTEGER, shown: ['id', 'sequence'] },
  subject: { type: orNull(TEXT), shown: ['subject'] },
  source: { type: TEXT, shown: ['source'] },
  first_message: { type: INTEGER, shown: ['first_message_id'] },
  message_count: { type: INTEGER, shown: ['message_count'] },
  started_ms: { type: orNull(INTEGER), shown: ['started_at'] },
  last_ms: { type: orNull(INTEGER), shown: ['last_at'] },
  /** Bit set of failed integrity checks, see rules/integrity.ts. */
  failed: { type: INTEGER, shown: ['status', 'integrity'] },
} satisfies Record<string, WireColumn<keyof typeof Conversation.shape>>);

/** A conversation as statements read it. */
export type ConversationRow = RowOf<typeof CONVERSATIONS>;

/** The conversation of each message key that an imported message had or named. */
export const THREADS = table('threads', { message_key: { type: TEXT }, conversation: { type: INTEGER } });

/**
 * Returns the SQL of a list row from the table alias `c`, with its first message as `f`. The subject is that of the first
 * message. Where the reader may not read that message, the subject is null and the status `withheld`.
 */
export function conversationJson(reader: Tier): string {
  const c = columnNames(CONVERSATIONS, 'c');
  const { tier } = columnNames(MESSAGES, 'f');
  const readable = `(${tier} IS NULL OR ${isReadable(tier, reader)})`;
  const status = `CASE WHEN NOT ${readable} THEN 'withheld' WHEN ${c.failed} = 0 THEN 'stable' ELSE 'partial' END`;
  const subject = `CASE WHEN ${readable} THEN ${quotedOrNull(c.subject)} ELSE 'null' END`;
  const messages = json`"source":${quoted(c.source)},"message_count":${c.message_count},"first_message_id":"msg_${
    c.first_message
  }"`;
  const mark = `CASE WHEN ${readable} THEN '' ELSE ${withheldMark()} END`;
  return jsonRow`{"id":"conv_${c.n}","sequence":${c.n},"subject":${subject},"status":"${status}",${
    messages
  },"started_at":${instant(c.started_ms)},"last_at":${instant(c.last_ms)},"integrity":${integrity(c.failed)}}${mark}`;
}
