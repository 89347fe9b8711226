// Reads a list page by page, also where the service has no cursors, and says whether that was the whole list.
import { PAGE_LIMIT } from '../contract/scalars.ts';
import type { WindowQuery } from '../contract/window.ts';
import { Fault } from '../faults.ts';

/** A longer list is taken to be endless. Every id is remembered, so this bounds the memory. */
export const MAX_ROWS = 10_000_000;

type Page<Row> = { data: Row[]; has_more?: boolean | undefined; drift_ratio?: number | undefined };

/** Reads one page of a list. */
export type ReadPage<Row> = (window: WindowQuery) => Promise<Page<Row>>;

/** The rows of a list, and whether these were all. */
export type AllRows<Row> = {
  rows: AsyncGenerator<Row>;
  /**
   * Whether these were all rows; ask after the last one. False where a page repeated rows or reported drift, and where the
   * last page did not say `has_more: false`.
   */
  complete: () => boolean;
};

/**
 * Returns all rows of a list, read with pages of `limit` rows. A service without cursors returns its first page again; its
 * rows come once. Throws Fault 'protocol' where the list goes on after `maxRows` rows.
 */
export function readAllRows<Row>(
  read: ReadPage<Row>,
  idOf: (row: Row) => string,
  limit: number = PAGE_LIMIT.maximum,
  maxRows = MAX_ROWS,
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
        if (seen.size >= maxRows)
          throw new Fault('protocol', `the list has no end: it goes on after ${maxRows} rows`);
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
