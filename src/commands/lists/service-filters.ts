// Filters as parameters of a service: finds out which of them it applies, by what it answers, and compares rows with them.
import type { App } from '../../app.ts';
import { UNSUPPORTED_STATUS } from '../../capabilities/unsupported-status.ts';
import type { Query, Reply } from '../../client/index.ts';
import { isFromOurService } from '../../client/our-service.ts';
import { STATED_TOTAL, UNDESCRIBED } from '../../client/shapes/page-facts.ts';
import { UNKNOWN_PARAMETER } from '../../contract/injected-faults.ts';
import type { WindowQuery } from '../../contract/window.ts';
import { Fault } from '../../faults.ts';
import { examineEmptyAnswer, parameterOf } from './empty-answer.ts';
import { FilterState, opposite, shows, type FieldFilter } from './field-filter.ts';
import type { Page } from './page.ts';

/** Reads a page with these query parameters. */
export type ReadPage<Row> = (query: Query) => Promise<Reply<Page<Row>>>;

/** Rows of one page while a filter is applied here, where a service accepts that many. */
export const READ_ON_LIMIT = 100;

/** The filters of a list at one service. Of each it is found out whether the service refuses, ignores or applies it. */
export class ServiceFilters<Row extends { id: string }> {
  readonly #read: ReadPage<Row>;
  readonly #app: Pick<App, 'log' | 'notice'>;
  readonly #filters: readonly FilterState[];
  readonly #asked = new Map<FilterState, Promise<void>>();
  /** Filters for which a page was compared with one that was read without them. */
  readonly #compared = new Set<FilterState>();
  #isAnswered = false;
  #hasRows = false;
  #emptyAnswer: Promise<boolean> | undefined;
  #isOurs = true;

  /** `read` reads a page with these query parameters. */
  constructor(read: ReadPage<Row>, filters: readonly FieldFilter[], app: Pick<App, 'log' | 'notice'>) {
    this.#read = read;
    this.#app = app;
    this.#filters = filters.map((filter) => new FilterState(filter));
  }

  /** Whether there are no filters. */
  get isEmpty(): boolean {
    return this.#filters.length === 0;
  }

  /** Whether a page was read. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Whether every page came from our service so far, also before the first one. */
  get isOurs(): boolean {
    return this.#isOurs;
  }

  /**
   * Reads a page as the service gives it, with rows that do not match. Filters that the service refuses are not sent again.
   * Throws as the read does.
   */
  async page(window: WindowQuery): Promise<Page<Row>> {
    const { body: answer, headers } = await this.#readPage(window);
    const isFirst = !this.#isAnswered;
    this.#isAnswered = true;
    this.#isOurs &&= isFromOurService(headers);
    this.#hasRows ||= answer.data.length > 0;
    let body = answer;
    if (!this.#hasRows && !this.#isOurs && this.#sent().length > 0) {
      this.#emptyAnswer ??= this.#isEmptyAnswerWrong(window);
      if (await this.#emptyAnswer) ({ body } = await this.#readPage(window));
    }
    await this.#checkRows(body.data);
    if (isFirst)
      while (this.#dropContradicted()) {
        ({ body } = await this.#readPage(window));
        await this.#checkRows(body.data);
      }
    await this.#compareContradicted(window, body.data);
    // Which rows the service counts is not known where there are filters.
    return this.isEmpty ? body : { ...body, [STATED_TOTAL]: undefined, [UNDESCRIBED]: undefined };
  }

  /** Returns whether a row shows that it matches all filters. */
  surelyMatches(row: Row): boolean {
    return this.#filters.every(({ filter }) => shows(row, filter) === true);
  }

  /** Returns whether a row contradicts no filter, and the filters that it does not show are applied by the service. */
  mayMatch(row: Row): boolean {
    return this.#filters.every((state) => shows(row, state.filter) ?? state.isTrusted(this.#isOurs));
  }

  /** Returns whether a row contradicts a filter. */
  contradicts(row: Row): boolean {
    return this.#filters.some(({ filter }) => shows(row, filter) === false);
  }

  /** Returns whether a row that contradicts no filter matches, and counts it for the filters that it does not show. */
  countHidden(row: Row): boolean {
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

  /** Returns whether the service is known to apply every filter. */
  async areAllApplied(): Promise<boolean> {
    return (await this.appliedByService()).length === this.#filters.length;
  }

  /** Returns, after the last row, why rows may be wrong or missing; undefined where every row was checked. */
  fault(): Fault | undefined {
    return this.#filters.map((state) => state.fault()).find((fault) => fault !== undefined);
  }

  /** Compares rows with the filters. Asks about each filter that some row contradicts or does not show. */
  async #checkRows(rows: readonly Row[]): Promise<void> {
    for (const state of this.#filters) {
      const verdicts = rows.map((row) => shows(row, state.filter));
      state.isContradicted ||= verdicts.includes(false);
      if (verdicts.some((verdict) => verdict !== true)) await this.#ask(state);
    }
  }

  /** Reads a page with the filters that the service accepts. */
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
    const answers = (query: Query) => this.#readUnlessRefused({ ...query, ...window });
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

  /** Reads a page. Returns undefined where the service refuses the query. */
  async #readUnlessRefused(query: Query): Promise<Reply<Page<Row>> | undefined> {
    try {
      return await this.#read(query);
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  /** Returns the filters that are sent: those that the service does not refuse. */
  #sent(): FilterState[] {
    return this.#filters.filter(({ isRefused }) => !isRefused);
  }

  #parameters(): Query {
    return Object.assign({}, ...this.#sent().map(({ filter }) => parameterOf(filter))) as Query;
  }

  /**
   * Returns whether the answer without rows to a window is wrong, so that the window must be read again. A filter for which the service
   * gives no rows, although rows have the value, is not sent again.
   */
  async #isEmptyAnswerWrong(window: WindowQuery): Promise<boolean> {
    const read = async (query: Query) => (await this.#readUnlessRefused(query))?.body.data;
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

  /** Asks another service than ours, once for each filter, whether it looks at the value, and says where it does not. */
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
    const shown = new Set(rows.map(({ id }) => id));
    for (const query of [this.#parameters(), others, others]) {
      const page = (await this.#read({ ...query, ...window })).body.data;
      if (query !== others) for (const { id } of page) shown.add(id);
      else if (page.every((row) => shows(row, state.filter) !== true || shown.has(row.id))) return false;
    }
    return true;
  }

  /** Finds out whether the service looks at the value of a filter, and stores it in `state`. */
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
    const query = { ...this.#parameters(), ...parameterOf(other), limit: 1 };
    const reply = await this.#readUnlessRefused(query);
    // A service that refuses the value looks at it.
    return reply === undefined || reply.body.data.every((row) => shows(row, other) === true);
  }
}

function otherRows({ filter: { field } }: FilterState): string {
  return `the service gives rows with another ${field} too`;
}

/**
 * Returns whether an error is the refusal of a query. Our service refuses values, never a parameter, unless it is started as a strict one
 * for tests.
 */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Fault)) return false;
  const { isFromOurService: isOurs = false, status = 0 } = error.detail;
  return UNSUPPORTED_STATUS.has(status) && (!isOurs || error.message.endsWith(UNKNOWN_PARAMETER));
}
