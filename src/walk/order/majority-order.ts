// Majority order: contested rows stand where most of the reads that show them beside other rows put them.
import type { Entry, Order } from './order.ts';

/** Rows on either side that a contested row is compared with. */
const MAX_SHIFT_ROWS = 160;
/** Reads that one position shown by the rows themselves counts as. */
const POSITION_VOTES = 3;
/** Contested rows up to which each is moved by itself; more of them are sorted together. */
const MAX_SINGLE_MOVES = 3;
/** Rows beyond the contested ones that are sorted with them. */
const SORT_MARGIN_ROWS = 3;
/** Rows up to which they are sorted together: the cost is quadratic. */
const MAX_SORTED_ROWS = 512;

/** The rows that one read shows, in its order. */
type Shown<Row> = { chain: readonly Entry<Row>[] };

/** Moves contested rows to where the majority of reads puts them. Frozen rows stay. */
export function applyMajorityOrder<Row>(
  order: Order<Row>,
  reads: readonly Shown<Row>[],
  contested: readonly Entry<Row>[],
): void {
  const movable = contested.filter(({ index }) => index >= order.frozen);
  if (movable.length === 0) return;
  let [first, last] = [Infinity, 0];
  for (const { index } of movable) [first, last] = [Math.min(first, index), Math.max(last, index)];
  const low = Math.max(order.frozen, first - SORT_MARGIN_ROWS);
  const high = Math.min(order.list.length, last + SORT_MARGIN_ROWS + 1);
  if (movable.length <= MAX_SINGLE_MOVES || high - low > MAX_SORTED_ROWS)
    for (const entry of movable) moveByMajority(order, reads, entry);
  else sortByMajority(order, reads, low, high);
}

/** Moves one row to the index that contradicts the fewest reads; a tie leaves it. */
function moveByMajority<Row>(order: Order<Row>, reads: readonly Shown<Row>[], entry: Entry<Row>): void {
  const { list, frozen } = order;
  const low = Math.max(frozen, entry.index - MAX_SHIFT_ROWS);
  const high = Math.min(list.length, entry.index + MAX_SHIFT_ROWS + 1);
  // For each row near it: reads that show that row before the entry, less those that show it after.
  const lead = new Int32Array(high - low);
  for (const { chain } of reads) {
    const own = chain.indexOf(entry);
    if (own === -1) continue;
    chain.forEach(({ index }, at) => {
      if (at !== own && index >= low && index < high) lead[index - low]! += at < own ? 1 : -1;
    });
  }
  if (entry.position !== undefined)
    for (let index = low; index < high; index++) {
      const { position } = list[index]!;
      if (position !== undefined && position !== entry.position)
        lead[index - low]! += position < entry.position ? POSITION_VOTES : -POSITION_VOTES;
    }
  // The gain of an index is the sum of the leads of the rows that the entry passes on its way there.
  let gain = 0;
  let best = 0;
  let to = entry.index;
  for (let index = entry.index; index < high; index++) {
    if (list[index] !== entry) gain += lead[index - low]!;
    if (gain > best) [best, to] = [gain, index + 1];
  }
  gain = 0;
  for (let index = entry.index - 1; index >= low; index--) {
    gain -= lead[index - low]!;
    if (gain > best) [best, to] = [gain, index];
  }
  if (best > 0) order.move(entry, to);
}

/** Sorts the rows from `low` to `high` by how many of them a majority puts before each; a tie leaves them. O(rows² · reads). */
function sortByMajority<Row>(
  order: Order<Row>,
  reads: readonly Shown<Row>[],
  low: number,
  high: number,
): void {
  const size = high - low;
  const lead = new Int16Array(size * size);
  for (const { chain } of reads) {
    const shown = chain.flatMap(({ index }) => (index >= low && index < high ? [index - low] : []));
    for (let first = 0; first < shown.length; first++)
      for (let second = first + 1; second < shown.length; second++) {
        lead[shown[first]! * size + shown[second]!]!++;
        lead[shown[second]! * size + shown[first]!]!--;
      }
  }
  const entries = order.list.slice(low, high);
  const sorted = entries.map((entry, own) => {
    let rowsBefore = 0;
    for (let other = 0; other < size; other++) {
      const { position } = entries[other]!;
      const byPosition =
        position === undefined || entry.position === undefined ? 0 : Math.sign(entry.position - position);
      const balance = lead[other * size + own]! + POSITION_VOTES * byPosition;
      if (other !== own && (balance > 0 || (balance === 0 && other < own))) rowsBefore++;
    }
    return { entry, rowsBefore };
  });
  sorted.sort((a, b) => a.rowsBefore - b.rowsBefore);
  order.reorder(
    low,
    sorted.map(({ entry }) => entry),
  );
}
