// The JSON reports that scripts read: walk, verify, pull, import, the listening line and the exit record.
import * as z from 'zod';
import { Integrity, Sha256 } from './quantity.ts';

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
  expected: Sha256.nullable(),
  actual: Sha256.nullable(),
  bytes: count.nullable(),
});
export type VerifiedFile = z.infer<typeof VerifiedFile>;

/** `attachments verify -o json`. `checked` counts files that were hashed, `bytes` what was read for it. */
export const VerifyReport = z.object({
  version,
  checked: count,
  verdicts: z.record(Verdict, count),
  bytes: count,
  files: z.array(VerifiedFile),
  fixity: z.enum(['ok', 'failed', 'nothing_checked']),
  completeness: z.enum(['complete', 'incomplete', 'unknown']),
});
export type VerifyReport = z.infer<typeof VerifyReport>;

/** As verified; `resumed_from` is the byte the last attempt started at, 0 where nothing was there to resume. */
export const PulledFile = VerifiedFile.extend({ resumed_from: count, attempts: count });
export type PulledFile = z.infer<typeof PulledFile>;

/** `attachments pull -o json`. */
export const PullReport = VerifyReport.extend({ files: z.array(PulledFile) });
export type PullReport = z.infer<typeof PullReport>;

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

/** First line of stdout of `arx serve --json`. `database` never holds a password. */
export const Listening = z.object({
  type: z.literal('listening'),
  base_url: z.string(),
  asset_url: z.string(),
  pid: z.number().int(),
  database: z.string(),
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
