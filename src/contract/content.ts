// Content records: the lore view with its pipeline, and our raw view (interface 2.2, 4.3).
import * as z from 'zod';
import { Integrity, Sha256 } from './scalars.ts';

/** Largest message, in bytes, that the raw view holds as `raw_base64`. Larger ones are fetched from `raw_url` (interface 4.3, our choice). */
export const MAX_RAW_BYTES = 4 * 1024 * 1024;
/** Largest `text` and largest `html` of a raw view, each in bytes of JSON (interface 4.3, our choice). */
export const MAX_TEXT_BYTES = 1024 * 1024;

/** A generated asset in the pipeline of a message (interface 2.2). */
export const Asset = z.looseObject({
  asset_id: z.string(),
  asset_type: z.string(),
  filename: z.string(),
  generation_job_id: z.string(),
  render_variant: z.string(),
});
export type Asset = z.infer<typeof Asset>;

/** The pipeline block of a content record (interface 2.2). */
export const Pipeline = z.looseObject({ provider: z.string(), assets: z.array(Asset) });
export type Pipeline = z.infer<typeof Pipeline>;

/**
 * One place where a message or file holds hidden data, e.g. zero-width characters (interface 4.3). The interface names only the
 * parameter include_stego; this shape is our choice.
 */
export const Carrier = z.looseObject({
  where: z.string(),
  kind: z.string(),
  count: z.number().int().min(0),
});
export type Carrier = z.infer<typeof Carrier>;
const Stego = z.looseObject({ carriers: z.array(Carrier) });

/** The lore view of a message (interface 2.2). */
export const LoreRecord = z.looseObject({
  id: z.string().min(1),
  glyph_trigger: z.string(),
  classification: z.string(),
  sequence_status: z.string(),
  integrity: Integrity,
  origin: z.string(),
  source: z.string(),
  pipeline: Pipeline.optional(),
  stego: Stego.optional(),
});
export type LoreRecord = z.infer<typeof LoreRecord>;

/** A name and a value. Not a tuple, because JSON Schema before 2020-12 describes tuples differently. */
const Pair = z.array(z.string()).length(2);

/** A part of a mail whose bytes are not sent, in the order of the mail (interface 4.3, our choice). */
export const MailPart = z.looseObject({
  /** `alternative`: another form of a text that is shown, such as its HTML. */
  kind: z.enum(['text', 'file', 'alternative']),
  /** The declared type; null for a file, whose row in the catalogue has it. */
  type: z.string().nullable(),
  /** HTML is text here, and text with format=flowed has a line for each paragraph. */
  text: z.string().optional(),
  /** The addresses that `[1]`, `[2]` … in `text` stand for. */
  links: z.array(z.string()).optional(),
  /** Of a file: its attachment. */
  id: z.string().optional(),
  bytes: z.number().int().min(0).optional(),
  /** From, Date, To and Subject of forwarded messages that begin here. */
  forwarded: z.array(z.array(Pair)).optional(),
  warnings: z.array(z.string()).optional(),
});
export type MailPart = z.infer<typeof MailPart>;

/** The raw view of a message: its stored bytes, headers in order and decoded text (interface 4.3, our choice). */
export const RawRecord = z.looseObject({
  id: z.string().min(1),
  entry: z.string().optional(),
  conversation_id: z.string().nullable().optional(),
  parent_id: z.string().nullable().optional(),
  sequence: z.number().int().optional(),
  format: z.string().optional(),
  date: z.string().nullable().optional(),
  subject: z.string().nullable().optional(),
  from: z.string().nullable().optional(),
  headers: z.array(Pair).optional(),
  text: z.string().nullable().optional(),
  html: z.string().nullable().optional(),
  /** Names of `headers`, `text` or `html` that were cut. Absent where nothing was cut. */
  truncated: z.array(z.string()).optional(),
  /** The stored bytes: they decode to `bytes` bytes whose hash is `sha256`. Absent where files are `withheld`. */
  raw_base64: z.string().optional(),
  /** Address of the stored bytes where there are more than MAX_RAW_BYTES. No token is sent to it. */
  raw_url: z.string().nullable().optional(),
  /** Ids of attachments whose bytes this reader may not have: redacted, or above the tier. Absent where there are none. */
  withheld: z.array(z.string()).optional(),
  /** Of a mail with withheld files: its parts, with the places of its files. Absent for a damaged mail, and where the bytes are sent. */
  parts: z.array(MailPart).optional(),
  /** The attachments that cannot be had, each with its state and, if it is known, the reason. Absent where there are none. */
  unavailable: z
    .array(
      z.looseObject({
        id: z.string(),
        state: z.enum(['withheld', 'absent']),
        reason: z.string().nullable(),
      }),
    )
    .optional(),
  sha256: Sha256.optional(),
  bytes: z.number().int().min(0).optional(),
  attachments: z.array(z.string()).optional(),
  integrity: Integrity.optional(),
  source: z.string().optional(),
  channel: z.string().optional(),
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
