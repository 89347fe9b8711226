// A list with filters, as parameters of the service: every row is checked, and a filter that the service does not apply is applied here.
import type { App } from '../../app.ts';
import { UNSUPPORTED_STATUS } from '../../capabilities/unsupported-status.ts';
import type { Query, Reply } from '../../client/index.ts';
import { isFromOurService } from '../../client/our-service.ts';
import { UNKNOWN_PARAMETER } from '../../contract/injected-faults.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import type { WindowQuery } from '../../contract/window.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { NEXT_CURSOR, STATED_TOTAL, UNDESCRIBED } from '../../client/shapes/page-facts.ts';
import { checkCursors, checkEnds } from './cursor-check.ts';
import { examineEmptyAnswer, parameterOf } from './empty-answer.ts';
import { FilterState, opposite, shows, type FieldFilter } from './field-filter.ts';
import { readAcceptedPage, type Page } from './page.ts';
import { firstMatches } from './first-matches.ts';
import { hasCursorAtEnd, readExclusive } from './exclusive-page.ts';
import { windowQuery, withoutUndefined, type Window } from '../shared/input.ts';
import { RowTests, type RowTest } from './row-tests.ts';

type ReadPage<Row> = (query: Query) => Promise<Reply<Page<Row>>>;
type FilterApp = Pick<App, 'log' | 'notice' | 'progress'>;

/** Rows of one page while a filter is applied here, where a service accepts that many. */
const READ_ON_LIMIT = 100;

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
  readonly #filters: FilterState[];
  readonly #local: LocalTests<Row>;
  /** Tests that no service is asked to make. */
  readonly tests: RowTests<Row>;
  readonly #asked = new Map<FilterState, Promise<void>>();
  /** Filters for which a page was compared with one that was read without them. */
  readonly #compared = new Set<FilterState>();
  #isAnswered = false;
  #hasRows = false;
  #emptyAnswer: Promise<boolean> | undefined;
  #isOurs = true;
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
    this.#filters = filters.map((filter) => new FilterState(filter));
  }

  /**
   * Reads a page as the service gives it, with rows that do not match. Filters that the service refuses are not sent again.
   * Throws as the read does.
   */
  async page(window: WindowQuery): Promise<Page<Row>> {
    const { body: answer, headers } = await this.#readPage(this.#sized(window));
    const isFirst = !this.#isAnswered;
    this.#isAnswered = true;
    this.#isOurs &&= isFromOurService(headers);
    this.#hasRows ||= answer.data.length > 0;
    let body = answer;
    if (!this.#hasRows && !this.#isOurs && this.#sent().length > 0) {
      this.#emptyAnswer ??= this.#doubtEmptyAnswer(this.#sized(window));
      if (await this.#emptyAnswer) ({ body } = await this.#readPage(this.#sized(window)));
    }
    await this.#checkRows(body.data);
    if (isFirst)
      while (this.#dropContradicted()) {
        ({ body } = await this.#readPage(this.#sized(window)));
        await this.#checkRows(body.data);
      }
    await this.#compareContradicted(this.#sized(window), body.data);
    // Which rows the service counts is not known where there are filters.
    return this.#filters.length === 0
      ? body
      : { ...body, [STATED_TOTAL]: undefined, [UNDESCRIBED]: undefined };
  }

  /** Compares rows with the filters, and finds out about those that some row contradicts or does not show. */
  async #checkRows(rows: readonly Row[]): Promise<void> {
    for (const state of this.#filters) {
      const verdicts = rows.map((row) => shows(row, state.filter));
      state.isContradicted ||= verdicts.includes(false);
      if (verdicts.some((verdict) => verdict !== true)) await this.#ask(state);
    }
  }

  /** Reads the ids of a page as the service gives it. Throws as the read does. */
  readonly ids = async (window: Window): Promise<string[]> =>
    (await this.page(windowQuery(window))).data.map(idOf);

  /** Returns whether a row of a page that was read shows that it matches, without counting it. */
  surelyMatches(row: Row): boolean {
    return this.#filters.every(({ filter }) => shows(row, filter) === true) && this.tests.surelyMatches(row);
  }

  /** Returns whether a row matches. Call it once for each row that would be shown, in the order of the list. */
  matches(row: Row): boolean {
    if (this.#filters.length === 0) return this.tests.matches(row);
    if (this.#filters.some(({ filter }) => shows(row, filter) === false)) return false;
    if (!this.tests.matches(row)) return false;
    const hidden = this.#filters.filter(({ filter }) => shows(row, filter) === undefined);
    const doubted = hidden.filter((state) => !state.isTrusted(this.#isOurs));
    for (const state of doubted) state.leftOut += 1;
    if (doubted.length > 0) return false;
    for (const state of hidden) state.kept += 1;
    return true;
  }

  /** Returns the filters that the service is known to apply. Asks another service than ours about each. */
  async appliedByService(): Promise<FieldFilter[]> {
    for (const state of this.#filters) await this.#ask(state);
    return this.#filters.filter((state) => state.isTrusted(this.#isOurs)).map(({ filter }) => filter);
  }

  /**
   * Returns the first matching rows of a window, or the last ones before `before`, at most `limit`: one page of the service
   * where all its rows match, else as many pages as it takes. Another service than ours may give fewer or more rows than
   * `limit`; then they are read on, or cut. `has_more` says whether more rows match. Throws Fault `protocol` where another
   * service than ours ignores a cursor, and `not_found` where the list does not have its row.
   */
  async firstMatches(window: Window): Promise<Page<Row>> {
    let first = await this.#firstPage(window);
    if (!this.#isOurs && hasCursorAtEnd(first.data.map(idOf), window)) {
      this.#areCursorsInclusive = true;
      this.#app.log('the cursors of this list are inclusive: the row of a cursor is left out');
      first = await this.#firstPage(window);
    }
    if (!this.#isOurs) await checkCursors(this.ids, window, first.data.map(idOf));
    // Where the list goes on, `has_more` must be about the rows that match.
    const isWhole =
      first.has_more === false ||
      (this.tests.isEmpty && (await this.appliedByService()).length === this.#filters.length);
    const areRight = first.data.every((row) => this.surelyMatches(row) || this.#mayMatch(row));
    const isFilteredHere = !isWhole || !areRight;
    if (isFilteredHere || this.#isOtherSize(window, first))
      return this.#readOn(window, first, isFilteredHere);
    for (const row of first.data) this.matches(row);
    return first;
  }

  /** Says before all rows are read what that costs. `total`: how many rows the service says that there are. */
  readonly sayCost = (total: number | undefined, pageRows: number): Promise<void> =>
    this.#sayCost(total, pageRows, true);

  async #sayCost(total: number | undefined, pageRows: number, isExact: boolean): Promise<void> {
    // With a filter it is not known which rows the service counts.
    const isKnown = this.#filters.length === 0;
    const isOurs = isKnown && this.#isOurs;
    await this.#local.sayCost({ total: isKnown ? total : undefined, pageRows, isOurs, isExact });
  }

  /** Whether every page came from our service so far. */
  get isOurs(): boolean {
    return this.#isAnswered && this.#isOurs;
  }

  /** Whether every row of the list matches. */
  get isUnfiltered(): boolean {
    return this.#filters.length === 0 && this.tests.isEmpty;
  }

  /** Returns, after the last row, why rows may be wrong or missing; undefined where every row was checked. */
  fault(): Fault | undefined {
    return (
      this.#filters.map((state) => state.fault()).find((fault) => fault !== undefined) ??
      this.tests.fault() ??
      this.#pageFault
    );
  }

  /** Returns how the service contradicted the size that was asked for, after {@link firstMatches}. */
  oversized(): string | undefined {
    return this.#oversized;
  }

  /** Returns whether a row contradicts no filter, and the filters that it does not show are applied by the service. */
  #mayMatch(row: Row): boolean {
    return (
      this.tests.surelyMatches(row) &&
      this.#filters.every((state) => shows(row, state.filter) ?? state.isTrusted(this.#isOurs))
    );
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
      if (!this.#isOurs && first.data.length === 0) await checkEnds(readIds, window);
      return first;
    } catch (error) {
      if (isRefusal(error)) await checkEnds(readIds, window);
      throw error;
    }
  }

  /** Returns whether another service than ours gave more rows than were asked for, or fewer without saying that they end there. */
  #isOtherSize({ limit }: Window, { data, has_more }: Page<Row>): boolean {
    if (this.#isOurs || limit === undefined || data.length === 0) return false;
    if (data.length > limit)
      this.#oversized = `the service gave ${plural(data.length, 'row')} where ${limit} were asked for`;
    return data.length > limit || (data.length < limit && has_more !== false);
  }

  /** Returns the window with a page size that the service accepts, as far as that is known. */
  #sized(window: WindowQuery): WindowQuery {
    const { limit } = window;
    const accepted = this.#acceptedLimit ?? Infinity;
    return limit === undefined || limit <= accepted ? window : { ...window, limit: accepted };
  }

  async #readPage(window: WindowQuery): Promise<Reply<Page<Row>>> {
    const query = { ...this.#parameters(), ...window };
    try {
      return await this.#read(query);
    } catch (error) {
      // What was accepted once is not refused now: this refusal has another cause.
      if (this.#isAnswered || this.#filters.length === 0 || !isRefusal(error)) throw error;
      const reply = await this.#read({ ...window }).catch(() => undefined);
      if (reply === undefined) throw error;
      return this.#withoutRefused(window, reply);
    }
  }

  /** Finds out which filters are refused. Returns the page with the others; `bare` is the page without any. */
  async #withoutRefused(window: WindowQuery, bare: Reply<Page<Row>>): Promise<Reply<Page<Row>>> {
    const answers = async (query: Query): Promise<Reply<Page<Row>> | undefined> => {
      try {
        return await this.#read({ ...query, ...window });
      } catch (error) {
        if (isRefusal(error)) return undefined;
        throw error;
      }
    };
    const isSingle = this.#filters.length === 1;
    for (const state of this.#filters)
      state.isRefused = isSingle || (await answers(parameterOf(state.filter))) === undefined;
    const isOneRefused = this.#filters.some(({ isRefused }) => isRefused);
    const reply = isOneRefused ? await answers(this.#parameters()) : undefined;
    // Each filter is accepted, but not all of them together.
    if (reply === undefined) for (const state of this.#filters) state.isRefused = true;
    const refused = this.#filters.filter(({ isRefused }) => isRefused).map(({ filter }) => filter.parameter);
    this.#app.notice(`the service refuses the filter ${refused.join(', ')}: applied here`);
    return reply ?? bare;
  }

  #sent(): FilterState[] {
    return this.#filters.filter(({ isRefused }) => !isRefused);
  }

  #parameters(): Query {
    return Object.assign({}, ...this.#sent().map(({ filter }) => parameterOf(filter))) as Query;
  }

  /**
   * Returns whether the window must be read again because its answer without rows is wrong. A filter for which the service
   * gives no rows, although rows have the value, is not sent again.
   */
  async #doubtEmptyAnswer(window: WindowQuery): Promise<boolean> {
    const read = async (query: Query): Promise<Row[] | undefined> => {
      try {
        return (await this.#read(query)).body.data;
      } catch (error) {
        if (isRefusal(error)) return undefined;
        throw error;
      }
    };
    const rows = (await read({ ...window, limit: READ_ON_LIMIT })) ?? (await read({ ...window })) ?? [];
    const sent = this.#sent();
    const filters = sent.map(({ filter }) => filter);
    const { wrong, untested, isMatched } = await examineEmptyAnswer(filters, rows, read);
    for (const state of sent) {
      state.isUntested = untested.includes(state.filter);
      state.isRefused = wrong.includes(state.filter);
    }
    const names = wrong.map(({ parameter }) => parameter).join(', ');
    if (wrong.length > 0)
      this.#app.notice(
        `the service gives no rows for the filter ${names}, although rows have it: applied here`,
      );
    return isMatched || wrong.length > 0;
  }

  /** Asks another service than ours once whether it looks at the value of a filter, and says what it does instead. */
  async #ask(state: FilterState): Promise<void> {
    if (state.isRefused || (this.#isOurs && !state.isContradicted)) return;
    const known = this.#asked.get(state) ?? this.#askOnce(state);
    this.#asked.set(state, known);
    await known;
  }

  /**
   * Stops sending the filters that another service applies, and that rows contradict: it may also leave out rows that match.
   * Returns whether there are any. Call it before a page was given out: later pages would not be of the same list.
   */
  #dropContradicted(): boolean {
    const dropped = this.#isOurs ? [] : this.#sent().filter((state) => state.isAppliedWrongly());
    for (const state of dropped) {
      state.isRefused = true;
      // Of a flag it was said that it is ignored.
      if (state.isObeyed) this.#app.notice(`${otherRows(state)}: applied here`);
    }
    return dropped.length > 0;
  }

  /** Finds out whether another service leaves out rows that match a filter, where rows of a later page contradict it. */
  async #compareContradicted(window: WindowQuery, rows: readonly Row[]): Promise<void> {
    const contradicted = this.#sent().filter(
      (state) => state.isContradicted && state.isObeyed && !this.#compared.has(state),
    );
    for (const state of contradicted) {
      this.#compared.add(state);
      this.#app.notice(`${otherRows(state)}: they are left out`);
      state.isLeaky = !this.#isOurs && (await this.#isMissing(state, window, rows));
    }
  }

  /** Returns whether rows that match are on a page without the filter and on none of two with it. Any page may be faulty. */
  async #isMissing(state: FilterState, window: WindowQuery, rows: readonly Row[]): Promise<boolean> {
    const { [state.filter.parameter]: _, ...others } = this.#parameters();
    const shown = new Set(rows.map(idOf));
    for (const query of [this.#parameters(), others, others]) {
      const page = (await this.#read({ ...query, ...window })).body.data;
      if (query !== others) for (const { id } of page) shown.add(id);
      else if (page.every((row) => shows(row, state.filter) !== true || shown.has(row.id))) return false;
    }
    return true;
  }

  async #askOnce(state: FilterState): Promise<void> {
    const { parameter, value } = state.filter;
    // A flag can be compared in one way only.
    const isIgnored = typeof value === 'boolean' && state.isContradicted && !this.#isOurs;
    state.isObeyed = !isIgnored && (this.#isOurs || (await this.#obeys(state.filter)));
    if (!state.isObeyed) this.#app.notice(`the service ignores the filter ${parameter}: applied here`);
    this.#app.log(`the service ${state.isObeyed ? 'looks at' : 'ignores'} ${parameter}`);
  }

  /** Asks for another value than that of the filter. Returns whether all rows have it, or the service refuses it. */
  async #obeys(filter: FieldFilter): Promise<boolean> {
    const other = opposite(filter);
    try {
      const { body } = await this.#read({ ...this.#parameters(), ...parameterOf(other), limit: 1 });
      return body.data.every((row) => shows(row, other) === true);
    } catch (error) {
      // The value was refused, so the service looks at it.
      if (isRefusal(error)) return true;
      throw error;
    }
  }

  async #readOn(window: Window, first: Page<Row>, isFilteredHere: boolean): Promise<Page<Row>> {
    const { limit = PAGE_LIMIT.default } = window;
    const pageRows = Math.max(limit, this.#isOurs ? PAGE_LIMIT.maximum : READ_ON_LIMIT);
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

function otherRows({ filter: { field } }: FilterState): string {
  return `the service gives rows with another ${field} too`;
}

function idOf({ id }: { id: string }): string {
  return id;
}

/** Our service refuses values, never a parameter, unless it plays a strict one for tests. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Fault)) return false;
  const { isFromOurService: isOurs = false, status = 0 } = error.detail;
  return UNSUPPORTED_STATUS.has(status) && (!isOurs || error.message.endsWith(UNKNOWN_PARAMETER));
}
