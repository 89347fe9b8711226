// Content records: the lore view with its pipeline, and our raw view (interface 2.2, 4.3).
import * as z from 'zod';
import {
  Count,
  Integrity,
  NonEmptyText,
  OptionalCount,
  OptionalInteger,
  OptionalIntegrity,
  OptionalText,
  OptionalTextOrNull,
  Sha256,
  Text,
} from './scalars.ts';

/** Largest message, in bytes, that the raw view holds as `raw_base64`. Larger ones are fetched from `raw_url` (interface 4.3, our choice). */
export const MAX_RAW_BYTES = 4 * 1024 * 1024;
/** Largest `text` and largest `html` of a raw view, each in bytes of JSON (interface 4.3, our choice). */
export const MAX_TEXT_BYTES = 1024 * 1024;

/** A generated asset in the pipeline of a message (interface 2.2). */
export const Asset = z.looseObject({
  asset_id: Text,
  asset_type: Text,
  filename: Text,
  generation_job_id: Text,
  render_variant: Text,
});
export type Asset = z.infer<typeof Asset>;

/** The pipeline block of a content record (interface 2.2). */
export const Pipeline = z.looseObject({ provider: Text, assets: z.array(Asset) });
export type Pipeline = z.infer<typeof Pipeline>;

/**
 * One place where a message or file holds hidden data, e.g. zero-width characters (interface 4.3). The interface names only the
 * parameter include_stego; this shape is our choice.
 */
export const Carrier = z.looseObject({
  where: Text,
  kind: Text,
  count: Count,
});
export type Carrier = z.infer<typeof Carrier>;
const Stego = z.looseObject({ carriers: z.array(Carrier) });

/** The lore view of a message (interface 2.2). */
export const LoreRecord = z.looseObject({
  id: NonEmptyText,
  glyph_trigger: Text,
  classification: Text,
  sequence_status: Text,
  integrity: Integrity,
  origin: Text,
  source: Text,
  pipeline: Pipeline.optional(),
  stego: Stego.optional(),
});
export type LoreRecord = z.infer<typeof LoreRecord>;

/** A name and a value. Not a tuple, because JSON Schema before 2020-12 describes tuples differently. */
const Pair = z.array(Text).length(2);

/** A part of a mail whose bytes are not sent, in the order of the mail (interface 4.3, our choice). */
export const MailPart = z.looseObject({
  /** `alternative`: another form of a text that is shown, such as its HTML. */
  kind: z.enum(['text', 'file', 'alternative']),
  /** The declared type; null for a file, whose row in the catalogue has it. */
  type: z.string().nullable(),
  /** HTML is text here, and text with format=flowed has a line for each paragraph. */
  text: OptionalText,
  /** The addresses that `[1]`, `[2]` … in `text` stand for. */
  links: z.array(Text).optional(),
  /** Of a file: its attachment. */
  id: OptionalText,
  bytes: OptionalCount,
  /** From, Date, To and Subject of forwarded messages that begin here. */
  forwarded: z.array(z.array(Pair)).optional(),
  warnings: z.array(Text).optional(),
});
export type MailPart = z.infer<typeof MailPart>;

/** The raw view of a message: its stored bytes, headers in order and decoded text (interface 4.3, our choice). */
export const RawRecord = z.looseObject({
  id: NonEmptyText,
  entry: OptionalText,
  conversation_id: OptionalTextOrNull,
  parent_id: OptionalTextOrNull,
  sequence: OptionalInteger,
  format: OptionalText,
  date: OptionalTextOrNull,
  subject: OptionalTextOrNull,
  from: OptionalTextOrNull,
  headers: z.array(Pair).optional(),
  text: OptionalTextOrNull,
  html: OptionalTextOrNull,
  /** Names of `headers`, `text` or `html` that were cut. Absent where nothing was cut. */
  truncated: z.array(Text).optional(),
  /** The stored bytes: they decode to `bytes` bytes whose hash is `sha256`. Absent where files are `withheld`. */
  raw_base64: OptionalText,
  /** Address of the stored bytes where there are more than MAX_RAW_BYTES. No token is sent to it. */
  raw_url: OptionalTextOrNull,
  /** Ids of attachments whose bytes this reader may not have: redacted, or above the tier. Absent where there are none. */
  withheld: z.array(Text).optional(),
  /** Of a mail with withheld files: its parts, with the places of its files. Absent for a damaged mail, and where the bytes are sent. */
  parts: z.array(MailPart).optional(),
  /** The attachments that cannot be had, each with its state and, if it is known, the reason. Absent where there are none. */
  unavailable: z
    .array(
      z.looseObject({
        id: Text,
        state: z.enum(['withheld', 'absent']),
        reason: z.string().nullable(),
      }),
    )
    .optional(),
  sha256: Sha256.optional(),
  bytes: OptionalCount,
  attachments: z.array(Text).optional(),
  integrity: OptionalIntegrity,
  source: OptionalText,
  channel: OptionalText,
  pipeline: Pipeline.optional(),
  stego: Stego.optional(),
});
export type RawRecord = z.infer<typeof RawRecord>;

/** The reply of GET /api/content/<id>: a view and its record (interface 4.3). */
export const Content = z.union([
  z.looseObject({ view: z.literal('lore'), data: LoreRecord }),
  z.looseObject({ view: z.literal('raw'), data: RawRecord }),
]);
export type Content = z.infer<typeof Content>;
