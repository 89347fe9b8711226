// What the pages of a service show about its paging: how many rows it gives at most, and whether `has_more` means anything.
import { directionOf } from './evidence/read.ts';
import { LIST_START, type Entry, type Order } from './order/order.ts';
import type { Page, PageQuery } from './source.ts';

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
/**
 * Pages that say `has_more: false` before rows that are known, or backward pages that say `true` before the first row, from which
 * on the field is not believed.
 */
const MIN_FALSE_STATEMENTS = 3;
/** Such pages that are remembered, the newest ones. */
const MAX_STATEMENTS = 16;

/** Collects what each page shows. */
export class ObservedPaging<Row> {
  /** Rows of the largest page so far. */
  maxRows = 0;
  #pagesOfMaxRows = 0;
  #shortPagesWithMore = 0;
  #emptyPagesWithMore = 0;
  /** Last rows of forward pages that said that nothing follows. */
  readonly #statedEnds: Entry<Row>[] = [];
  /** First rows of short backward pages that said that there is more. */
  readonly #deniedStarts: Entry<Row>[] = [];

  /**
   * `ignored`: in this direction the field says that there is more on short and on empty pages, or before the first row, or nothing
   * more before rows that are known.
   */
  hasMore({ list }: Order<Row>, query: PageQuery): 'trusted' | 'ignored' {
    if (directionOf(query) === 'backward' && list[0]?.id === LIST_START) {
      const atStart = this.#deniedStarts.filter(({ index }) => index === 1).length;
      if (atStart >= MIN_FALSE_STATEMENTS && 2 * atStart > this.#deniedStarts.length) return 'ignored';
    }
    const falseEnds = this.#statedEnds.filter(({ index }) => index < list.length - 1).length;
    const isAlwaysMore =
      this.maxRows > 0 &&
      falseEnds === this.#statedEnds.length &&
      this.#shortPagesWithMore > MAX_SHORT_PAGES_WITH_MORE &&
      this.#emptyPagesWithMore >= MIN_EMPTY_PAGES_WITH_MORE;
    const isMostlyWrong = falseEnds >= MIN_FALSE_STATEMENTS && 2 * falseEnds > this.#statedEnds.length;
    return isAlwaysMore || isMostlyWrong ? 'ignored' : 'trusted';
  }

  /** Adds what a page says in `has_more`. `chain`: its rows in the order; undefined where the page is not used. */
  addHasMore(query: PageQuery, { rows, has_more }: Page<unknown>, chain: readonly Entry<Row>[] = []): void {
    const [first, last] = [chain[0], chain.at(-1)];
    if (has_more === false && query.before === undefined && last !== undefined)
      remember(this.#statedEnds, last);
    if (has_more !== true) return;
    const isShort = rows.length < Math.min(query.limit, this.maxRows);
    if (rows.length === 0) this.#emptyPagesWithMore++;
    if (isShort) this.#shortPagesWithMore++;
    if (isShort && directionOf(query) === 'backward' && first !== undefined)
      remember(this.#deniedStarts, first);
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

function remember<Item>(newest: Item[], item: Item): void {
  newest.push(item);
  if (newest.length > MAX_STATEMENTS) newest.shift();
}
