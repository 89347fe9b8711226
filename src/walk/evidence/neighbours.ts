// The neighbouring rows in one read, and whether its rows stand in the known order at all.
import type { Entry } from '../order/order.ts';
import type { Read } from './read.ts';

/** Share of neighbours in the wrong order from which on a read is shuffled and is not counted. */
const MIN_SHUFFLED_SHARE = 0.25;
/** Bits of {@link sidesShown}. */
const BESIDE_PREVIOUS = 1;
const BESIDE_NEXT = 2;
/** Some reads show the row beside both of its neighbours. */
export const BESIDE_BOTH = BESIDE_PREVIOUS | BESIDE_NEXT;

/**
 * Neighbours in a read: `lefts[n]` stands directly before `rights[n]`. `atStart` and `atEnd` are the indexes of the pairs
 * of which one row is the cursor of the read, -1 where there is none.
 */
export type Neighbours<Row> = {
  lefts: Entry<Row>[];
  rights: Entry<Row>[];
  atStart: number;
  atEnd: number;
};

/** Returns the neighbours in a read. Rows without a place in the order, and rows shown twice, make no pair. */
export function neighboursIn<Row>({
  chain,
  startsAtCursor,
  endsAtCursor,
  repeatedRows,
}: Read<Row>): Neighbours<Row> {
  const pairs: Neighbours<Row> = { lefts: [], rights: [], atStart: -1, atEnd: -1 };
  let left: Entry<Row> | undefined;
  let isLeftCursor = false;
  for (let index = 0; index < chain.length; index++) {
    const right = chain[index]!;
    if (right.gone) continue;
    const isUnusable = right.index < 0 || repeatedRows.has(right);
    if (left !== undefined && !isUnusable) {
      const pair = pairs.lefts.push(left) - 1;
      pairs.rights.push(right);
      if (isLeftCursor) pairs.atStart = pair;
      if (endsAtCursor && index === chain.length - 1) pairs.atEnd = pair;
    }
    left = isUnusable ? undefined : right;
    isLeftCursor = startsAtCursor && index === 0;
  }
  return pairs;
}

/** Returns whether so many neighbours stand in the wrong order that the read says nothing. */
export function isShuffled<Row>({ chain }: Read<Row>): boolean {
  let descents = 0;
  for (let index = 1; index < chain.length; index++)
    if (chain[index]!.index >= 0 && chain[index]!.index < chain[index - 1]!.index) descents++;
  return descents > 2 && descents > MIN_SHUFFLED_SHARE * chain.length;
}

/** Returns the neighbours that stand in the wrong order, as indexes of the order. */
export function reversedNeighbours<Row>({
  lefts,
  rights,
}: Neighbours<Row>): { left: number; right: number }[] {
  const reversed: { left: number; right: number }[] = [];
  for (let pair = 0; pair < lefts.length; pair++) {
    const [left, right] = [lefts[pair]!.index, rights[pair]!.index];
    if (right < left) reversed.push({ left, right });
  }
  return reversed;
}

/** Returns for each index of the order beside which of its two neighbours some read shows the row, as bits. */
export function sidesShown<Row>(reads: readonly Read<Row>[], size: number): Uint8Array {
  const sides = new Uint8Array(size);
  for (const { chain } of reads)
    for (let index = 1; index < chain.length; index++) {
      const [left, right] = [chain[index - 1]!.index, chain[index]!.index];
      if (left < 0 || right !== left + 1) continue;
      sides[left]! |= BESIDE_NEXT;
      sides[right]! |= BESIDE_PREVIOUS;
    }
  return sides;
}
