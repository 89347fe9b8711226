// Requests that are never made twice: the same rows are asked for by other cursors, directions and page sizes.
import { expect, test } from 'vitest';
import { requestKey } from '../../../src/walk/evidence/read.ts';
import { LIST_START, Order } from '../../../src/walk/order/order.ts';
import { FreshRequests } from '../../../src/walk/plan/requests.ts';
import type { Direction, PageQuery } from '../../../src/walk/source.ts';
import { directionOf } from '../../../src/walk/evidence/read.ts';

function orderOf(size: number): Order<unknown> {
  const order = new Order<unknown>();
  const ids = [LIST_START, ...Array.from({ length: size }, (_, n) => `r${n + 1}`)];
  order.push(...ids.map((id) => order.entryFor(id)));
  order.frozen = 1;
  return order;
}

/** Makes `times` requests of one kind and returns them. */
function make(
  requests: FreshRequests<unknown>,
  times: number,
  next: () => PageQuery | undefined,
): PageQuery[] {
  return Array.from({ length: times }).flatMap(() => {
    const query = next();
    if (query === undefined) return [];
    requests.markMade(query, 'list');
    return [query];
  });
}

test.each(['frontier', 'verification', 'end'] as const)('%s requests differ, 40 times', (kind) => {
  const requests = new FreshRequests(orderOf(100), 20, undefined, undefined);
  const next = {
    frontier: () => requests.frontier(),
    verification: () => requests.verification(50, false),
    end: () => requests.end(false),
  }[kind];
  const made = make(requests, 40, next);
  expect(made).toHaveLength(40);
  expect(new Set(made.map((query) => requestKey(query, 'list'))).size).toBe(40);
});

test('the last check of the end begins at the last row, the others before it', () => {
  const order = orderOf(100);
  const requests = new FreshRequests(order, 20, undefined, undefined);
  expect(requests.end(true)?.after).toBe(order.list.at(-1)?.id);
  expect(requests.end(false)?.after).not.toBe(order.list.at(-1)?.id);
});

test('verification rotates through the directions that the service supports', () => {
  const directionsOf = (supported: Direction[]) => {
    const requests = new FreshRequests(orderOf(100), 20, undefined, new Set(supported));
    return new Set(make(requests, 9, () => requests.verification(50, false)).map(directionOf));
  };
  expect(directionsOf(['forward', 'backward', 'closed'])).toEqual(new Set(['forward', 'backward', 'closed']));
  expect(directionsOf(['forward', 'closed'])).toEqual(new Set(['forward', 'closed']));
  expect(directionsOf(['forward'])).toEqual(new Set(['forward']));
});

test('the order of two neighbours is asked for once, and never from the start of the list', () => {
  const order = orderOf(10);
  const requests = new FreshRequests(order, 20, undefined, undefined);
  const [start, first, second] = order.list;
  const made = make(requests, 3, () => requests.orderProbe(first!, second!));
  expect(made).toEqual([{ after: 'r1', before: 'r2', limit: 2 }]);
  expect(requests.orderProbe(start!, first!)).toBeUndefined();
});

test('covers names the first and the last row of a correct answer', () => {
  const order = orderOf(10);
  const requests = new FreshRequests(order, 20, undefined, undefined);
  const ids = (query: PageQuery) => requests.covers(query).map(({ id }) => id);
  expect(ids({ after: 'r2', limit: 3 })).toEqual(['r3', 'r5']);
  expect(ids({ before: 'r5', limit: 3 })).toEqual(['r2', 'r4']);
  expect(ids({ after: 'r2', before: 'r5', limit: 9 })).toEqual(['r3', 'r4']);
  expect(ids({ after: 'r9', limit: 9 })).toEqual(['r10', 'r10']);
});
