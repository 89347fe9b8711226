// Makes requests that are none of the last 4,096 or more: the same rows asked for by other cursors, directions and page sizes.
import { OVERLAP_ROWS } from '../evidence/read-page.ts';
import { directionOf, forwardQuery, requestKey, type Surface } from '../evidence/read.ts';
import { LIST_START, type Entry, type Order } from '../order/order.ts';
import type { Direction, PageQuery, Source } from '../source.ts';

/** A read that is to be made. */
export type PlannedRead<Row> = {
  query: PageQuery;
  surface: Surface;
  /** The row whose id is the cursor of a cross-check; undefined: from the start. */
  cursor?: Entry<Row>;
  kind: 'frontier' | 'verify' | 'end';
  /** First and last row of the adjacencies that the read is expected to show. */
  covers?: [Entry<Row>, Entry<Row>];
  /** Made when only the end of the list is left to prove. */
  isFinalCheck: boolean;
  /** Made to learn whether its cursor is in the list, and where. */
  isProbe?: boolean;
};

/**
 * Requests that are remembered at most. Then the older half is forgotten: its cursors are far behind the frontier.
 */
const MAX_REMEMBERED_REQUESTS = 8192;
/** Rows between the cursors of reads that ask for the end. */
const END_STRIDE_ROWS = 3;
/** Variants of a request that are tried before there is none left that was not made. */
const MAX_VARIANTS = 216;
/** Different page sizes that are tried before the cursors are moved further away. */
const MAX_PAGE_SIZES = 12;
const DIRECTIONS: readonly Direction[] = ['backward', 'closed', 'forward'];

/** Makes requests, none of which is remembered. A method returns undefined when all variants are; see also `#freshOrOldest`. */
export class FreshRequests<Row> {
  readonly #order: Order<Row>;
  readonly #rangeEnd: string | undefined;
  readonly #made = new Set<string>();
  readonly #directions: readonly Direction[];
  #rotation = 0;
  /** Rows that a read asks for. It falls to what the service gives, where that is less. */
  pageRows: number;
  /** Rows that a read may ask for. */
  readonly #maxPageRows: number;

  /** `rangeEnd`: the exclusive end of the walk, if it has one. `directions`: all unless given. */
  constructor(
    order: Order<Row>,
    pageRows: number,
    rangeEnd: string | undefined,
    directions: Source<never>['directions'],
  ) {
    this.#order = order;
    this.pageRows = pageRows;
    this.#maxPageRows = pageRows;
    this.#rangeEnd = rangeEnd;
    this.#directions = DIRECTIONS.filter((direction) => directions?.has(direction) !== false);
  }

  /** Remembers a request, so that it is not made again while it is remembered. */
  markMade(query: PageQuery, surface: Surface): void {
    const key = requestKey(query, surface);
    this.#made.delete(key);
    this.#made.add(key);
    if (this.#made.size > MAX_REMEMBERED_REQUESTS)
      for (const key of [...this.#made].slice(0, MAX_REMEMBERED_REQUESTS / 2)) this.#made.delete(key);
  }

  /** Returns a read of the rows after the last known ones, which it overlaps. */
  frontier(): PageQuery | undefined {
    const { list } = this.#order;
    const overlaps = [
      OVERLAP_ROWS,
      0,
      1,
      ...Array.from({ length: OVERLAP_ROWS }, (_, n) => OVERLAP_ROWS + 1 + n),
    ];
    return this.#freshOrOldest((variant) => {
      const overlap = overlaps[variant % overlaps.length]!;
      const cursor = list[Math.max(0, list.length - 1 - overlap)]!;
      const size = this.#sizeOf(Math.floor(variant / overlaps.length));
      // The first read of a walk with an end asks the service whether both ends are in order (409).
      if (list.length === 1 && this.#rangeEnd !== undefined)
        return cursor.id === LIST_START && variant === 0 && this.#can('backward')
          ? { before: this.#rangeEnd, limit: size }
          : cursor.id === LIST_START || !this.#can('closed')
            ? forwardQuery(cursor.id, size)
            : { after: cursor.id, before: this.#rangeEnd, limit: size };
      return size > overlap + 1 ? forwardQuery(cursor.id, size) : undefined;
    });
  }

  /** Returns a read of the rows from index `left` on. `toEnd`: the list is known to end after the last known row. */
  verification(left: number, toEnd: boolean): PageQuery | undefined {
    const { list } = this.#order;
    const rotation = this.#rotation++;
    const reachesEnd = toEnd && left + this.pageRows >= list.length;
    const isAtStart = list[left]!.id === LIST_START;
    const holdsStart = list[0]!.id === LIST_START;
    // In a list of one page there are hardly any other cursors, but every page size shows all of it or its start.
    const sizes =
      list.length <= this.pageRows
        ? this.#maxPageRows
        : Math.max(1, Math.min(MAX_PAGE_SIZES, this.pageRows - OVERLAP_ROWS));
    return this.#freshOrOldest((variant) => {
      const round = Math.floor(variant / this.#directions.length);
      const size = this.#sizeOf(round % sizes);
      const shift = Math.floor(round / sizes);
      // Near the end a forward page is short and shows the end too; near the start a backward one shows the start.
      const direction =
        variant === 0 && reachesEnd
          ? 'forward'
          : isAtStart && variant % 4 < 3 && this.#can('backward')
            ? 'backward'
            : this.#directions[(rotation + variant) % this.#directions.length]!;
      const after = list[Math.max(0, left - 1 - shift - Math.floor(round / 2))]!;
      const beforeIndex = left + size - (isAtStart || direction === 'closed' ? 1 : 0) - 2 * shift;
      const before = list[Math.max(left + 1, Math.min(list.length - 1, beforeIndex))]!;
      if (direction === 'forward') return forwardQuery(after.id, size);
      if (direction === 'closed' && after.id !== LIST_START)
        return { after: after.id, before: before.id, limit: size };
      // Rows before the start of the walk are not asked for, so no backward read shows the first adjacency.
      if (!this.#can('backward') || (left === 0 && !holdsStart)) return forwardQuery(after.id, size);
      return {
        before: before.id,
        limit: holdsStart ? size : Math.min(size, Math.max(1, before.index - 1)),
      };
    });
  }

  /**
   * Returns a read of the last rows and beyond, of as many rows as still show that nothing follows. The last check of all begins at
   * the last row itself: some services show more rows only then.
   */
  end(isFinalCheck: boolean): PageQuery | undefined {
    const { list } = this.#order;
    const cursors = Math.max(1, Math.min(list.length, this.pageRows - OVERLAP_ROWS));
    return this.#freshOrOldest((variant) => {
      const step = (variant * END_STRIDE_ROWS) % cursors;
      const back = isFinalCheck ? step : cursors - 1 - step;
      const size = this.#sizeOf(Math.floor(variant / cursors));
      return size > back ? forwardQuery(list[list.length - 1 - back]!.id, size) : undefined;
    });
  }

  /** Returns a read of the rows after this one. The service answers 404 when the row is gone. */
  rowsAfter({ id }: Entry<Row>): PageQuery | undefined {
    return this.#fresh((variant) => forwardQuery(id, this.pageRows - variant));
  }

  /** Returns a read of frozen rows: those after the first of `ids`, or before one of the last. It shows the start where that is the first. */
  audit(ids: readonly string[]): PageQuery | undefined {
    const rotation = this.#rotation++;
    return this.#fresh((variant) => {
      const shift = Math.floor(variant / 2);
      // All forward reads from the start count as one vote for it.
      const isForward = ids[0] !== LIST_START && (variant + rotation) % 2 === 1;
      if (isForward || !this.#can('backward'))
        return forwardQuery(ids[0]!, Math.min(this.pageRows, ids.length - 1) - shift);
      const before = ids.length - 1 - shift;
      if (before < 1) return undefined;
      return {
        before: ids[before]!,
        limit: Math.min(this.pageRows, before - (ids[0] === LIST_START ? 0 : 1)),
      };
    });
  }

  /** Returns a request with these cursors. The row limit only makes it a new one: 404 and 409 do not depend on it. */
  withCursors(after: string, before: string | undefined): PageQuery {
    const query = { after, ...(before === undefined ? {} : { before }), limit: OVERLAP_ROWS };
    return this.#fresh((variant) => ({ ...query, limit: OVERLAP_ROWS + variant })) ?? query;
  }

  /** Returns a read between two neighbours. The service answers 409, which is never wrong, when they are reversed. */
  orderProbe(left: Entry<Row>, right: Entry<Row>): PageQuery | undefined {
    if (left.id === LIST_START || !this.#can('closed')) return undefined;
    return this.#fresh((variant) =>
      variant === 0 ? { after: left.id, before: right.id, limit: OVERLAP_ROWS } : undefined,
    );
  }

  /** Returns a request to the cross-check source with this row as its cursor. */
  crossCheck({ id }: Entry<Row>): PageQuery | undefined {
    return this.#fresh((variant) => forwardQuery(id, this.pageRows - variant), 'cross-check');
  }

  /** Returns the first and the last row that a correct answer shows. */
  covers(query: PageQuery): [Entry<Row>, Entry<Row>] {
    const { after, before, limit } = query;
    const { list } = this.#order;
    const from = this.#order.get(after ?? LIST_START)?.index ?? -1;
    const to = before === undefined ? list.length : this.#order.get(before)!.index;
    const isBackward = directionOf(query) === 'backward';
    const first = isBackward ? Math.max(0, to - limit) : after === undefined ? 0 : from + 1;
    const last = Math.max(first, isBackward ? to - 1 : Math.min(to - 1, from + limit));
    return [list[first] ?? list.at(-1)!, list[last] ?? list.at(-1)!];
  }

  /** Returns the page sizes one after the other: from `pageRows` down to 1, then the larger ones. 0: there are no more. */
  #sizeOf(step: number): number {
    if (step < this.pageRows) return this.pageRows - step;
    return step < this.#maxPageRows ? step + 1 : 0;
  }

  #can(direction: Direction): boolean {
    return this.#directions.includes(direction);
  }

  /**
   * Returns the first variant that was not made before. A list that fits in one page has few requests, and it may be written while they
   * are made: where all were made, returns the one that was made longest ago. Its new answer counts in place of the older one.
   */
  #freshOrOldest(variantOf: (variant: number) => PageQuery | undefined): PageQuery | undefined {
    const fresh = this.#fresh(variantOf);
    if (fresh !== undefined || this.#order.list.length > this.#maxPageRows) return fresh;
    const variants = new Map<string, PageQuery>();
    for (let variant = 0; variant < MAX_VARIANTS; variant++) {
      const query = variantOf(variant);
      if (query !== undefined && query.limit >= 1) variants.set(requestKey(query, 'list'), query);
    }
    for (const key of this.#made) if (variants.has(key)) return variants.get(key);
    return undefined;
  }

  /** Returns the first variant that was not made before. */
  #fresh(
    variantOf: (variant: number) => PageQuery | undefined,
    surface: Surface = 'list',
  ): PageQuery | undefined {
    for (let variant = 0; variant < MAX_VARIANTS; variant++) {
      const query = variantOf(variant);
      if (query !== undefined && query.limit >= 1 && !this.#made.has(requestKey(query, surface)))
        return query;
    }
    return undefined;
  }
}
