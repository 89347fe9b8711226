// The JSON reports about files: verify, pull, the plan of a pull, and export.
import * as z from 'zod';
import { FileHash, Sha256 } from '../scalars.ts';
import { count, version } from './fields.ts';

/** What a check of one file can find. */
export const VERDICTS = [
  'match',
  'mismatch',
  'missing',
  'extra',
  'withheld',
  'absent',
  'unreadable',
  'unverifiable',
] as const;
/** The result of checking one file. */
export const Verdict = z.enum(VERDICTS);
export type Verdict = z.infer<typeof Verdict>;

/**
 * One checked file. `withheld`: the archive does not give the bytes; `absent`: it never had them. `reason` says why, where the
 * catalogue does. `id` is null for an extra file, `path` for a file that was given no name. `bytes` is the
 * size that was found. `now`: a pull kept the file, and it is withheld or absent by now, or the list of the archive no longer has it
 * (`unlisted`), so it cannot be fetched again. `changed`: a pull kept the file, and the archive gives another hash for it now than then.
 */
export const VerifiedFile = z.object({
  path: z.string().nullable(),
  id: z.string().nullable(),
  verdict: Verdict,
  expected: FileHash.nullable(),
  actual: FileHash.nullable(),
  bytes: count.nullable(),
  reason: z.string().optional(),
  now: z.enum(['withheld', 'absent', 'unlisted']).optional(),
  changed: z.literal(true).optional(),
});
export type VerifiedFile = z.infer<typeof VerifiedFile>;

/**
 * What a BagIt bag declares. `payload_oxum` and `algorithms` are as written in the bag. `fetch` lists files that the bag wants fetched;
 * arx never fetches them. `problems` of kind `odd` do not change the exit code; of kind `lacking`, which say what the bag lacks of the
 * archive, they do so under `--strict` alone.
 */
export const BagSummary = z.object({
  version: z.string(),
  encoding: z.string(),
  algorithms: z.array(z.string()),
  payload_oxum: z.string().nullable(),
  fetch: z.array(z.object({ url: z.string(), path: z.string(), bytes: count.nullable() })),
  problems: z.array(z.object({ kind: z.enum(['integrity', 'partial', 'lacking', 'odd']), what: z.string() })),
});
export type BagSummary = z.infer<typeof BagSummary>;

/** `attachments verify -o json`. `checked` counts files that were hashed, `bytes` the bytes read for it. */
export const VerifyReport = z.object({
  version,
  checked: count,
  verdicts: z.record(Verdict, count),
  bytes: count,
  files: z.array(VerifiedFile),
  fixity: z.enum(['ok', 'failed', 'nothing_checked']),
  completeness: z.enum(['complete', 'incomplete', 'unknown']),
  bag: BagSummary.optional(),
});
export type VerifyReport = z.infer<typeof VerifyReport>;

/**
 * A pulled file. `resumed_from` is the byte at which the last attempt started, 0 where it started anew. A withheld or absent file with
 * `now` is in the folder as it was kept; `newly`: this run is the first to find it so.
 */
export const PulledFile = VerifiedFile.extend({
  resumed_from: count,
  attempts: count,
  newly: z.literal(true).optional(),
});
export type PulledFile = z.infer<typeof PulledFile>;

/** `attachments pull -o json`. Files with `now` that are as they were kept count as checked, and as there. */
export const PullReport = VerifyReport.extend({ files: z.array(PulledFile) });
export type PullReport = z.infer<typeof PullReport>;

/**
 * One file of the plan of a pull, and in other forms than JSON a row. `path` is below the target folder, null for a file that would get none.
 * `bytes` is its size in the catalogue, `sha256` the hash by which it is verified. `newly`: an earlier pull kept it, and it was not said yet
 * that it is withheld, absent or `unlisted` by now. `changed`: the archive gives another hash than when it was downloaded.
 */
export const PlannedFile = z.object({
  id: z.string(),
  action: z.enum(['download', 'here', 'withheld', 'absent', 'unlisted', 'refused']),
  path: z.string().nullable(),
  bytes: count.nullable(),
  sha256: Sha256.nullable(),
  newly: z.literal(true).optional(),
  changed: z.literal(true).optional(),
});
export type PlannedFile = z.infer<typeof PlannedFile>;

/**
 * `attachments pull --dry-run -o json`. `files` would be downloaded; `bytes` is their size in the catalogue, where `unsized` files have
 * none. `here` files are present and verified. `withheld`, `absent`, `unlisted` (kept, and no longer in the list of the archive) and
 * `refused` files would not be downloaded. `rows` are all of them; `complete`: these are known to be all that the pull would select.
 */
export const PullPlan = z.object({
  version,
  files: count,
  bytes: count,
  unsized: count,
  here: count,
  withheld: count,
  absent: count,
  unlisted: count,
  refused: count,
  complete: z.boolean(),
  rows: z.array(PlannedFile),
});
export type PullPlan = z.infer<typeof PullPlan>;

/**
 * `attachments export -o json`. `files` and `bytes` count the attachments; `payload_oxum` counts their descriptions too. `sha256` is the
 * hash of the tag manifest, which commits to the whole bag. `walk` is the head of the frozen walk in the bag. `withheld` and `absent` are
 * files that no pull kept, `reasons` says of their ids why, where that is known. `kept` are in the bag, and withheld or absent by now.
 */
export const ExportReport = z.object({
  version,
  format: z.literal('bagit'),
  path: z.string(),
  files: count,
  bytes: count,
  withheld: z.array(z.string()),
  absent: z.array(z.string()),
  reasons: z.record(z.string(), z.string()),
  kept: z.array(z.string()),
  completeness: VerifyReport.shape.completeness,
  payload_oxum: z.string(),
  sha256: Sha256,
  walk: Sha256.nullable(),
});
export type ExportReport = z.infer<typeof ExportReport>;

/**
 * `conversations export --to PATH -o json`. `made`: mails of an mbox that were made of messages which are no stored mails. `unreadable`:
 * messages that could not be read, or not as they are stored. `files` are in the export or beside it; `files_left_out` could be had and
 * are not; `files_named` were not asked for, as the export is one file; `unavailable` are withheld or absent. `complete`: it is proved that these
 * are all messages, each is as stored, and no file is missing that was asked for or is unavailable.
 */
export const ThreadReport = z.object({
  version,
  id: z.string(),
  format: z.enum(['mbox', 'md', 'html']),
  path: z.string(),
  bytes: count,
  sha256: Sha256,
  messages: count,
  made: count,
  unreadable: count,
  files: count,
  files_left_out: count,
  files_named: count,
  unavailable: count,
  complete: z.boolean(),
});
export type ThreadReport = z.infer<typeof ThreadReport>;
