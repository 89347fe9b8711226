// How many attachments have a value: a city, a content type, a source or a sender.
import * as z from 'zod';
import { count } from './fields.ts';

/** `value` is null for rows that do not show one, such as withheld rows. `files` is the sum of the three states. */
export const AttachmentCount = z.object({
  value: z.string().nullable(),
  files: count,
  available: count,
  withheld: count,
  absent: count,
  /** Sum of the sizes that rows state. */
  bytes: count,
});
export type AttachmentCount = z.infer<typeof AttachmentCount>;
