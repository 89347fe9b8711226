// Where a contested row belongs: the place that agrees with most reads that showed it beside its neighbours.
import type { Order, Place } from './order.ts';
import type { Read } from './read.ts';

/** Rows on either side that a contested row is compared with. */
const REACH = 160;
/** A position that a row shows counts as so many reads. */
const RANK_VOTES = 3;

/** Moves the place where a majority of pairs wants it; ties leave it. Returns whether it moved. */
export function relocate<Row>(order: Order<Row>, reads: readonly Read<Row>[], place: Place<Row>): boolean {
  const { list, frozen } = order;
  const low = Math.max(frozen, place.at - REACH);
  const high = Math.min(list.length, place.at + REACH + 1);
  // For each row near it: reads that show it before the place, less those that show it after.
  const before = new Int32Array(high - low);
  for (const { chain } of reads) {
    const mine = chain.indexOf(place);
    if (mine === -1) continue;
    chain.forEach(({ at }, index) => {
      if (index !== mine && at >= low && at < high) before[at - low]! += index < mine ? 1 : -1;
    });
  }
  if (place.rank !== undefined)
    for (let at = low; at < high; at++) {
      const { rank } = list[at]!;
      if (rank !== undefined && rank !== place.rank)
        before[at - low]! += rank < place.rank ? RANK_VOTES : -RANK_VOTES;
    }
  // Each row that moves from behind to before the place changes the score by twice its balance.
  let score = 0;
  let best = 0;
  let to = place.at;
  for (let at = place.at; at < high; at++) {
    if (list[at] !== place) score += before[at - low]!;
    if (score > best) [best, to] = [score, at + 1];
  }
  score = 0;
  for (let at = place.at - 1; at >= low; at--) {
    score -= before[at - low]!;
    if (score > best) [best, to] = [score, at];
  }
  if (best <= 0) return false;
  order.move(place, to);
  return true;
}
