// The JSON lines about a running command: the address of `arx serve`, and why a command failed.
import * as z from 'zod';
import { Integrity } from '../scalars.ts';

/** First line on stdout of `arx serve --json`. `database` never holds a password. */
export const Listening = z.object({
  type: z.literal('listening'),
  base_url: z.string(),
  asset_url: z.string(),
  pid: z.number().int(),
  database: z.string(),
  metrics_url: z.string().optional(),
});
export type Listening = z.infer<typeof Listening>;

/**
 * A line on stderr with `--progress json`: about one a second, and one with the phase `ended` for each piece of work. Every key is
 * always there, null where it does not apply or is not known. `connecting` and `waiting` are for an answer of the host `label`.
 * `elapsed` and `seconds_left` are seconds.
 */
export const ProgressRecord = z.object({
  type: z.literal('progress'),
  phase: z.enum(['connecting', 'waiting', 'working', 'ended']),
  label: z.string(),
  done: z.number().nullable(),
  total: z.number().nullable(),
  unit: z.string().nullable(),
  per_second: z.number().nullable(),
  seconds_left: z.number().nullable(),
  elapsed: z.number(),
});
export type ProgressRecord = z.infer<typeof ProgressRecord>;

/** What failed, and what the service said of it. */
const Failure = z.object({
  class: z.string(),
  message: z.string(),
  code: z.string().optional(),
  request_id: z.string().optional(),
  integrity: Integrity.optional(),
  /** How many failures say exactly this, where that is more than one. */
  times: z.number().int().min(2).optional(),
});
/** A part of {@link ExitRecord}. */
export type Failure = z.infer<typeof Failure>;

/**
 * Last line on stderr of a failed command with JSON output. It says all that the lines before it say; its first fields are about
 * the most severe failure.
 */
export const ExitRecord = z.object({
  type: z.literal('exit'),
  exit: z.number().int().min(0).max(255),
  ...Failure.shape,
  retryable: z.boolean().optional(),
  /** What was kept in spite of the failure. */
  kept: z.string().optional(),
  /** What to do, best a command to paste. */
  next: z.string().optional(),
  /** The first of the less severe failures of the run. */
  others: z.array(Failure).optional(),
  /** How many failures are in no part of this record. */
  more_failures: z.number().int().optional(),
});
export type ExitRecord = z.infer<typeof ExitRecord>;
