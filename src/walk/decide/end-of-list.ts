// Decides whether the end of the list is proved.
import type { ClaimCounts } from '../evidence/claims.ts';
import type { StaleSigns } from '../evidence/stale-answers.ts';
import type { Thresholds } from './adjacency.ts';

/** Empty pages that prove an empty list: nothing else speaks for it. */
const MIN_EMPTY_PAGES = 7;

/** Returns how many different requests must show the end of the list. `isEmpty`: no row was ever seen. */
export function endReadsNeeded({ minEndReads }: Thresholds, isEmpty: boolean): number {
  return isEmpty ? MIN_EMPTY_PAGES : minEndReads;
}

/**
 * Returns how many of them must be made after everything else is settled, so that rows appended during the walk are
 * seen: two where any read was faulty, since one of the two may be.
 */
export function finalEndChecksNeeded({ inside, cursor, edge }: ClaimCounts, signs: StaleSigns): number {
  const faults = inside.wrong + cursor.wrong + edge.wrong + signs.staleReads + signs.otherFaultyReads;
  return faults > 0 ? 2 : 1;
}
