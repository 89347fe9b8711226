// The JSON reports that scripts read: walk, verify, pull, import, the listening line and the exit record.
import * as z from 'zod';
import { FileHash, Integrity, Sha256 } from './scalars.ts';

const count = z.number().int().min(0);
const version = z.literal(1);

/** A stretch of the list that would not settle; null is the edge of the list. `reads` were spent on it. */
export const UnstableGap = z.object({
  after: z.string().nullable(),
  before: z.string().nullable(),
  reads: count,
});
export type UnstableGap = z.infer<typeof UnstableGap>;

/**
 * `--report FILE` of any walk; `conversations` counts its rows, whatever they are. `drift` is what the service reported of itself, null where it never did.
 * `cross_check` counts rows: asked of the witness, agreed by it, and asked in vain because it did not answer.
 */
export const WalkReport = z.object({
  version,
  verdict: z.enum(['complete', 'incomplete']),
  conversations: count,
  windows: count,
  requests: count,
  minimum_requests: count,
  rereads: count,
  disagreements: count,
  drift: z.object({
    first: z.number().nullable(),
    last: z.number().nullable(),
    max: z.number().nullable(),
  }),
  confidence: z.number().min(0).max(1),
  cross_check: z.object({
    mode: z.enum(['off', 'boundary', 'full']),
    asked: count,
    agreed: count,
    unavailable: count,
  }),
  duplicates_removed: count,
  /** Rows that surfaced among those already frozen: written meanwhile, or missed. They are not given out. */
  late: z.array(z.string()),
  /** Head of the hash chain and the log it was written to, null where there is none. */
  frozen: z.object({ head: Sha256.nullable(), file: z.string().nullable() }),
  unstable: z.array(UnstableGap),
});
export type WalkReport = z.infer<typeof WalkReport>;

/**
 * What the folder of a walk with `--freeze DIR` says of it. `list` is which list of the address it walked; its rows are
 * counted as `conversations`, whatever they are. `complete`: the walk recorded, for this head,
 * that it reached its end, at `finished_at`; false where it did not, or nothing says so. `late` and `unplaced` rows were
 * seen and are in no window. `torn`: bytes after the last whole line, as a killed walk leaves them.
 */
export const FrozenWalk = z.object({
  dir: z.string(),
  base_url: z.string(),
  list: z.string(),
  after: z.string().nullable(),
  before: z.string().nullable(),
  head: Sha256.nullable(),
  windows: count,
  conversations: count,
  complete: z.boolean(),
  finished_at: z.string().nullable(),
  late: z.array(z.string()),
  unplaced: z.array(z.string()),
  torn: z.boolean(),
});
export type FrozenWalk = z.infer<typeof FrozenWalk>;

/** The row before, null at the start of the list. */
const after = z.string().nullable();
const hashed = z.object({ sha256: Sha256 });

/**
 * `conversations diff A B -o json`. `added` rows are only in b, `lost` ones only in a; `moved` are the fewest rows whose
 * removal leaves both lists in one order; `changed` rows have another content, whether they moved or not; `same` counts
 * the rest. `unknown` rows are in one walk (`side`) and nothing says they are not in the other list: that walk did not
 * get there, left them out of its range, or saw them without a settled place.
 */
export const DiffReport = z.object({
  version,
  a: FrozenWalk,
  b: FrozenWalk,
  added: z.array(z.object({ id: z.string(), after })),
  moved: z.array(z.object({ id: z.string(), from: z.object({ after }), to: z.object({ after }) })),
  lost: z.array(z.object({ id: z.string(), after })),
  changed: z.array(z.object({ id: z.string(), from: hashed, to: hashed })),
  unknown: z.array(
    z.object({
      id: z.string(),
      side: z.enum(['a', 'b']),
      after,
      reason: z.enum(['not_reached', 'out_of_range', 'no_place']),
    }),
  ),
  same: count,
});
export type DiffReport = z.infer<typeof DiffReport>;

/** One frozen window: what it holds and what it cost since the one before it. */
export const WalkedWindow = z.object({
  window: count,
  after,
  conversations: count,
  reads: count,
  disagreements: count,
  drift_ratio: z.number().nullable(),
});
export type WalkedWindow = z.infer<typeof WalkedWindow>;

/** `conversations plot DIR -o json`. `drift` is what the service reported of itself, null where it never did. */
export const PlotReport = z.object({
  version,
  walk: FrozenWalk,
  reads: count,
  disagreements: count,
  drift: WalkReport.shape.drift,
  windows: z.array(WalkedWindow),
});
export type PlotReport = z.infer<typeof PlotReport>;

export const VERDICTS = [
  'match',
  'mismatch',
  'missing',
  'extra',
  'withheld',
  'unreadable',
  'unverifiable',
] as const;
export const Verdict = z.enum(VERDICTS);
export type Verdict = z.infer<typeof Verdict>;

/** One file. `id` is null for an extra file, `path` for one that was given no name; `bytes` is the size found. */
export const VerifiedFile = z.object({
  path: z.string().nullable(),
  id: z.string().nullable(),
  verdict: Verdict,
  expected: FileHash.nullable(),
  actual: FileHash.nullable(),
  bytes: count.nullable(),
});
export type VerifiedFile = z.infer<typeof VerifiedFile>;

/**
 * What a BagIt bag says of itself. `payload_oxum` and `algorithms` as it gives them; `fetch` is what it would have
 * fetched, which is never done; of the `problems` those that are only odd change no exit code.
 */
export const BagSummary = z.object({
  version: z.string(),
  encoding: z.string(),
  algorithms: z.array(z.string()),
  payload_oxum: z.string().nullable(),
  fetch: z.array(z.object({ url: z.string(), path: z.string(), bytes: count.nullable() })),
  problems: z.array(z.object({ kind: z.enum(['integrity', 'partial', 'odd']), what: z.string() })),
});
export type BagSummary = z.infer<typeof BagSummary>;

/** `attachments verify -o json`. `checked` counts files that were hashed, `bytes` what was read for it. */
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

/** As verified; `resumed_from` is the byte the last attempt started at, 0 where nothing was there to resume. */
export const PulledFile = VerifiedFile.extend({ resumed_from: count, attempts: count });
export type PulledFile = z.infer<typeof PulledFile>;

/** `attachments pull -o json`. */
export const PullReport = VerifyReport.extend({ files: z.array(PulledFile) });
export type PullReport = z.infer<typeof PullReport>;

/**
 * `attachments pull --dry-run -o json`: files that would come with the bytes the catalogue says of them (`unsized` have
 * none there), files that are here and verified, withheld rows, and files that would be refused.
 */
export const PullPlan = z.object({
  version,
  files: count,
  bytes: count,
  unsized: count,
  here: count,
  withheld: count,
  refused: count,
});
export type PullPlan = z.infer<typeof PullPlan>;

/**
 * `attachments export -o json`. `files` and `bytes` are those of the records, `payload_oxum` counts what describes them
 * too. `sha256` is of the tag manifest and commits to the whole bag; `walk` is the head of the frozen walk in it.
 */
export const ExportReport = z.object({
  version,
  format: z.literal('bagit'),
  path: z.string(),
  files: count,
  bytes: count,
  withheld: z.array(z.string()),
  payload_oxum: z.string(),
  sha256: Sha256,
  walk: Sha256.nullable(),
});
export type ExportReport = z.infer<typeof ExportReport>;

const ImportedMessages = z
  .object({ read: count, stored: count, known: count, refused: count })
  .refine(({ read, stored, known, refused }) => read === stored + known + refused, {
    message: 'read must be stored + known + refused',
  });

/** `arx import --json`. `offset` is a byte offset in a file, an ordinal elsewhere, null where a whole path is refused. */
export const ImportReport = z.object({
  version,
  sources: z.array(
    z.object({
      path: z.string(),
      kind: z.string(),
      messages: ImportedMessages,
      attachments: z.object({ stored: count, known: count }),
    }),
  ),
  conversations: count,
  refused: z.array(z.object({ path: z.string(), offset: count.nullable(), reason: z.string() })),
});
export type ImportReport = z.infer<typeof ImportReport>;

/** `arx backup -o json`. `taken_at` is the moment whose state it is; `bytes` are those of the files added. */
export const BackupReport = z.object({
  version,
  path: z.string(),
  taken_at: z.string(),
  database_bytes: count,
  files: z.object({ added: count, known: count }),
  bytes: count,
});
export type BackupReport = z.infer<typeof BackupReport>;

/**
 * `arx fsck -o json`. `looked` counts rows, files or messages, `bytes` what was hashed. A finding has all its subjects
 * counted and the first hundred named; a `notice` is odd and no damage.
 */
export const FsckReport = z.object({
  version,
  engine: z.enum(['sqlite', 'postgres']),
  files: z.enum(['folder', 'database']),
  verdict: z.enum(['ok', 'damaged', 'nothing_checked']),
  checks: z.array(
    z.object({
      name: z.enum([
        'engine',
        'messages',
        'conversations',
        'threads',
        'attachments',
        'events',
        'stored messages',
        'files',
      ]),
      looked: count,
    }),
  ),
  bytes: count,
  findings: z.array(
    z.object({
      check: z.string(),
      problem: z.string(),
      severity: z.enum(['damage', 'notice']),
      count,
      subjects: z.array(z.string()),
    }),
  ),
});
export type FsckReport = z.infer<typeof FsckReport>;

/** First line of stdout of `arx serve --json`. `database` never holds a password. */
export const Listening = z.object({
  type: z.literal('listening'),
  base_url: z.string(),
  asset_url: z.string(),
  pid: z.number().int(),
  database: z.string(),
  metrics_url: z.string().optional(),
});
export type Listening = z.infer<typeof Listening>;

/** Last line of stderr of a failed command with JSON output. */
export const ExitRecord = z.object({
  type: z.literal('exit'),
  exit: z.number().int().min(0).max(255),
  class: z.string(),
  message: z.string(),
  code: z.string().optional(),
  request_id: z.string().optional(),
  integrity: Integrity.optional(),
  retryable: z.boolean().optional(),
});
export type ExitRecord = z.infer<typeof ExitRecord>;
