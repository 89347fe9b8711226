// Every row of a list that may know no cursors, page after page, with a plain answer to whether that was all of it.
import { PAGE_LIMIT } from '../contract/scalars.ts';
import type { WindowQuery } from '../contract/window.ts';
import { Fault } from '../faults.ts';

/** A list that goes on after so many rows is taken to have no end: every id is remembered until then. */
export const MAX_ROWS = 10_000_000;

type Page<Row> = { data: Row[]; has_more?: boolean | undefined; drift_ratio?: number | undefined };

/** Reads one page of a list. */
export type ReadPage<Row> = (window: WindowQuery) => Promise<Page<Row>>;

export type AllRows<Row> = {
  rows: AsyncGenerator<Row>;
  /** Known after the last row: false where a page repeated rows, went in circles, reported drift or did not say it was the last. */
  complete: () => boolean;
};

/**
 * Reads with the largest page. A service without cursors answers the first page again: its rows come once. Throws a
 * protocol Fault after `most` rows.
 */
export function readAllRows<Row>(
  read: ReadPage<Row>,
  idOf: (row: Row) => string,
  limit: number = PAGE_LIMIT.maximum,
  most = MAX_ROWS,
): AllRows<Row> {
  let complete = false;
  async function* rows(): AsyncGenerator<Row> {
    const seen = new Set<string>();
    let clean = true;
    let window: WindowQuery = { limit };
    for (;;) {
      const page = await read(window);
      const fresh = page.data.filter((row) => !seen.has(idOf(row)));
      clean &&= fresh.length === page.data.length && (page.drift_ratio ?? 0) === 0;
      for (const row of fresh) {
        if (seen.size >= most)
          throw new Fault('protocol', `the list has no end: it goes on after ${most} rows`);
        seen.add(idOf(row));
        yield row;
      }
      const last = fresh.at(-1);
      const more = page.has_more ?? page.data.length >= limit;
      if (!more || last === undefined) {
        complete = clean && page.has_more === false;
        return;
      }
      window = { starting_after: idOf(last), limit };
    }
  }
  return { rows: rows(), complete: () => complete };
}
