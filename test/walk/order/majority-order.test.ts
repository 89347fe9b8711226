// Where contested rows go: to the place that contradicts the fewest reads.
import { expect, test } from 'vitest';
import { applyMajorityOrder } from '../../../src/walk/order/majority-order.ts';
import { LIST_START, Order } from '../../../src/walk/order/order.ts';

/**
 * Returns the order after the contested rows were moved. Each letter is a row; the first row of `known` is frozen.
 * `positions`: what rows show, by letter.
 */
function moved(
  known: string,
  reads: string[],
  contested: string,
  positions: Record<string, number> = {},
): string {
  const order = new Order();
  order.push(order.entryFor(LIST_START), ...known.split('').map((id) => order.entryFor(id)));
  order.frozen = 2;
  for (const [id, position] of Object.entries(positions)) order.entryFor(id).position = position;
  const entries = (ids: string) => ids.split('').map((id) => order.entryFor(id));
  applyMajorityOrder(
    order,
    reads.map((ids) => ({ chain: entries(ids) })),
    entries(contested),
  );
  return order.list.map(({ id }) => id).join('');
}

test.each([
  ['two reads against one', 'acbd', ['abcd', 'abcd', 'acbd'], 'b', {}, 'abcd'],
  ['a tie leaves the row', 'acbd', ['abcd', 'acbd'], 'b', {}, 'acbd'],
  ['a row moves forward', 'abdce', ['abcde', 'abcde'], 'd', {}, 'abcde'],
  ['a frozen row stays', 'ab', ['ba', 'ba'], 'a', {}, 'ab'],
  ['no row passes a frozen one', 'abc', ['bac', 'bac'], 'b', {}, 'abc'],
  ['positions count as three reads', 'acbd', ['acbd', 'acbd'], 'b', { b: 2, c: 3 }, 'abcd'],
  ['four reads outvote positions', 'acbd', ['acbd', 'acbd', 'acbd', 'acbd'], 'b', { b: 2, c: 3 }, 'acbd'],
  ['more than three rows are sorted together', 'afedcb', ['abcdef', 'abcdef'], 'bcdef', {}, 'abcdef'],
])('%s: %s with %j', (_, known, reads, contested, positions, order) => {
  expect(moved(known, reads, contested, positions)).toBe(order);
});
