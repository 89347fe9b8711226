// How a page is merged into the known order.
import { expect, test } from 'vitest';
import { LIST_START, Order } from '../../../src/walk/order/order.ts';

/** Returns the order after merging a page. Each letter is a row; the first row of `known` is frozen. */
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

test.each([
  ['an unknown row goes after its predecessor', 'abde', 'abcde', false, 'abcde'],
  ['rows before the first known one go before it', 'acd', 'bcd', false, 'abcd'],
  ['rows at the end are appended', 'abc', 'bcde', true, 'abcde'],
  ['a row that the page omits stays', 'abcd', 'abd', false, 'abcd'],
  ['a row out of order stays where it is', 'abcd', 'acbd', false, 'abcd'],
  ['no row goes between frozen rows', 'ab', 'xab', false, 'ab'],
  ['a page in another order altogether places no row', 'abcdefghi', 'ihgfxedcb', false, 'abcdefghi'],
])('%s: %s and %s (appends: %s)', (_, known, page, appends, order) => {
  expect(merged(known, page, appends)).toBe(order);
});
