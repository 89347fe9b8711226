// How sure a walk may be of the rows that it froze, as one number.
import type { AdjacencyEvidence } from '../evidence/claims.ts';
import { logOddsOf, type Thresholds } from './adjacency.ts';

/** Log-odds of an accepted adjacency with consecutive positions, which votes say little about. */
const CONSECUTIVE_LOG_ODDS = 18;
/** Highest confidence of a walk that saw a faulty read. */
const MAX_CONFIDENCE_WITH_FAULTS = 0.9999;
const DECIMALS = 10_000;

/** Returns the log-odds that the adjacency of a frozen row is right. `startVotes` is given for the first row of the list. */
export function frozenLogOdds(
  adjacency: AdjacencyEvidence,
  startVotes: number | undefined,
  thresholds: Thresholds,
): number {
  if (startVotes !== undefined) return (startVotes + 1) * thresholds.cursorLogOdds;
  return adjacency.isConsecutive ? CONSECUTIVE_LOG_ODDS : logOddsOf(adjacency, thresholds);
}

/**
 * Adds up, over all frozen rows, the probability that all votes for the adjacency are wrong. The votes are taken as
 * independent, with the fault rate that the walk saw. Stale answers of one snapshot break this assumption: higher
 * thresholds (adjacency.ts) and the cross-check stand against them.
 */
export class Confidence {
  #errorProbability = 0;

  add(logOdds: number): void {
    this.#errorProbability += Math.exp(-logOdds);
  }

  /** Returns 0 to 1, rounded down to four decimals; below 1 as soon as a read was seen to be faulty. */
  value(reads: number, disagreements: number): number {
    if (reads === 0) return 0;
    const max = disagreements > 0 ? MAX_CONFIDENCE_WITH_FAULTS : 1;
    return Math.min(max, Math.floor(Math.max(0, 1 - this.#errorProbability) * DECIMALS) / DECIMALS);
  }
}
