// Decides which adjacencies the cross-check source must confirm before their rows are frozen (interface 4.7).
import type { AdjacencyEvidence } from '../evidence/claims.ts';
import type { Thresholds } from './adjacency.ts';

/**
 * `boundary` asks about the ends of the list and about rows on which reads disagree, unless consecutive positions vouch
 * for them; `full` asks about every row.
 */
export type CrossCheckMode = 'off' | 'boundary' | 'full';

/** Reads that omit a row from which on the row must be confirmed. */
const MIN_OMISSIONS_TO_CONFIRM = 2;
/** Cross-checks for each adjacency while stale answers may share a snapshot. */
const CONFIRMATIONS_AGAINST_SNAPSHOT = 2;

/** Returns whether the cross-check source must show an adjacency before its second row is frozen. */
export function mustBeConfirmed(
  mode: CrossCheckMode,
  { isConsecutive, reversedReads, omittingReads }: AdjacencyEvidence,
  isFirstRow: boolean,
  { staleReadsPrevail }: Thresholds,
): boolean {
  if (mode !== 'boundary') return mode === 'full';
  if (isConsecutive) return false;
  return staleReadsPrevail || isFirstRow || reversedReads > 0 || omittingReads >= MIN_OMISSIONS_TO_CONFIRM;
}

/** Returns how many cross-checks of an adjacency are worth their requests. `isRequired`: {@link mustBeConfirmed}. */
export function confirmationsWanted(isRequired: boolean, { staleReadLogOdds }: Thresholds): number {
  if (staleReadLogOdds > 0) return CONFIRMATIONS_AGAINST_SNAPSHOT;
  return isRequired ? 1 : 0;
}
