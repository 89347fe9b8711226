// What the pages of a service show about its paging: how many rows it gives at most, and whether `has_more` means anything.
import type { Page } from './source.ts';

/** Fewest rows that a walk asks for: with fewer, only cursors would stand beside most rows. */
export const MIN_PAGE_ROWS = 8;
/** Fewest rows that a walk asks for where the service never gives more: less leaves no room for an overlap. */
const MIN_CAPPED_PAGE_ROWS = 4;
/** Requests after which the largest page shows what the service gives at most. */
const MIN_REQUESTS_TO_KNOW_CAP = 6;
/** Short pages with `has_more: true` after which a service that never said otherwise is not believed. */
const MAX_SHORT_PAGES_WITH_MORE = 6;

/** Collects what each page shows. */
export class ObservedPaging {
  /** Rows of the largest page so far. */
  maxRows = 0;
  #shortPagesWithMore = 0;
  #everSaidEnd = false;

  /** `ignored`: every short page says that there is more, so `has_more` does not tell a short page from the end. */
  get hasMore(): 'trusted' | 'ignored' {
    return !this.#everSaidEnd && this.#shortPagesWithMore > MAX_SHORT_PAGES_WITH_MORE ? 'ignored' : 'trusted';
  }

  addHasMore({ rows, has_more }: Page<unknown>, limit: number): void {
    if (has_more !== true) this.#everSaidEnd = true;
    else if (rows.length > 0 && rows.length < Math.min(limit, this.maxRows)) this.#shortPagesWithMore++;
  }

  /**
   * Adds a page of `rows` rows and returns how many rows the next reads ask for: `pageRows`, or what the service gives at
   * most. `knownRows`: rows that the walk has seen so far.
   */
  addRows(rows: number, pageRows: number, requests: number, knownRows: number): number {
    this.maxRows = Math.max(this.maxRows, rows);
    const isCapped =
      requests >= MIN_REQUESTS_TO_KNOW_CAP &&
      this.maxRows < pageRows &&
      knownRows >= 2 * this.maxRows + MIN_PAGE_ROWS;
    return isCapped ? Math.max(MIN_CAPPED_PAGE_ROWS, this.maxRows) : pageRows;
  }
}
