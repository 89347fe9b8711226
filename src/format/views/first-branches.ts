// The first items of a list as branches of a tree, and how many more there are.
import { formatCount } from '../numbers.ts';
import type { Branch } from '../terminal/tree.ts';

/** Items that are named in a report for people. The JSON report has all or many of them. */
export const MAX_NAMED_ITEMS = 20;

/** Returns a branch for each of the first items, and a last one with the number of the others. `total` is how many there are. */
export function firstBranches<T>(
  items: readonly T[],
  branchOf: (item: T) => Branch,
  total = items.length,
): Branch[] {
  const named = items.slice(0, MAX_NAMED_ITEMS).map(branchOf);
  const others = total - named.length;
  if (others <= 0) return named;
  return [...named, { line: { text: `and ${formatCount(others)} more`, style: 'dim' } }];
}
