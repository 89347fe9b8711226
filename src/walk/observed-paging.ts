// What the pages of a service show about its paging: how many rows it gives at most, and whether `has_more` means anything.
import type { Entry, Order } from './order/order.ts';
import type { Page } from './source.ts';

/** Fewest rows that a walk asks for: with fewer, only cursors would stand beside most rows. */
export const MIN_PAGE_ROWS = 8;
/** Fewest rows that a walk asks for where the service never gives more: less leaves no room for an overlap. */
const MIN_CAPPED_PAGE_ROWS = 4;
/** Pages of the same length, the greatest of all, that show what the service gives at most. */
const MIN_PAGES_OF_CAP = 3;
/** Short pages with `has_more: true` after which a service that never rightly said otherwise is not believed. */
const MAX_SHORT_PAGES_WITH_MORE = 6;
/** Of these, pages without any row: a service may cut its pages, but not to nothing. */
const MIN_EMPTY_PAGES_WITH_MORE = 2;
/** Pages that say `has_more: false` before rows that are known, from which on the field is not believed. */
const MIN_FALSE_ENDS = 3;
/** Such pages that are remembered, the newest ones. */
const MAX_STATED_ENDS = 16;

/** Collects what each page shows. */
export class ObservedPaging<Row> {
  /** Rows of the largest page so far. */
  maxRows = 0;
  #pagesOfMaxRows = 0;
  #shortPagesWithMore = 0;
  #emptyPagesWithMore = 0;
  /** Last rows of forward pages that said that nothing follows. */
  readonly #statedEnds: Entry<Row>[] = [];

  /** `ignored`: the field says that there is more on short and on empty pages, or nothing more before rows that are known. */
  hasMore({ list }: Order<Row>): 'trusted' | 'ignored' {
    const falseEnds = this.#statedEnds.filter(({ index }) => index < list.length - 1).length;
    const isAlwaysMore =
      this.maxRows > 0 &&
      falseEnds === this.#statedEnds.length &&
      this.#shortPagesWithMore > MAX_SHORT_PAGES_WITH_MORE &&
      this.#emptyPagesWithMore >= MIN_EMPTY_PAGES_WITH_MORE;
    const isMostlyWrong = falseEnds >= MIN_FALSE_ENDS && 2 * falseEnds > this.#statedEnds.length;
    return isAlwaysMore || isMostlyWrong ? 'ignored' : 'trusted';
  }

  addHasMore({ rows, has_more }: Page<unknown>, limit: number): void {
    if (has_more !== true) return;
    if (rows.length === 0) this.#emptyPagesWithMore++;
    if (rows.length < Math.min(limit, this.maxRows)) this.#shortPagesWithMore++;
  }

  /** Adds the last row of a forward page that says `has_more: false`. */
  addStatedEnd(last: Entry<Row>): void {
    this.#statedEnds.push(last);
    if (this.#statedEnds.length > MAX_STATED_ENDS) this.#statedEnds.shift();
  }

  /**
   * Adds a page of `rows` rows and returns how many rows the next reads ask for: `pageRows`, or what the service gives at
   * most. `knownRows`: rows that the walk has seen so far.
   */
  addRows(rows: number, pageRows: number, knownRows: number): number {
    if (rows > this.maxRows) [this.maxRows, this.#pagesOfMaxRows] = [rows, 0];
    if (rows === this.maxRows) this.#pagesOfMaxRows++;
    const isCapped =
      this.maxRows > 0 &&
      this.#pagesOfMaxRows >= MIN_PAGES_OF_CAP &&
      this.maxRows < pageRows &&
      knownRows > this.maxRows;
    return isCapped ? Math.max(MIN_CAPPED_PAGE_ROWS, this.maxRows) : pageRows;
  }
}
