// Attachment rows and their list (interface 2.1, 4.2).
import * as z from 'zod';
import { Integrity, Sha256 } from './scalars.ts';

/**
 * One row of the attachment catalogue as our service sends it (interface 2.1). A redacted row has `file_url: null` and may lack content_type,
 * origin_city and source. Our service adds `message_id`, `sequence`, `bytes`, `detected_type`, `trailing_bytes`, `reason` and
 * `integrity`. A file whose bytes it never had is no redacted one: it lacks `sha256`, and its `file_url` is null. A row above the
 * reader's tier lacks `sha256`, `decorative_layer` and `first_visible`.
 */
export const SentAttachment = z.looseObject({
  id: z.string().min(1),
  filename: z.string(),
  file_url: z.string().nullable(),
  sha256: Sha256.optional(),
  content_type: z.string().optional(),
  redacted: z.boolean(),
  decorative_layer: z.boolean().optional(),
  first_visible: z.boolean().optional(),
  origin_city: z.string().optional(),
  source: z.string().optional(),
  message_id: z.string().nullable().optional(),
  sequence: z.number().int().optional(),
  bytes: z.number().int().min(0).optional(),
  detected_type: z.string().optional(),
  trailing_bytes: z.number().int().min(0).optional(),
  /** Why the file cannot be had: the reason of the redaction, or why the archive lacks the bytes. */
  reason: z.string().optional(),
  integrity: Integrity.optional(),
});

/** The same row as a client reads it. Other services may lack every field but `id`. Without `sha256` its file cannot be verified. */
export const Attachment = SentAttachment.partial({
  filename: true,
  file_url: true,
  redacted: true,
});
export type Attachment = z.infer<typeof Attachment>;
