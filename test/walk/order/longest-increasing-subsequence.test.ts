// The longest increasing subsequence as a table.
import { expect, test } from 'vitest';
import { longestIncreasingSubsequence } from '../../../src/walk/order/longest-increasing-subsequence.ts';

test.each([
  ['nothing', [], []],
  ['all of it', [0, 1, 2], [0, 1, 2]],
  ['not the first, which is larger', [5, 1, 2, 9, 3], [1, 2, 4]],
  ['without negative values', [-1, 4, -2, 5], [1, 3]],
  ['one of a descending sequence', [3, 2, 1], [2]],
  ['equal values once', [1, 1, 2], [1, 2]],
])('%s: %j at indexes %j', (_, values, indexes) => {
  expect(longestIncreasingSubsequence(values)).toEqual(indexes);
});
