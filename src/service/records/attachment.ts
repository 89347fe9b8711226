// Attachments: the columns of the table and the JSON of a list row (interface 2.1).
import type { Attachment } from '../../contract/attachment.ts';
import type { Tier } from '../../contract/tier.ts';
import {
  fileUrl,
  flag,
  integrity,
  json,
  jsonRow,
  jsonString,
  optionalMember,
  quoted,
  whole,
  withheldMark,
} from './page-json.ts';
import { isReadable } from './reader.ts';
import {
  ABOVE,
  columnNames,
  INTEGER,
  NOWHERE,
  oneOf,
  orNull,
  REDACTED,
  table,
  TEXT,
  type RowOf,
  type WireColumn,
} from './table.ts';

/** `n` is the number in `att_<n>`: the order of arrival, never used again. Flags are 0 or 1. */
export const ATTACHMENTS = table('attachments', {
  n: { type: INTEGER, shown: ['id', 'file_url', 'sequence'], hidden: NOWHERE },
  message: { type: INTEGER, shown: ['message_id'], hidden: NOWHERE },
  /** The position of the file in its message, from 0. */
  part: { type: INTEGER, shown: [], hidden: NOWHERE },
  filename: { type: TEXT, shown: ['filename'], hidden: ABOVE },
  /** Of the bytes. Where the archive lacks them: a key that is no hash, equal for the same file. */
  sha256: { type: TEXT, shown: ['sha256', 'file_url'], hidden: ABOVE },
  bytes: { type: INTEGER, shown: ['bytes'], hidden: REDACTED },
  declared_type: { type: TEXT, shown: ['content_type'], hidden: REDACTED },
  detected_type: { type: orNull(TEXT), shown: ['detected_type'], hidden: REDACTED },
  /** Whether the archive holds the bytes. */
  stored: { type: INTEGER, shown: ['file_url'], hidden: ABOVE },
  /** Whether the bytes are withheld: they have a `redaction`, or a file inside or around them has one. */
  redacted: { type: INTEGER, shown: ['redacted'], hidden: ABOVE },
  /** Why these bytes are redacted. */
  redaction: { type: orNull(TEXT), shown: ['reason'], hidden: ABOVE },
  decorative_layer: { type: INTEGER, shown: ['decorative_layer'], hidden: ABOVE },
  first_visible: { type: INTEGER, shown: ['first_visible'], hidden: ABOVE },
  origin_city: { type: orNull(TEXT), shown: ['origin_city'], hidden: REDACTED },
  source: { type: TEXT, shown: ['source'], hidden: REDACTED },
  /** The lowest tier that may read the row. */
  tier: { type: oneOf<Tier>(), shown: [], hidden: ABOVE },
  trailing_bytes: { type: INTEGER, shown: ['trailing_bytes'], hidden: REDACTED },
  /** Bit set of failed integrity checks, see rules/integrity.ts. */
  failed: { type: INTEGER, shown: ['integrity'], hidden: REDACTED },
  /** The event that wrote `source` last. */
  source_by: { type: orNull(TEXT), shown: [], hidden: REDACTED, read: false, inserted: false },
  /** The event that wrote `decorative_layer` last. */
  decorative_by: { type: orNull(TEXT), shown: [], hidden: REDACTED, read: false, inserted: false },
  /** How many of the next parts of the message are inside this file. */
  contains: { type: INTEGER, shown: [], hidden: REDACTED, read: false },
  /** Why the archive lacks the bytes, as a predicate; NULL where it has them. */
  absence: { type: orNull(TEXT), shown: ['reason'], hidden: REDACTED },
} satisfies Record<string, WireColumn<keyof typeof Attachment.shape>>);

/** An attachment as statements read it. */
export type AttachmentRow = RowOf<typeof ATTACHMENTS>;

/** The reason of a file that is withheld because of another one. */
export const CLOSED_WITH_ANOTHER = 'a file inside it or around it is redacted';

/**
 * Returns the SQL of a list row as a reader of this tier sees it. A redacted row lacks what its bytes show. A row above the
 * reader's tier looks redacted, and has nothing but its place. A row whose bytes the archive does not hold has no sha256; it
 * is not redacted for that, and its address is null.
 */
export function attachmentJson(reader: Tier): string {
  const a = columnNames(ATTACHMENTS);
  const url = `CASE ${a.stored} WHEN 1 THEN ${fileUrl(a.n, a.sha256)} ELSE 'null' END`;
  const layers = json`"decorative_layer":${flag(a.decorative_layer)},"first_visible":${flag(a.first_visible)}`;
  const place = json`"message_id":"msg_${whole(a.message)}","sequence":${a.n}`;
  const hash = `CASE ${a.stored} WHEN 1 THEN ${json`,"sha256":${quoted(a.sha256)}`} ELSE '' END`;
  const reason = `CASE WHEN ${a.redaction} IS NULL THEN '"${CLOSED_WITH_ANOTHER}"' ELSE ${jsonString(a.redaction)} END`;
  const above = jsonRow`{"id":"att_${a.n}","filename":"att_${a.n}","file_url":null,"redacted":true,${
    place
  }}${withheldMark()}`;
  const redacted = jsonRow`{"id":"att_${a.n}","filename":${quoted(a.filename)},"file_url":null${hash},"redacted":true,${
    layers
  },${place},"reason":${reason}}${withheldMark()}`;
  const type = json`"content_type":${quoted(a.declared_type)},"redacted":false`;
  // Of absent bytes the size is what the source declares, and 0 where it declares none.
  const bytes = `CASE WHEN ${a.stored} = 1 OR ${a.bytes} > 0 THEN ${json`,"bytes":${whole(a.bytes)}`} ELSE '' END`;
  const size = json`${bytes},"trailing_bytes":${whole(a.trailing_bytes)}`;
  const open = jsonRow`{"id":"att_${a.n}","filename":${quoted(a.filename)},"file_url":${url}${hash},${
    type
  },${layers}${optionalMember('origin_city', a.origin_city)},"source":${quoted(a.source)},${place}${size}${optionalMember('detected_type', a.detected_type)}${optionalMember('reason', a.absence)},"integrity":${integrity(a.failed)}}`;
  return `CASE WHEN NOT ${isReadable(a.tier, reader)} THEN ${above} WHEN ${a.redacted} = 1 THEN ${redacted} ELSE ${open} END`;
}
