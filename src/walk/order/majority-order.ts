// Where contested rows belong: the order that agrees with most reads that showed them side by side.
import type { Order, Place } from './order.ts';
import type { Read } from '../evidence/read.ts';

/** Rows on either side that a contested row is compared with. */
const REACH = 160;
/** A position that a row shows counts as so many reads. */
const RANK_VOTES = 3;

/** Moves the place where a majority of pairs wants it; ties leave it. Returns whether it moved. */
function relocate<Row>(order: Order<Row>, reads: readonly Read<Row>[], place: Place<Row>): boolean {
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

/** Contested rows beyond so many are put in order together, over at most so many rows. */
const FEW = 3;
const MOST_SORTED = 512;

/** Puts contested rows where the majority of reads wants them. A frozen row stays where it is. */
export function settleContest<Row>(
  order: Order<Row>,
  reads: readonly Read<Row>[],
  contested: readonly Place<Row>[],
): void {
  const spots = contested.filter(({ at }) => at >= order.frozen);
  if (spots.length === 0) return;
  const low = Math.max(order.frozen, Math.min(...spots.map(({ at }) => at)) - FEW);
  const high = Math.min(order.list.length, Math.max(...spots.map(({ at }) => at)) + FEW + 1);
  if (spots.length <= FEW || high - low > MOST_SORTED)
    for (const place of spots) relocate(order, reads, place);
  else sortStretch(order, reads, low, high);
}

/** Orders a stretch by how many of its rows a majority of reads puts before each; ties stay. O(rows² · reads). */
function sortStretch<Row>(order: Order<Row>, reads: readonly Read<Row>[], low: number, high: number): void {
  const size = high - low;
  const lead = new Int16Array(size * size);
  for (const { chain } of reads) {
    const shown = chain.flatMap(({ at }) => (at >= low && at < high ? [at - low] : []));
    for (let first = 0; first < shown.length; first++)
      for (let second = first + 1; second < shown.length; second++) {
        lead[shown[first]! * size + shown[second]!]!++;
        lead[shown[second]! * size + shown[first]!]!--;
      }
  }
  const places = order.list.slice(low, high);
  const before = places.map((place, mine) => {
    let count = 0;
    for (let other = 0; other < size; other++) {
      const { rank } = places[other]!;
      const ranked = rank === undefined || place.rank === undefined ? 0 : Math.sign(place.rank - rank);
      const balance = lead[other * size + mine]! + RANK_VOTES * ranked;
      if (other !== mine && (balance > 0 || (balance === 0 && other < mine))) count++;
    }
    return { place, count };
  });
  before.sort((a, b) => a.count - b.count);
  order.replace(
    low,
    before.map(({ place }) => place),
  );
}
