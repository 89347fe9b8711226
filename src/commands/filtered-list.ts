// A list with filters, as parameters of the service: every row is checked, and a filter that the service does not apply is applied here.
import type { App } from '../app.ts';
import type { Query, Reply } from '../client/index.ts';
import { isFromOurService } from '../client/our-service.ts';
import { PAGE_LIMIT } from '../contract/scalars.ts';
import type { WindowQuery } from '../contract/window.ts';
import { Fault } from '../faults.ts';
import { plural } from '../format/numbers.ts';
import { checkCursors } from './cursor-check.ts';
import { windowQuery, type Window } from './input.ts';

/** A filter: the query parameter, the field of a row that it is about, and the value that the field must have. */
export type FieldFilter = { parameter: string; field: string; value: string | boolean };

/** A page of a list. */
type Page<Row> = {
  data: Row[];
  status?: string | undefined;
  has_more?: boolean | undefined;
  drift_ratio?: number | undefined;
};

type FilterApp = Pick<App, 'log' | 'notice' | 'progress'>;

/** Status codes with which a service may refuse a parameter that it does not know. */
const REFUSED_STATUS: ReadonlySet<number> = new Set([400, 404, 405, 410, 422, 501]);

/** A value that no row has. */
const ABSENT_VALUE = 'arx-no-such-value';

/** Rows of one page while a filter is applied here, where a service accepts that many. */
const READ_ON_LIMIT = 100;

/** What is known about one filter. */
type FilterState = FieldFilter & {
  /** Whether a row contradicted it. */
  isContradicted: boolean;
  /** Whether it was said that the service does not apply it. */
  isNoted: boolean;
  /** The answer of the service to a request with another value, once it was asked: whether it obeys the filter. */
  answer?: Promise<boolean>;
  isApplied?: boolean;
  /** Rows that do not show the field and were kept, and those that were left out. */
  kept: number;
  leftOut: number;
};

/**
 * A list with filters. Our service is believed that its rows match where they do not show a field. Of another service such
 * rows are kept only if it is seen to apply the filter.
 */
export class FilteredList<Row extends { id: string }> {
  readonly #read: (query: Query) => Promise<Reply<Page<Row>>>;
  readonly #app: FilterApp;
  readonly #filters: FilterState[];
  #isRefused = false;
  #isAnswered = false;
  #isOurs = true;
  #pageFault: Fault | undefined;

  /** `read` reads a page with these query parameters. */
  constructor(
    read: (query: Query) => Promise<Reply<Page<Row>>>,
    filters: readonly FieldFilter[],
    app: FilterApp,
  ) {
    this.#read = read;
    this.#app = app;
    this.#filters = filters.map((filter) => ({
      ...filter,
      isContradicted: false,
      isNoted: false,
      kept: 0,
      leftOut: 0,
    }));
  }

  /**
   * Reads a page as the service gives it, with rows that do not match. Where the service refuses the filters, all pages are
   * read without them. Throws as the read does.
   */
  async page(window: WindowQuery): Promise<Page<Row>> {
    const { body, headers } = await this.#readPage(window);
    this.#isAnswered = true;
    this.#isOurs &&= isFromOurService(headers);
    for (const filter of this.#filters) {
      const verdicts = body.data.map((row) => shows(row, filter));
      const contradiction = body.data[verdicts.indexOf(false)];
      if (contradiction !== undefined) this.#noteContradiction(filter, contradiction);
      if (verdicts.includes(undefined)) await this.#ask(filter);
    }
    return body;
  }

  /** Returns whether a row of a page that was read shows that it matches, without counting it. */
  surelyMatches(row: Row): boolean {
    return this.#filters.every((filter) => shows(row, filter) === true);
  }

  /** Returns whether a row matches. Call it once for each row that would be shown, in the order of the list. */
  matches(row: Row): boolean {
    if (this.#filters.some((filter) => shows(row, filter) === false)) return false;
    const hidden = this.#filters.filter((filter) => shows(row, filter) === undefined);
    const doubted = hidden.filter((filter) => !this.#isTrusted(filter));
    for (const filter of doubted) filter.leftOut += 1;
    if (doubted.length > 0) return false;
    for (const filter of hidden) filter.kept += 1;
    return true;
  }

  /** Returns the filters that the service is not known to disregard. Asks it about those that no row has shown yet. */
  async appliedByService(): Promise<FieldFilter[]> {
    for (const filter of this.#filters) await this.#ask(filter);
    return this.#filters.filter((filter) => this.#isTrusted(filter));
  }

  /**
   * Returns the first matching rows of a window, or the last ones before `before`, at most `limit`: one page of the service
   * where all its rows match, else as many pages as it takes. `has_more` says whether more rows match. Throws Fault `protocol`
   * where another service than ours ignores a cursor.
   */
  async firstMatches(window: Window): Promise<Page<Row>> {
    const first = await this.page(windowQuery(window));
    if (!this.#isOurs) await checkCursors((other) => this.#idsOf(other), window, first.data.map(idOf));
    // Without an end, `has_more` must be about the rows that match.
    const applied = first.has_more === false ? this.#filters : await this.appliedByService();
    const kept = first.data.filter((row) => this.matches(row));
    const isWhole = !this.#isRefused && kept.length === first.data.length;
    if (isWhole && applied.length === this.#filters.length) return first;
    return this.#readOn(window, first, kept);
  }

  /** Returns, after the last row, why rows may be wrong or missing; undefined where every row was checked. */
  fault(): Fault | undefined {
    for (const { field, kept, leftOut, isContradicted } of this.#filters) {
      const count = leftOut > 0 ? leftOut : isContradicted ? kept : 0;
      if (count === 0) continue;
      const rows = `${plural(count, 'row')} ${count === 1 ? 'does' : 'do'} not show ${field}`;
      const fate = `${count === 1 ? 'it was' : 'they were'} ${leftOut > 0 ? 'left out' : 'shown'}`;
      return new Fault('partial', `${rows}, so it cannot be told whether the filter matches: ${fate}`);
    }
    return this.#pageFault;
  }

  async #idsOf(window: Window): Promise<string[]> {
    return (await this.page(windowQuery(window))).data.map(idOf);
  }

  async #readPage(window: WindowQuery): Promise<Reply<Page<Row>>> {
    if (this.#isRefused || this.#filters.length === 0) return this.#read({ ...window });
    try {
      return await this.#read({ ...this.#parameters(), ...window });
    } catch (error) {
      // What was accepted once is not refused now: this refusal has another cause.
      if (this.#isAnswered || !isRefusal(error)) throw error;
      const reply = await this.#read({ ...window }).catch(() => undefined);
      if (reply === undefined || isFromOurService(reply.headers)) throw error;
      this.#isRefused = true;
      this.#app.notice(
        `the service refuses ${this.#filters.map(({ field }) => field).join(', ')}: applied here`,
      );
      return reply;
    }
  }

  #parameters(): Query {
    return Object.fromEntries(this.#filters.map(({ parameter, value }) => [parameter, value]));
  }

  #isTrusted({ isContradicted, isApplied }: FilterState): boolean {
    return !this.#isRefused && !isContradicted && (this.#isOurs || isApplied === true);
  }

  #noteContradiction(filter: FilterState, row: Row): void {
    filter.isContradicted = true;
    const { field, value } = filter;
    const isCaseOnly = lowered((row as Record<string, unknown>)[field]) === lowered(value);
    this.#note(filter, isCaseOnly ? `upper and lower case of ${field}` : field);
  }

  /** Says once for each filter that the service ignores it. */
  #note(filter: FilterState, what: string): void {
    if (!filter.isNoted && !this.#isRefused) this.#app.notice(`the service ignores ${what}: applied here`);
    filter.isNoted = true;
  }

  /** Asks the service for a value that no row has, unless what is known suffices. */
  async #ask(filter: FilterState): Promise<void> {
    if (this.#isOurs || this.#isRefused || filter.isContradicted) return;
    filter.answer ??= this.#obeys(filter);
    filter.isApplied = await filter.answer;
    this.#app.log(`the service ${filter.isApplied ? 'applies' : 'ignores'} ${filter.field}`);
    if (!filter.isApplied) this.#note(filter, filter.field);
  }

  /** Asks for another value than that of the filter. Returns whether all rows have it, or the service refuses it. */
  async #obeys({ parameter, field, value }: FieldFilter): Promise<boolean> {
    const other = typeof value === 'boolean' ? !value : ABSENT_VALUE;
    try {
      const { body } = await this.#read({ ...this.#parameters(), [parameter]: other, limit: 1 });
      return body.data.every((row) => shows(row, { parameter, field, value: other }) === true);
    } catch (error) {
      // The value was refused, so the service looks at it.
      if (isRefusal(error)) return true;
      throw error;
    }
  }

  async #readOn(window: Window, first: Page<Row>, kept: Row[]): Promise<Page<Row>> {
    const { limit = PAGE_LIMIT.default, after, before } = window;
    const isBackward = before !== undefined && after === undefined;
    const seen = new Set(first.data.map(({ id }) => id));
    const progress = this.#app.progress();
    let page = first;
    let found = kept;
    let pages = 1;
    let end: 'reached' | 'unknown' | undefined;
    try {
      while (found.length <= limit && end === undefined) {
        const edge = (isBackward ? page.data[0] : page.data.at(-1))?.id;
        if (page.has_more === false || edge === undefined) {
          end = page.has_more === true ? 'unknown' : 'reached';
          break;
        }
        const next = isBackward ? { before: edge } : { after: edge, before };
        const following = await this.#following(next, [Math.max(limit, READ_ON_LIMIT), window.limit]);
        const fresh = following?.data.filter(({ id }) => !seen.has(id)) ?? [];
        if (following === undefined || (fresh.length === 0 && following.data.length > 0)) end = 'unknown';
        else page = following;
        for (const { id } of fresh) seen.add(id);
        const matching = fresh.filter((row) => this.matches(row));
        found = isBackward ? [...matching, ...found] : [...found, ...matching];
        pages += 1;
        progress.update({
          label: `${plural(found.length, 'row')} found among`,
          done: seen.size,
          unit: 'rows',
        });
      }
    } finally {
      await progress.end();
    }
    this.#app.log(
      `filtered here: ${plural(seen.size, 'row')} of ${plural(pages, 'page')}, ${found.length} match`,
    );
    const isMore = found.length > limit;
    if (!isMore && end === 'unknown')
      this.#pageFault = new Fault(
        'partial',
        'the service does not go on after its page, so the filter was applied to that alone',
      );
    return {
      ...page,
      status: undefined,
      data: isBackward ? found.slice(-limit) : found.slice(0, limit),
      has_more: isMore ? true : end === 'reached' ? false : undefined,
    };
  }

  /** Reads a page with the first limit that the service accepts. Returns undefined where it refuses the cursor. */
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

/** Returns whether a row has the value of a filter; undefined where it does not show the field. */
function shows(row: { id: string }, { field, value }: FieldFilter): boolean | undefined {
  const shown = (row as Record<string, unknown>)[field];
  if (shown === undefined) return undefined;
  // A withheld row may hide its fields (interface 2.1).
  if (shown === null && (row as Record<string, unknown>)['redacted'] === true) return undefined;
  return shown === value || (typeof shown === 'number' && String(shown) === value);
}

function idOf({ id }: { id: string }): string {
  return id;
}

function lowered(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Fault)) return false;
  const { isFromOurService: isOurs = false, status = 0 } = error.detail;
  return !isOurs && REFUSED_STATUS.has(status);
}
