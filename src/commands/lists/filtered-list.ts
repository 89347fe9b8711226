// A list with filters: its rows that match, of as few pages as it takes. A filter that the service does not apply is applied here.
import type { App } from '../../app.ts';
import type { Query, Reply } from '../../client/index.ts';
import { NEXT_CURSOR, STATED_TOTAL } from '../../client/shapes/page-facts.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import type { WindowQuery } from '../../contract/window.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { windowQuery, withoutUndefined, type Window } from '../shared/input.ts';
import { checkCursors, checkEnds } from './cursor-check.ts';
import { hasCursorAtEnd, readExclusive } from './exclusive-page.ts';
import type { FieldFilter } from './field-filter.ts';
import { firstMatches } from './first-matches.ts';
import { readAcceptedPage, type Page } from './page.ts';
import { RowTests, type RowTest } from './row-tests.ts';
import { isRefusal, READ_ON_LIMIT, ServiceFilters, type ReadPage } from './service-filters.ts';

type FilterApp = Pick<App, 'log' | 'notice' | 'progress'>;

/**
 * What reading a list costs. `total`: how many rows the service says that there are. `isExact`: all rows are read, and each
 * page is checked; else pages are read until there are enough rows.
 */
export type Cost = { total: number | undefined; pageRows: number; isOurs: boolean; isExact: boolean };

/** What is applied here alone. `sayCost` is called before more than one page is read for it. */
export type LocalTests<Row> = {
  tests: readonly RowTest<Row>[];
  sayCost(cost: Cost): Promise<void>;
};

const NO_TESTS: LocalTests<unknown> = { tests: [], sayCost: () => Promise.resolve() };

/**
 * A list with filters. Our service is believed that its rows match where they do not show a field. Of another service such
 * rows are kept only if it is seen to apply the filter.
 */
export class FilteredList<Row extends { id: string }> {
  readonly #read: ReadPage<Row>;
  /** Whether a page of a service that is not ours has the row of its cursor, so that these rows are left out. */
  #areCursorsInclusive = false;
  readonly #app: FilterApp;
  readonly #filters: ServiceFilters<Row>;
  readonly #local: LocalTests<Row>;
  /** Tests that no service is asked to make. */
  readonly tests: RowTests<Row>;
  /** The largest page size that the service accepts, where it refused the one that the user asked for. */
  #acceptedLimit: number | undefined;
  #pageFault: Fault | undefined;
  #oversized: string | undefined;

  /** `read` reads a page with these query parameters. */
  constructor(
    read: ReadPage<Row>,
    filters: readonly FieldFilter[],
    app: FilterApp,
    local: LocalTests<Row> = NO_TESTS,
  ) {
    this.#local = local;
    this.tests = new RowTests(local.tests);
    this.#read = (query) => (this.#areCursorsInclusive ? readWithoutCursors(read, query) : read(query));
    this.#app = app;
    this.#filters = new ServiceFilters(this.#read, filters, app);
  }

  /**
   * Reads a page as the service gives it, with rows that do not match. Filters that the service refuses are not sent again.
   * Throws as the read does.
   */
  page(window: WindowQuery): Promise<Page<Row>> {
    return this.#filters.page(this.#sized(window));
  }

  /** Reads the ids of a page as the service gives it. Throws as the read does. */
  readonly ids = async (window: Window): Promise<string[]> =>
    (await this.page(windowQuery(window))).data.map(idOf);

  /** Returns whether a row of a page that was read shows that it matches, without counting it. */
  surelyMatches(row: Row): boolean {
    return this.#filters.surelyMatches(row) && this.tests.surelyMatches(row);
  }

  /** Returns whether a row matches. Call it once for each row that would be shown, in the order of the list. */
  matches(row: Row): boolean {
    if (this.#filters.isEmpty) return this.tests.matches(row);
    return !this.#filters.contradicts(row) && this.tests.matches(row) && this.#filters.countHidden(row);
  }

  /** Returns the filters that the service is known to apply. Asks another service than ours about each. */
  appliedByService(): Promise<FieldFilter[]> {
    return this.#filters.appliedByService();
  }

  /**
   * Returns the first matching rows of a window, or the last ones before `before`, at most `limit`: one page of the service
   * where all its rows match, else as many pages as it takes. Another service than ours may give fewer or more rows than
   * `limit`; then they are read on, or cut. `has_more` says whether more rows match. Throws Fault `protocol` where another
   * service than ours ignores a cursor, and `not_found` where the list does not have its row.
   */
  async firstMatches(window: Window): Promise<Page<Row>> {
    let first = await this.#firstPage(window);
    if (!this.#filters.isOurs && hasCursorAtEnd(first.data.map(idOf), window)) {
      this.#areCursorsInclusive = true;
      this.#app.log('the cursors of this list are inclusive: the row of a cursor is left out');
      first = await this.#firstPage(window);
    }
    if (!this.#filters.isOurs) await checkCursors(this.ids, window, first.data.map(idOf));
    // Where the list goes on, `has_more` must be about the rows that match.
    const isWhole = first.has_more === false || (this.tests.isEmpty && (await this.#filters.areAllApplied()));
    const areRight = first.data.every((row) => this.surelyMatches(row) || this.#mayMatch(row));
    const isFilteredHere = !isWhole || !areRight;
    if (isFilteredHere) return this.#readOn(window, first, true);
    if (this.#isOtherSize(window, first)) {
      this.#oversized = oversizedWords(window, first);
      return this.#readOn(window, first, false);
    }
    for (const row of first.data) this.matches(row);
    return first;
  }

  /** Says before all rows are read what that costs. `total`: how many rows the service says that there are. */
  readonly sayCost = (total: number | undefined, pageRows: number): Promise<void> =>
    this.#sayCost(total, pageRows, true);

  async #sayCost(total: number | undefined, pageRows: number, isExact: boolean): Promise<void> {
    // With a filter it is not known which rows the service counts.
    const isKnown = this.#filters.isEmpty;
    const isOurs = isKnown && this.#filters.isOurs;
    await this.#local.sayCost({ total: isKnown ? total : undefined, pageRows, isOurs, isExact });
  }

  /** Whether every page came from our service so far. */
  get isOurs(): boolean {
    return this.#filters.isAnswered && this.#filters.isOurs;
  }

  /** Whether every row of the list matches. */
  get isUnfiltered(): boolean {
    return this.#filters.isEmpty && this.tests.isEmpty;
  }

  /** Returns, after the last row, why rows may be wrong or missing; undefined where every row was checked. */
  fault(): Fault | undefined {
    return this.#filters.fault() ?? this.tests.fault() ?? this.#pageFault;
  }

  /** Returns how the service contradicted the size that was asked for, after {@link firstMatches}. */
  oversized(): string | undefined {
    return this.#oversized;
  }

  /** Returns whether a row contradicts no filter, and the filters that it does not show are applied by the service. */
  #mayMatch(row: Row): boolean {
    return this.tests.surelyMatches(row) && this.#filters.mayMatch(row);
  }

  /** Reads the first page of a window. A refusal, and an empty page of another service, may be about a cursor that no row has. */
  async #firstPage(window: Window): Promise<Page<Row>> {
    const readIds = async (other: Window): Promise<string[]> =>
      (await this.#read(windowQuery(other))).body.data.map(idOf);
    try {
      const { page: first, limit } = await readAcceptedPage(
        (size) => this.page(windowQuery({ ...window, limit: size })),
        window.limit,
        this.#app,
      );
      if (limit !== window.limit) this.#acceptedLimit = limit;
      if (!this.#filters.isOurs && first.data.length === 0) await checkEnds(readIds, window);
      return first;
    } catch (error) {
      if (isRefusal(error)) await checkEnds(readIds, window);
      throw error;
    }
  }

  /** Returns whether another service than ours gave more rows than were asked for, or fewer without saying that they end there. */
  #isOtherSize({ limit }: Window, { data, has_more }: Page<Row>): boolean {
    if (this.#filters.isOurs || limit === undefined || data.length === 0) return false;
    return data.length > limit || (data.length < limit && has_more !== false);
  }

  /** Returns the window with a page size that the service accepts, as far as that is known. */
  #sized(window: WindowQuery): WindowQuery {
    const { limit } = window;
    const accepted = this.#acceptedLimit ?? Infinity;
    return limit === undefined || limit <= accepted ? window : { ...window, limit: accepted };
  }

  /** Reads pages from `first` on until there are enough matching rows. `isFilteredHere`: rows may not match, so that they are tested here. */
  async #readOn(window: Window, first: Page<Row>, isFilteredHere: boolean): Promise<Page<Row>> {
    const { limit = PAGE_LIMIT.default } = window;
    const pageRows = Math.max(limit, this.#filters.isOurs ? PAGE_LIMIT.maximum : READ_ON_LIMIT);
    if (
      !this.tests.isEmpty &&
      first.has_more !== false &&
      first.data.filter((row) => this.surelyMatches(row)).length < limit
    )
      await this.#sayCost(first[STATED_TOTAL], pageRows, false);
    const progress = this.#app.progress();
    const sizes = [pageRows, window.limit];
    const found = await firstMatches({
      window,
      first,
      limit,
      read: (next) => this.#following(next, sizes),
      matches: (row) => this.matches(row),
      progress,
    }).finally(() => progress.end());
    const { rows, has_more, seen, pages } = found;
    this.#app.log(
      `${isFilteredHere ? 'filtered here' : 'read on'}: ${plural(seen, 'row')} of ${plural(pages, 'page')}`,
    );
    if (has_more === undefined && isFilteredHere) {
      const message = 'the service does not go on after its page, so the filter was applied to that alone';
      this.#pageFault = new Fault('partial', message);
    }
    return {
      ...first,
      // It counts the rows that do not match, too.
      [STATED_TOTAL]: isFilteredHere ? undefined : first[STATED_TOTAL],
      status: undefined,
      data: rows,
      // It follows the last row of that page.
      [NEXT_CURSOR]: rows.at(-1) === first.data.at(-1) ? first[NEXT_CURSOR] : undefined,
      has_more: has_more ?? (isFilteredHere ? undefined : first.has_more),
    };
  }

  /** Reads a page with the first size that the service accepts. Returns undefined where it refuses the cursor. */
  async #following(
    window: Window,
    [limit, ...others]: (number | undefined)[],
  ): Promise<Page<Row> | undefined> {
    try {
      return await this.page(windowQuery({ ...window, limit }));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return others.length === 0 ? undefined : this.#following(window, others);
    }
  }
}

/** Reads a page without the rows of its cursors. Throws as the read does. */
async function readWithoutCursors<Row extends { id: string }>(
  read: ReadPage<Row>,
  { starting_after: after, ending_before: before, limit, ...others }: Query,
): Promise<Reply<Page<Row>>> {
  let reply: Reply<Page<Row>> | undefined;
  const window = withoutUndefined({ starting_after: after, ending_before: before, limit }) as WindowQuery;
  const readBody = async (wider: WindowQuery): Promise<Page<Row>> => {
    reply = await read({ ...others, ...wider });
    return reply.body;
  };
  const body = await readExclusive(readBody, window, { idOf, isRefusal });
  return { ...reply!, body };
}

/** Returns how a page is larger than was asked for; undefined where it is not. */
function oversizedWords({ limit }: Window, { data }: Page<unknown>): string | undefined {
  if (limit === undefined || data.length <= limit) return undefined;
  return `the service gave ${plural(data.length, 'row')} where ${limit} were asked for`;
}

function idOf({ id }: { id: string }): string {
  return id;
}
