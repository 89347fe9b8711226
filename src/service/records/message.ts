// Messages: the columns of their tables and the JSON of a list row (interface 2.5).
import type { Message } from '../../contract/conversation.ts';
import type { Tier } from '../../contract/token.ts';
import { MESSAGE } from '../rules/integrity.ts';
import type { MessageFormat } from '../../contract/message-format.ts';
import { instant, integrity, json, jsonRow, quoted, quotedOrNull, withheldMark } from './page-json.ts';
import { isReadable } from './reader.ts';
import {
  BYTES,
  columnNames,
  INTEGER,
  oneOf,
  orNull,
  table,
  TEXT,
  type RowOf,
  type WireColumn,
} from './table.ts';

/** `n` is the number in `msg_<n>` and `entry_<n>`: the order of arrival, never used again. */
export const MESSAGES = table('messages', {
  n: { type: INTEGER, shown: ['id', 'entry'] },
  conversation: { type: INTEGER, shown: ['conversation_id'] },
  parent: { type: orNull(INTEGER), shown: ['parent_id'] },
  /** The reported position. It equals `n` until a message.reordered event moves the message. */
  sequence: { type: INTEGER, shown: ['sequence'] },
  /** The event that wrote `sequence` last. */
  moved_by: { type: orNull(TEXT), shown: [], read: false, inserted: false },
  /** The Message-ID, or an identity that the importer made; replies name it. */
  message_key: { type: orNull(TEXT), shown: [], read: false },
  date_ms: { type: orNull(INTEGER), shown: ['date'] },
  sender: { type: orNull(TEXT), shown: ['from'] },
  subject: { type: orNull(TEXT), shown: ['subject'] },
  format: { type: oneOf<MessageFormat>(), shown: [] },
  source: { type: TEXT, shown: ['source'] },
  classification: { type: TEXT, shown: [] },
  raw_sha256: { type: TEXT, shown: [] },
  raw_bytes: { type: INTEGER, shown: [] },
  /** How many attachments the message has. */
  attachments: { type: INTEGER, shown: ['attachments'] },
  /** The lowest tier that may read the row. */
  tier: { type: oneOf<Tier>(), shown: [] },
  /** Bit set of failed integrity checks, see rules/integrity.ts. */
  failed: { type: INTEGER, shown: ['status', 'integrity'] },
  /** The file that the message was imported from, and its byte offset or ordinal in it. */
  path: { type: TEXT, shown: [], read: false },
  position: { type: INTEGER, shown: [], read: false },
} satisfies Record<string, WireColumn<keyof typeof Message.shape>>);

/** A message as statements read it. */
export type MessageRow = RowOf<typeof MESSAGES>;

/** The stored bytes of messages. They have a table of their own so that lists do not read them. */
export const RAWS = table('raws', { n: { type: INTEGER }, content: { type: BYTES } });

/** Messages that name a better parent than they have, by the keys they wait for. A lower `rank` is better. */
export const ORPHANS = table('orphans', {
  message_key: { type: TEXT },
  message: { type: INTEGER },
  rank: { type: INTEGER },
});

/**
 * Returns the SQL of a list row from the table alias `m`. Above the reader's tier the sender and the subject are null and
 * the status is `withheld`.
 */
export function messageJson(reader: Tier): string {
  const m = columnNames(MESSAGES, 'm');
  const readable = isReadable(m.tier, reader);
  const unverified = MESSAGE.decodable | MESSAGE.wellFormed | MESSAGE.storedBytes;
  const status = `CASE WHEN ${m.failed} = 0 THEN 'stable' WHEN (${m.failed} & ${unverified}) <> 0 THEN 'unverified'
    ELSE 'partial' END`;
  const parent = `CASE WHEN ${m.parent} IS NULL THEN 'null' ELSE ${json`"msg_${m.parent}"`} END`;
  const shown = (from: string, subject: string, state: string) =>
    json`"from":${from},"subject":${subject},"source":${quoted(m.source)},"status":"${state}"`;
  const words = `CASE WHEN ${readable} THEN ${shown(quotedOrNull(m.sender), quotedOrNull(m.subject), status)}
    ELSE ${shown(`'null'`, `'null'`, `'withheld'`)} END`;
  const place = json`"entry":"entry_${m.n}","sequence":${m.sequence},"date":${instant(m.date_ms)}`;
  const mark = `CASE WHEN ${readable} THEN '' ELSE ${withheldMark()} END`;
  return jsonRow`{"id":"msg_${m.n}","conversation_id":"conv_${m.conversation}","parent_id":${parent},${place},${
    words
  },"attachments":${m.attachments},"integrity":${integrity(m.failed)}}${mark}`;
}
