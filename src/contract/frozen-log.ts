// The lines of the files in the folder of a frozen walk. Their format is described in src/walk/README.md.
import * as z from 'zod';
import { count } from './reports/fields.ts';

/** SHA-256 in lower-case hex. */
const Hash = z.string().regex(/^[0-9a-f]{64}$/);

/** One line of windows.ndjson. */
export const FrozenWindowLine = z.object({
  /** Number of the window, from 1. */
  window: z.number().int().min(1),
  /** Id of the row before the window; null at the start of the list. */
  after: z.string().nullable(),
  /** Ids of its rows, in order. */
  ids: z.array(z.string()).min(1),
  /** Length of its rows in rows.ndjson, in bytes, newlines included. */
  rows_bytes: z.number().int().min(1),
  /** SHA-256 of these bytes. */
  rows_sha256: Hash,
  /** Answered requests whose first row is in this window; also those since the window before that showed no row, or a frozen one. */
  reads: count,
  /** Answers among them that were wrong. */
  disagreements: count,
  /** The drift ratio that the service stated last among these, or before them; null where it stated none. */
  drift_ratio: z.number().nullable(),
  /** SHA-256 of the line before, without its newline; 64 zeros in the first line. */
  previous: Hash,
});
export type FrozenWindowLine = z.infer<typeof FrozenWindowLine>;

/**
 * walk.json: what was walked. `list` names a list of the address; absent: its conversations. `tier`: what the reader could see; absent: not known.
 * The ends are exclusive ids.
 */
export const FrozenWalkSubject = z.object({
  version: z.number().int().optional(),
  base_url: z.string(),
  list: z.string().optional(),
  tier: z.string().optional(),
  after: z.string().nullable(),
  before: z.string().nullable(),
});
export type FrozenWalkSubject = z.infer<typeof FrozenWalkSubject>;

/**
 * One line of complete.ndjson: the walk reached the end of the list. `head` is the hash of the last window line then, null
 * for an empty list. `late` rows were seen between frozen rows and are in no window. `confidence` is that of the report; earlier
 * versions did not record it.
 */
export const FrozenWalkCompletion = z.object({
  head: Hash.nullable(),
  finished_at: z.string(),
  late: z.array(z.string()),
  confidence: z.number().min(0).max(1).optional(),
});
export type FrozenWalkCompletion = z.infer<typeof FrozenWalkCompletion>;

/**
 * One line of doubts.ndjson: rows that one run saw and did not write out. `unplaced` rows found no place in the order;
 * `late` rows were seen between frozen rows.
 */
export const FrozenWalkUnresolved = z.object({ unplaced: z.array(z.string()), late: z.array(z.string()) });
export type FrozenWalkUnresolved = z.infer<typeof FrozenWalkUnresolved>;
