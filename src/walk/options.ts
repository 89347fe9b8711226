// What a walk is given and what it returns besides its rows.
import type { WalkReport } from '../contract/reports/walk.ts';
import type { Fault } from '../faults.ts';
import type { CrossCheckMode } from './decide/confirmation.ts';
import type { Surface } from './evidence/read.ts';
import type { FrozenState } from './log/window.ts';
import type { PageQuery } from './source.ts';

/** One request of the walk, for the diagnostic log. */
export type ReadNote = {
  number: number;
  surface: Surface;
  query: PageQuery;
  rows: number;
  drift_ratio?: number;
  /** What was wrong with the answer. */
  problem?: string;
};

/** Reads in flight at once: one at the frontier, the others verify rows behind it. */
export const DEFAULT_CONCURRENCY = 6;

/** The options of {@link walk}. */
export type WalkOptions<Row> = {
  /** Rows asked for in one read, 1 to `PAGE_LIMIT.maximum`. Below 8 the walk asks for 8: a smaller page would show hardly a pair of rows. */
  limit: number;
  /** Exclusive ends of the walk, as ids of the list; absent: those of the list. */
  after?: string;
  before?: string;
  crossCheck: CrossCheckMode;
  /** What one row is called in messages; absent: conversation. */
  noun?: string;
  /** Requests allowed in this run, cross-checks included; absent: no limit. */
  maxRequests?: number;
  /** What an earlier run froze: the walk continues after it. */
  frozen?: FrozenState<Row>;
  /** Reads in flight at once, 1 to 16; absent: 6. */
  concurrency?: number;
  /** Accepted probability of any wrong adjacency; absent: 0.001. */
  epsilon?: number;
  /** Returns, of so many known rows, in words why the list is taken to have no end; undefined where it may have one. */
  endless?: (rows: number) => string | undefined;
  signal: AbortSignal;
  log?: (note: ReadNote) => void;
};

/** What {@link walk} returns after its last window. */
export type WalkOutcome = {
  /** The report of the walk, incomplete ones included. */
  report: WalkReport;
  /** Why the walk is incomplete. */
  fault?: Fault;
  /** Ids of rows that were seen and have no place in the order. A resumed walk must not lose them (log/unresolved-rows.ts). */
  unplaced?: string[];
  /** Whether the walk ended because its budget of requests was spent. */
  isSpent?: boolean;
};
