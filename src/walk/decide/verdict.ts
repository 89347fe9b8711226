// The verdict about a whole walk: what is frozen and both ends, judged by the fault rates at the end.
import type { WalkAssumption } from '../../contract/reports/walk.ts';
import type { FaultStatistics } from '../evidence/fault-counts.ts';
import { logOddsOf } from './claim.ts';
import { faultModel, type FaultModel } from './fault-model.ts';
import type { FrozenClaims } from './frozen-claims.ts';

/** What the verdict depends on. */
export type WalkEvidence = {
  faults: FaultStatistics;
  frozenClaims: FrozenClaims;
  /** Rows of a page. */
  pageRows: number;
  /** Different requests that show the end; undefined where the walk ends at a row that the caller gave. */
  endReads: number | undefined;
  /** Accepted probability that anything is wrong. */
  epsilon: number;
  /** Windows that an answer contradicted after they were frozen. */
  contradictedWindows: readonly number[];
  /** Frozen rows that are gone or follow on another row now, and how many rows were read for it. */
  changes: { rows: ReadonlySet<number>; readRows: number };
  hasBackwardReads: boolean;
  /** Whether a cross-check source answered, or none was wanted. */
  isCrossChecked: boolean;
  hasEarlierRuns: boolean;
};

/** The verdict. `isMet`: the error probability is as low as it was asked for, and nothing contradicts what is frozen. */
export type Verdict = {
  isMet: boolean;
  confidence: number;
  doubtedWindows: number[];
  assumes: WalkAssumption[];
};

/** Pairs of faulty reads at one place that show how often such reads agree. */
const MIN_PAIRS_SEEN = 4;
const DECIMALS = 1_000_000;

/** Returns the verdict. It is a pure function of the evidence. */
export function verdictOf(evidence: WalkEvidence): Verdict {
  const { faults, frozenClaims, pageRows, endReads, epsilon, contradictedWindows } = evidence;
  const model = faultModel(faults);
  const endError = endReads === undefined ? 0 : Math.exp(-logOddsOf({ what: 'end', votes: endReads }, model));
  const changed = changedRowsError(evidence, model);
  const error = Math.min(1, frozenClaims.errorProbability(model, pageRows) + endError + changed);
  const isLikely = error <= epsilon;
  const weakest = isLikely ? [] : frozenClaims.weakestWindows(model, pageRows);
  if (changed > epsilon / 2)
    for (const row of evidence.changes.rows) weakest.push(frozenClaims.windowOf(row));
  return {
    isMet: isLikely && contradictedWindows.length === 0,
    confidence: Math.floor((1 - error) * DECIMALS) / DECIMALS,
    doubtedWindows: [...new Set([...contradictedWindows, ...weakest])].toSorted((a, b) => a - b),
    assumes: assumptionsOf(evidence),
  };
}

/**
 * Returns the probability that a frozen row which is gone, or follows on another row now, was frozen in error. Either that, or the
 * list was written since: as likely as not where no read looks stale, else as often as changes were seen.
 */
function changedRowsError(
  { frozenClaims, changes: { rows, readRows } }: WalkEvidence,
  finalModel: FaultModel,
): number {
  const isStale = finalModel.staleReads > 0;
  const written = isStale ? Math.min(1, (rows.size + 0.5) / (readRows + 1)) : 0.5;
  // That the row is gone says nothing about the positions that rows showed before.
  const model = isStale ? finalModel : { ...finalModel, showsGoneRows: false };
  let sum = 0;
  for (const row of rows) sum += Math.exp(-logOddsOf(frozenClaims.of(row), model)) / written;
  return sum;
}

function assumptionsOf({
  faults: { any, kinds },
  frozenClaims,
  hasBackwardReads,
  isCrossChecked,
  hasEarlierRuns,
}: WalkEvidence): WalkAssumption[] {
  const { omission, stale, order } = kinds;
  const pairs = Math.max(omission.chances, stale.chances, order.chances);
  const held: Record<WalkAssumption, boolean> = {
    one_state: any.faulty === 0,
    independent_faults: any.faulty > 0 && pairs < MIN_PAIRS_SEEN,
    positions: frozenClaims.consecutiveShare > 0.5,
    forward_only: !hasBackwardReads,
    no_cross_check: !isCrossChecked,
    earlier_runs: hasEarlierRuns,
  };
  return (Object.keys(held) as WalkAssumption[]).filter((name) => held[name]);
}
