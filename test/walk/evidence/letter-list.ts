// A known order whose rows are letters, and pages of it, for tests of what reads say.
import { readPage } from '../../../src/walk/evidence/read-page.ts';
import type { Read } from '../../../src/walk/evidence/read.ts';
import { IdSet } from '../../../src/walk/order/id-set.ts';
import { LIST_START, Order } from '../../../src/walk/order/order.ts';
import type { Identified, PageQuery } from '../../../src/walk/source.ts';

/** One page: its rows, each letter one, the request, and the positions that it shows. */
export type Answer = {
  ids: string;
  query?: Partial<PageQuery>;
  more?: boolean;
  surface?: 'cross-check';
  positions?: Readonly<Record<string, number>>;
};

/** What the service answered about single rows: 404, or it took the row as a cursor. */
export type Asked = { gone?: string; existing?: string };

/** Returns the order `known`, of which nothing is frozen. */
export function orderOf(known: string, { gone = '', existing = '' }: Asked = {}): Order<Identified> {
  const order = new Order<Identified>();
  order.push(order.entryFor(LIST_START), ...known.split('').map((id) => order.entryFor(id)));
  order.frozen = 1;
  for (const id of gone) order.entryFor(id).gone = true;
  for (const id of existing) order.entryFor(id).exists = true;
  return order;
}

/** Returns the reads that these answers make. */
export function readsOf(order: Order<Identified>, answers: readonly Answer[]): Read<Identified>[] {
  const range = { start: LIST_START, end: undefined, hasMore: 'trusted', maxRows: 100 } as const;
  return answers.flatMap(({ ids, query, more, surface, positions }) => {
    const rows = ids
      .split('')
      .map((id) => (positions?.[id] === undefined ? { id } : { id, sequence: positions[id] }));
    const asked = { limit: ids.length, ...query };
    const planned = { surface: surface ?? ('list' as const), isFinalCheck: false };
    const page = { rows, has_more: more ?? true };
    return readPage(asked, page, order, new IdSet(), range, planned).read ?? [];
  });
}

/** Positions of rows: `abc` from 5 are a 5, b 6, c 7. */
export function positionsFrom(first: number, ids: string): Record<string, number> {
  return Object.fromEntries(ids.split('').map((id, at) => [id, first + at]));
}
