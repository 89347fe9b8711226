// One read of a walk: what it asked for and which rows it showed, with the cursors beside them.
import { LIST_START, type Entry } from '../order/order.ts';
import type { Direction, PageQuery } from '../source.ts';

/** Which list was read: the list that is walked, or the cross-check source. */
export type Surface = 'list' | 'cross-check';

/** One read with its answer, as entries of the known order. */
export type Read<Row> = {
  query: PageQuery;
  surface: Surface;
  /**
   * The rows in page order, cut to the range of the walk. The cursor of the request stands before the first row, or after
   * the last one, where the answer says that it is the neighbour of that row.
   */
  chain: Entry<Row>[];
  /** The positions that the page shows of the rows in `chain`; undefined where it shows none. */
  positions?: readonly (number | undefined)[];
  /** Whether the page shows a row that the service had answered 404 for. */
  showsGoneRow: boolean;
  /** Whether the first element of `chain` is a cursor. */
  startsAtCursor: boolean;
  /** Whether the last element of `chain` is a cursor. */
  endsAtCursor: boolean;
  /** Whether the page says that the list ends after its last row. */
  claimsEnd: boolean;
  /** Whether it was made when only the end of the list was left to prove. */
  isFinalCheck: boolean;
  /** Rows that the page shows twice. Pairs with them prove nothing. */
  repeatedRows: ReadonlySet<Entry<Row>>;
};

/** Returns the direction that a query reads in. */
export function directionOf({ after, before }: PageQuery): Direction {
  if (before === undefined) return 'forward';
  return after === undefined ? 'backward' : 'closed';
}

/** Returns a text that is equal for equal requests only. */
export function requestKey(query: PageQuery, surface: Surface): string {
  return JSON.stringify([query.after ?? null, query.before ?? null, query.limit, surface]);
}

/** Returns whether two reads were the same request. */
export function isSameRequest(a: Read<unknown>, b: Read<unknown>): boolean {
  const [{ after, before, limit }, other] = [a.query, b.query];
  return a.surface === b.surface && after === other.after && before === other.before && limit === other.limit;
}

/** Returns a forward query after this row, without a cursor for the start of the list. */
export function forwardQuery(after: string, limit: number): PageQuery {
  return after === LIST_START ? { limit } : { after, limit };
}
