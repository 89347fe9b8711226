// The longest increasing subsequence: the rows of a page that stand in the known order.

/**
 * Returns the indexes of one longest strictly increasing subsequence of `values`, in order. Negative values are ignored.
 * O(n log n).
 */
export function longestIncreasingSubsequence(values: readonly number[]): number[] {
  const tails: number[] = [];
  const previous = new Int32Array(values.length).fill(-1);
  values.forEach((value, index) => {
    if (value < 0) return;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (values[tails[middle]!]! < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous[index] = tails[low - 1]!;
    tails[low] = index;
  });
  const indexes: number[] = [];
  for (let index = tails.at(-1) ?? -1; index !== -1; index = previous[index]!) indexes.push(index);
  return indexes.toReversed();
}
