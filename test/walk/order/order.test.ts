// The pure parts of the walk as tables: the longest rise, how pages merge into the known order, what was given out.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestIncreasingSubsequence } from '../../../src/walk/order/longest-increasing-subsequence.ts';
import { Order, LIST_START } from '../../../src/walk/order/order.ts';
import { IdSet } from '../../../src/walk/order/id-set.ts';

describe('the longest rise', () => {
  test.each([
    [[], []],
    [
      [0, 1, 2],
      [0, 1, 2],
    ],
    [
      [5, 1, 2, 9, 3],
      [1, 2, 4],
    ],
    [
      [-1, 4, -2, 5],
      [1, 3],
    ],
    [[3, 2, 1], [2]],
  ])('%j at %j', (values, indexes) => expect(longestIncreasingSubsequence(values)).toEqual(indexes));
});

/** The known order is `known`; the first row is frozen. */
function merged(known: string, page: string, appends = false): string {
  const order = new Order();
  order.push(order.entryFor(LIST_START), ...known.split('').map((id) => order.entryFor(id)));
  order.frozen = 2;
  order.merge(
    page.split('').map((id) => order.entryFor(id)),
    appends,
  );
  return order.list.map(({ id }) => id).join('');
}

describe('a page merged into the known order', () => {
  test.each([
    ['a missing row goes in after its predecessor', 'abde', 'abcde', false, 'abcde'],
    ['rows before the first known one go in before it', 'acd', 'bcd', false, 'abcd'],
    ['rows at the end are added', 'abc', 'bcde', true, 'abcde'],
    ['a row passed over stays', 'abcd', 'abd', false, 'abcd'],
    ['a row out of order stays where it is', 'abcd', 'acbd', false, 'abcd'],
    ['nothing goes in among frozen rows', 'ab', 'xab', false, 'ab'],
  ])('%s', (_, known, page, appends, order) => expect(merged(known, page, appends)).toBe(order));
});

test('property: what was given out is known, and nothing else', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2 }), (ids) => {
      const seen = new IdSet();
      const half = ids.length >> 1;
      for (const id of ids.slice(0, half)) seen.add(id);
      expect(ids.map((id) => seen.has(id))).toEqual(ids.map((_, index) => index < half));
    }),
  );
  const many = new IdSet();
  for (let n = 0; n < 50_000; n++) many.add(`row ${n}`);
  expect(many.has('row 0') && many.has('row 49999') && !many.has('row 50000')).toBe(true);
});
