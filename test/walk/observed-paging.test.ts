// What pages show about the paging of a service: the longest page, and whether `has_more` means anything.
import { describe, expect, test } from 'vitest';
import { ObservedPaging } from '../../src/walk/observed-paging.ts';
import { LIST_START, Order, type Entry } from '../../src/walk/order/order.ts';
import type { PageQuery } from '../../src/walk/source.ts';

const order = new Order<unknown>();
order.push(order.entryFor(LIST_START), ...Array.from('abcdefghij', (id) => order.entryFor(id)));
const FORWARD: PageQuery = { after: 'a', limit: 8 };
const BACKWARD: PageQuery = { before: 'd', limit: 8 };

/** Adds pages of the rows `ids`, each with what it says in `has_more`, after one page of 8 rows. */
function paging(pages: readonly [query: PageQuery, ids: string, more: boolean][]): ObservedPaging<unknown> {
  const observed = new ObservedPaging<unknown>();
  observed.addRows(8, 8, 10);
  for (const [query, ids, has_more] of pages) {
    const chain: Entry<unknown>[] = Array.from(ids, (id) => order.entryFor(id));
    observed.addHasMore(query, { rows: chain, has_more }, chain);
  }
  return observed;
}
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
type Said = [query: PageQuery, ids: string, more: boolean];

describe('has_more', () => {
  test.each<[string, Said[], PageQuery, 'trusted' | 'ignored']>([
    ['is believed at first', [], FORWARD, 'trusted'],
    [
      'says that nothing follows, before known rows, three times',
      times(3, [FORWARD, 'bcd', false]),
      FORWARD,
      'ignored',
    ],
    ['says so twice', times(2, [FORWARD, 'bcd', false]), FORWARD, 'trusted'],
    ['says so rightly', times(9, [FORWARD, 'hij', false]), FORWARD, 'trusted'],
    [
      'says that more stands before the first row, three times',
      times(3, [BACKWARD, 'abc', true]),
      BACKWARD,
      'ignored',
    ],
    [
      'says so in backward pages, which means nothing for others',
      times(3, [BACKWARD, 'abc', true]),
      FORWARD,
      'trusted',
    ],
    ['says so twice', times(2, [BACKWARD, 'abc', true]), BACKWARD, 'trusted'],
    ['says rightly that more stands before', times(9, [BACKWARD, 'bc', true]), BACKWARD, 'trusted'],
    [
      'says that there is more on seven short pages, two of them empty',
      [...times<Said>(5, [FORWARD, 'bc', true]), ...times<Said>(2, [FORWARD, '', true])],
      FORWARD,
      'ignored',
    ],
    ['says so on short pages only', times(20, [FORWARD, 'bc', true]), FORWARD, 'trusted'],
  ])('%s', (_, pages, query, expected) => {
    expect(paging(pages).hasMore(order, query)).toBe(expected);
  });
});

test('three longest pages of one length show what the service gives at most', () => {
  const observed = new ObservedPaging<unknown>();
  expect([50, 50, 50, 50].map((rows) => observed.addRows(rows, 100, 1000))).toEqual([100, 100, 50, 50]);
  expect(observed.addRows(60, 50, 1000)).toBe(50);
});
