// The JSON of `arx content diff`: two messages, or two views of one message.
import * as z from 'zod';

const version = z.literal(1);
const count = z.number().int().min(0);

/** A run of lines around a difference. `lines` begin with ` ` (in both), `-` (only in a) or `+` (only in b). Places count from 1. */
export const DiffHunk = z.object({
  a_start: count,
  a_lines: count,
  b_start: count,
  b_lines: count,
  lines: z.array(z.string()),
});
export type DiffHunk = z.infer<typeof DiffHunk>;

/**
 * `content diff A B -o json`. `header` and `body` are compared line by line; a file is a line of the body at its place.
 * `is_minimal` is false where the texts differ too much to find the smallest difference.
 */
export const MessageDiff = z.object({
  version,
  of: z.literal('messages'),
  a: z.string(),
  b: z.string(),
  equal: z.boolean(),
  header: z.array(DiffHunk),
  body: z.array(DiffHunk),
  is_minimal: z.boolean(),
});
export type MessageDiff = z.infer<typeof MessageDiff>;

/** A field of a raw or lore view. `alias`: the name of the same fact in the lore view. */
export const ViewField = z.object({
  name: z.string(),
  alias: z.string().optional(),
  state: z.enum(['equal', 'different', 'raw_only', 'lore_only']),
  raw: z.unknown().optional(),
  lore: z.unknown().optional(),
  meaning: z.string().nullable(),
});
export type ViewField = z.infer<typeof ViewField>;

/** `content diff ID -o json`. `equal`: both views say the same of every fact that both have. */
export const ViewDiff = z.object({
  version,
  of: z.literal('views'),
  id: z.string(),
  equal: z.boolean(),
  fields: z.array(ViewField),
});
export type ViewDiff = z.infer<typeof ViewDiff>;
