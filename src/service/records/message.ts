// Messages: the columns of their tables and the JSON of a list row (interface 2.5).
import type { Message } from '../../contract/conversation.ts';
import type { Tier } from '../../contract/tier.ts';
import { MESSAGE } from '../rules/integrity.ts';
import type { MessageFormat } from '../../contract/message-format.ts';
import {
  instant,
  integrity,
  json,
  jsonRow,
  optionalMember,
  quoted,
  quotedOrNull,
  whole,
  withheldMark,
} from './page-json.ts';
import { isReadable } from './reader.ts';
import {
  ABOVE,
  BYTES,
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

/** `n` is the number in `msg_<n>` and `entry_<n>`: the order of arrival, never used again. */
export const MESSAGES = table('messages', {
  n: { type: INTEGER, shown: ['id', 'entry'], hidden: NOWHERE },
  conversation: { type: INTEGER, shown: ['conversation_id'], hidden: NOWHERE },
  parent: { type: orNull(INTEGER), shown: ['parent_id'], hidden: ABOVE },
  /** The reported position. It equals `n` until a message.reordered event moves the message. */
  sequence: { type: INTEGER, shown: ['sequence'], hidden: NOWHERE },
  /** The event that wrote `sequence` last. */
  moved_by: { type: orNull(TEXT), shown: [], hidden: ABOVE, read: false, inserted: false },
  /** The Message-ID, or an identity that the importer made; replies name it. */
  message_key: { type: orNull(TEXT), shown: [], hidden: ABOVE, read: false },
  date_ms: { type: orNull(INTEGER), shown: ['date'], hidden: ABOVE },
  sender: { type: orNull(TEXT), shown: ['from'], hidden: ABOVE },
  subject: { type: orNull(TEXT), shown: ['subject'], hidden: ABOVE },
  format: { type: oneOf<MessageFormat>(), shown: [], hidden: ABOVE },
  source: { type: TEXT, shown: ['source'], hidden: ABOVE },
  classification: { type: TEXT, shown: [], hidden: ABOVE },
  raw_sha256: { type: TEXT, shown: [], hidden: IN_PART },
  raw_bytes: { type: INTEGER, shown: [], hidden: IN_PART },
  /** How many attachments the message has. */
  attachments: { type: INTEGER, shown: ['attachments'], hidden: NOWHERE },
  /** The lowest tier that may read the row. */
  tier: { type: oneOf<Tier>(), shown: [], hidden: ABOVE },
  /** Bit set of failed integrity checks, see rules/integrity.ts. */
  failed: { type: INTEGER, shown: ['status', 'integrity'], hidden: ABOVE },
  /** The file that the message was imported from, and its byte offset or ordinal in it. */
  path: { type: TEXT, shown: [], hidden: ABOVE, read: false },
  position: { type: INTEGER, shown: [], hidden: ABOVE, read: false },
  /** The name of the channel of a chat. */
  channel: { type: orNull(TEXT), shown: ['channel'], hidden: ABOVE },
  /** The names of users and channels that the text shows by ids alone, as a JSON object by id. */
  mentions: { type: orNull(TEXT), shown: [], hidden: ABOVE },
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
 * Returns the SQL of a list row from the table alias `m`. A row above the reader's tier has the status `withheld` and
 * shows its place and the number of its files. Its date, sender, subject and parent are null.
 */
export function messageJson(reader: Tier): string {
  const m = columnNames(MESSAGES, 'm');
  const unverified = MESSAGE.decodable | MESSAGE.wellFormed | MESSAGE.storedBytes;
  const status = `CASE WHEN ${m.failed} = 0 THEN 'stable' WHEN (${m.failed} & ${unverified}) <> 0 THEN 'unverified'
    ELSE 'partial' END`;
  const parent = `CASE WHEN ${m.parent} IS NULL THEN 'null' ELSE ${json`"msg_${whole(m.parent)}"`} END`;
  const row = (parentId: string, date: string, rest: string) =>
    jsonRow`{"id":"msg_${m.n}","conversation_id":"conv_${whole(m.conversation)}","parent_id":${
      parentId
    },"entry":"entry_${m.n}","sequence":${whole(m.sequence)},"date":${date},${rest}`;
  const words = json`"from":${quotedOrNull(m.sender)},"subject":${quotedOrNull(m.subject)},"source":${quoted(m.source)}${optionalMember('channel', m.channel)}`;
  const open = json`${words},"status":"${status}","attachments":${whole(m.attachments)},"integrity":${integrity(m.failed)}}`;
  const above = json`"from":null,"subject":null,"status":"withheld","attachments":${whole(m.attachments)}}${withheldMark()}`;
  return `CASE WHEN ${isReadable(m.tier, reader)} THEN ${row(parent, instant(m.date_ms), open)}
    ELSE ${row(`'null'`, `'null'`, above)} END`;
}
