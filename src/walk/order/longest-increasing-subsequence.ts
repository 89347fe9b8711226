// The longest increasing subsequence: what a page and the known order agree about.

/** Indexes of one longest strictly increasing run of `values`, in order; negative values are passed over. O(n log n). */
export function longestRise(values: readonly number[]): number[] {
  const tails: number[] = [];
  const before = new Int32Array(values.length).fill(-1);
  values.forEach((value, index) => {
    if (value < 0) return;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (values[tails[middle]!]! < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[index] = tails[low - 1]!;
    tails[low] = index;
  });
  const rise: number[] = [];
  for (let index = tails.at(-1) ?? -1; index !== -1; index = before[index]!) rise.push(index);
  return rise.toReversed();
}
