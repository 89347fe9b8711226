// Decides which adjacencies the cross-check source must confirm before their rows are frozen (interface 4.7).
import type { AdjacencyEvidence } from '../evidence/claims.ts';
import type { FaultModel } from './fault-model.ts';

/**
 * `boundary` asks about the ends of the list and about rows on which reads disagree, unless consecutive positions vouch
 * for them; `full` asks about every row.
 */
export type CrossCheckMode = 'off' | 'boundary' | 'full';

/** Reads that omit a row from which on the row must be confirmed. */
const MIN_OMISSIONS_TO_CONFIRM = 2;
/** Cross-checks for each adjacency while stale answers may share a snapshot. */
const CONFIRMATIONS_AGAINST_SNAPSHOT = 2;
/** Stale reads, and the share of their claims that they repeat, from which on they are taken to share a snapshot. */
const MIN_STALE_READS = 2;
const MIN_SHARED_CLAIMS = 0.2;

/** Returns whether stale answers seem to come from one snapshot. */
function shareSnapshot({ staleReads, stale }: FaultModel): boolean {
  return staleReads >= MIN_STALE_READS && stale.repeated >= MIN_SHARED_CLAIMS;
}

/** Returns whether the cross-check source must show an adjacency before its second row is frozen. */
export function mustBeConfirmed(
  mode: CrossCheckMode,
  { isConsecutive, reversedReads, omittingReads }: AdjacencyEvidence,
  isFirstRow: boolean,
): boolean {
  if (mode !== 'boundary') return mode === 'full';
  if (isConsecutive) return false;
  return isFirstRow || reversedReads > 0 || omittingReads >= MIN_OMISSIONS_TO_CONFIRM;
}

/** Returns how many cross-checks of an adjacency are worth their requests. `isRequired`: {@link mustBeConfirmed}. */
export function confirmationsWanted(isRequired: boolean, model: FaultModel): number {
  if (shareSnapshot(model) && !model.crossCheckShares) return CONFIRMATIONS_AGAINST_SNAPSHOT;
  return isRequired ? 1 : 0;
}
