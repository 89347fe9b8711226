// The JSON reports about exact walks: the report of a walk, a frozen walk, the difference of two, and the plot of one.
import * as z from 'zod';
import { Sha256 } from '../scalars.ts';
import { count, version } from './fields.ts';

/** A part of the list whose order could not be proved. null means the edge of the list. `reads` were spent on it. */
export const UnstableGap = z.object({
  after: z.string().nullable(),
  before: z.string().nullable(),
  reads: count,
});
export type UnstableGap = z.infer<typeof UnstableGap>;

/**
 * What a verdict assumes. `one_state`: answers of one kind in one state, no read ever disagreed. `independent_faults`: hardly
 * any two faulty reads were seen at one place, so that they rarely agree is assumed. `positions`: rows are placed by the positions
 * that they show. `forward_only`: no backward read shows the start. `no_cross_check`: there was no source to cross-check with.
 * `earlier_runs`: windows of earlier runs were not judged again.
 */
export const WalkAssumption = z.enum([
  'one_state',
  'independent_faults',
  'positions',
  'forward_only',
  'no_cross_check',
  'earlier_runs',
]);
export type WalkAssumption = z.infer<typeof WalkAssumption>;

/**
 * What the requests of a walk were for; together they are all of them. `new_rows`: to read on. `known_rows`: the same rows by
 * other cursors. `end`: whether the list ends. `cross_check`: the cross-check source. `single_rows`: whether a row is in the list, or
 * which of two comes first. `audit`: frozen windows, at the end.
 */
export const RequestPurposes = z.object({
  new_rows: count,
  known_rows: count,
  end: count,
  cross_check: count,
  single_rows: count,
  audit: count,
});
export type RequestPurposes = z.infer<typeof RequestPurposes>;

/**
 * The report of any walk (`--report FILE`). `conversations` counts the rows of the list, whatever records they are. `requests` are those of
 * this run, `rereads` those among them that asked for known rows, `disagreements` the answers that were wrong. `drift` is the
 * ratio that the service reported, null where it reported none. `cross_check` counts rows: asked of the cross-check source,
 * confirmed by it, and asked without an answer.
 */
export const WalkReport = z.object({
  version,
  verdict: z.enum(['complete', 'incomplete']),
  conversations: count,
  /** Rows among them that are withheld from the reader. Reports of earlier versions lack it. */
  withheld: count.optional(),
  windows: count,
  requests: count,
  /** Reports of earlier versions lack it. */
  requests_for: RequestPurposes.optional(),
  minimum_requests: count,
  rereads: count,
  disagreements: count,
  drift: z.object({
    first: z.number().nullable(),
    last: z.number().nullable(),
    max: z.number().nullable(),
  }),
  /** Probability that the rows are the list, as far as the evidence goes; 1 at most where no read was faulty. */
  confidence: z.number().min(0).max(1),
  /** What the verdict rests on besides the evidence. */
  assumes: z.array(WalkAssumption),
  /** Reads of frozen windows at the end of the walk, and how many showed the rows as they were frozen. */
  audit: z.object({ reads: count, agreed: count }),
  /** Numbers of frozen windows that the evidence at the end does not bear out. */
  doubted_windows: z.array(count),
  cross_check: z.object({
    mode: z.enum(['off', 'boundary', 'full']),
    asked: count,
    agreed: count,
    unavailable: count,
  }),
  duplicates_removed: count,
  /** Ids of rows that turned up between rows already frozen: written during the walk, or missed. They are not in the output. */
  late: z.array(z.string()),
  /** Last hash of the hash chain, and the log file it was written to. Both are null where no log was kept. */
  frozen: z.object({ head: Sha256.nullable(), file: z.string().nullable() }),
  unstable: z.array(UnstableGap),
});
export type WalkReport = z.infer<typeof WalkReport>;

/**
 * What the folder of a frozen walk says about the walk. `list` names the list of `base_url` that was walked; its rows are counted as
 * `conversations`, whatever records they are. `complete` is true where the walk recorded for this head, at `finished_at`, that it
 * reached the end of the list. `late` and `unplaced` rows were seen and are in no window. `torn`: there are bytes after the last
 * whole line, as a killed walk leaves them.
 */
export const FrozenWalk = z.object({
  dir: z.string(),
  base_url: z.string(),
  list: z.string(),
  /** The tier of the reader, null where it is not recorded. */
  tier: z.string().nullable(),
  after: z.string().nullable(),
  before: z.string().nullable(),
  head: Sha256.nullable(),
  windows: count,
  conversations: count,
  complete: z.boolean(),
  finished_at: z.string().nullable(),
  /** The confidence that the walk reached, null where it is not recorded. */
  confidence: z.number().nullable(),
  late: z.array(z.string()),
  unplaced: z.array(z.string()),
  torn: z.boolean(),
});
export type FrozenWalk = z.infer<typeof FrozenWalk>;

/** Id of the row before, null at the start of the list. */
const after = z.string().nullable();
const hashed = z.object({ sha256: Sha256 });

/**
 * `conversations diff A B -o json`. `added` rows are only in b, `lost` rows only in a. `moved` is the smallest set of rows whose removal
 * leaves both lists in the same order. `changed` rows have other content, whether they moved or not; `fields` names what differs,
 * `withheld` the only walk in which the row is withheld. `same` counts all other
 * rows. `unknown` rows are in one walk (`side`), and the other walk does not prove their absence: it did not get that far, had
 * another range, or saw the row without a proved position.
 */
export const DiffReport = z.object({
  version,
  a: FrozenWalk,
  b: FrozenWalk,
  added: z.array(z.object({ id: z.string(), after })),
  moved: z.array(z.object({ id: z.string(), from: z.object({ after }), to: z.object({ after }) })),
  lost: z.array(z.object({ id: z.string(), after })),
  changed: z.array(
    z.object({
      id: z.string(),
      from: hashed,
      to: hashed,
      fields: z.array(z.string()),
      withheld: z.enum(['a', 'b']).optional(),
    }),
  ),
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

/** One frozen window: its size, and the reads and disagreements that its log line has. */
export const WalkedWindow = z.object({
  window: count,
  after,
  conversations: count,
  reads: count,
  disagreements: count,
  drift_ratio: z.number().nullable(),
});
export type WalkedWindow = z.infer<typeof WalkedWindow>;

/** `conversations plot DIR -o json`. `drift` is the ratio that the service reported, null where it reported none. */
export const PlotReport = z.object({
  version,
  walk: FrozenWalk,
  reads: count,
  disagreements: count,
  drift: WalkReport.shape.drift,
  windows: z.array(WalkedWindow),
});
export type PlotReport = z.infer<typeof PlotReport>;
