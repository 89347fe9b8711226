// One read that a walk made: what it asked, and the rows it showed as a chain with the cursors that vouch for its ends.
import { START, type Place } from '../order/order.ts';
import type { Direction, PageQuery } from '../source.ts';

/**
 * `chain` are the rows in page order, cut to the walk's range, with the cursor before and after them where the read
 * vouches for it: `head` and `foot` say whether the first and last element are such cursors. `ends` is set where the
 * page says that the list ends after its last row.
 */
export type Read<Row> = {
  query: PageQuery;
  surface: Surface;
  chain: Place<Row>[];
  head: boolean;
  foot: boolean;
  ends: boolean;
  /** Made when nothing but the end was left to prove. */
  drained: boolean;
  /** Rows that came twice: pairs with them prove nothing. */
  doubled: ReadonlySet<Place<Row>>;
};

/** What was read: the list itself, or the second witness of its order. */
export type Surface = 'list' | 'witness';

export function directionOf({ after, before }: PageQuery): Direction {
  if (before === undefined) return 'forward';
  return after === undefined ? 'backward' : 'closed';
}

export function keyOf(query: PageQuery, surface: Surface): string {
  return JSON.stringify([query.after ?? null, query.before ?? null, query.limit, surface]);
}

/** Forward from a place; from the very start without a cursor. */
export function forward(after: string, limit: number): PageQuery {
  return after === START ? { limit } : { after, limit };
}
