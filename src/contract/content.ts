// Content records: the lore view with its pipeline, and our raw view (interface 2.2, 4.3).
import * as z from 'zod';
import { Integrity, Sha256 } from './scalars.ts';

/** Most stored bytes that a raw view carries within; larger messages are fetched from `raw_url` (our choice). */
export const MAX_RAW_BYTES = 4 * 1024 * 1024;
/** Most bytes of JSON that `text` and `html` of a raw view have each (our choice). */
export const MAX_TEXT_BYTES = 1024 * 1024;

export const Asset = z.looseObject({
  asset_id: z.string(),
  asset_type: z.string(),
  filename: z.string(),
  generation_job_id: z.string(),
  render_variant: z.string(),
});
export type Asset = z.infer<typeof Asset>;

export const Pipeline = z.looseObject({ provider: z.string(), assets: z.array(Asset) });
export type Pipeline = z.infer<typeof Pipeline>;

/** One place where a message or file carries something a reader does not see (our shape; interface 4.3 names only the flag). */
export const Carrier = z.looseObject({
  where: z.string(),
  kind: z.string(),
  count: z.number().int().min(0),
});
export type Carrier = z.infer<typeof Carrier>;
const Stego = z.looseObject({ carriers: z.array(Carrier) });

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

/** A name and a value. No tuple: dialects of JSON Schema before 2020-12 have another word for that. */
const Pair = z.array(z.string()).length(2);

/** Our raw view: the message as stored, its headers in order and its decoded text (interface: "not shown"). */
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
  /** Which of them are given only in part. Absent where all are whole. */
  truncated: z.array(z.string()).optional(),
  /** The stored bytes: `raw_base64` decodes to `bytes` bytes that hash to `sha256`. Absent where files are `withheld`. */
  raw_base64: z.string().optional(),
  /** Where they are fetched instead, without a token, when there are more than MAX_RAW_BYTES of them. */
  raw_url: z.string().nullable().optional(),
  /** Attachments whose bytes this reader may not have: redacted, or above the tier. Absent where there are none. */
  withheld: z.array(z.string()).optional(),
  sha256: Sha256.optional(),
  bytes: z.number().int().min(0).optional(),
  attachments: z.array(z.string()).optional(),
  integrity: Integrity.optional(),
  source: z.string().optional(),
  pipeline: Pipeline.optional(),
  stego: Stego.optional(),
});
export type RawRecord = z.infer<typeof RawRecord>;

export const Content = z.union([
  z.looseObject({ view: z.literal('lore'), data: LoreRecord }),
  z.looseObject({ view: z.literal('raw'), data: RawRecord }),
]);
export type Content = z.infer<typeof Content>;
