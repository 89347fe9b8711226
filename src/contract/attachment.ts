// Attachment rows and their list (interface 2.1, 4.2).
import * as z from 'zod';
import {
  Flag,
  NonEmptyText,
  OptionalCount,
  OptionalFlag,
  OptionalInteger,
  OptionalIntegrity,
  OptionalText,
  OptionalTextOrNull,
  Sha256,
  Text,
} from './scalars.ts';

/**
 * One row of the attachment catalogue as our service sends it (interface 2.1). A redacted row has `file_url: null` and may lack content_type,
 * origin_city and source. Our service adds `message_id`, `sequence`, `bytes`, `detected_type`, `trailing_bytes`, `reason` and
 * `integrity`. A file whose bytes it never had is no redacted one: it lacks `sha256`, and its `file_url` is null. A row above the
 * reader's tier lacks `sha256`, `decorative_layer` and `first_visible`.
 */
export const SentAttachment = z.looseObject({
  id: NonEmptyText,
  filename: Text,
  file_url: z.string().nullable(),
  sha256: Sha256.optional(),
  content_type: OptionalText,
  redacted: Flag,
  decorative_layer: OptionalFlag,
  first_visible: OptionalFlag,
  origin_city: OptionalText,
  source: OptionalText,
  message_id: OptionalTextOrNull,
  sequence: OptionalInteger,
  bytes: OptionalCount,
  detected_type: OptionalText,
  trailing_bytes: OptionalCount,
  /** Why the file cannot be had: the reason of the redaction, or why the archive lacks the bytes. */
  reason: OptionalText,
  integrity: OptionalIntegrity,
});

/** The same row as a client reads it. Other services may lack every field but `id`. Without `sha256` its file cannot be verified. */
export const Attachment = SentAttachment.partial({
  filename: true,
  file_url: true,
  redacted: true,
});
export type Attachment = z.infer<typeof Attachment>;
