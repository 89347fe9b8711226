// The lists of the `ls` commands: one page, all rows that match (`--all`), the first ones of an order (`--sort`), or their number (`--count`).
import * as z from 'zod';
import { OptionalText, PAGE_LIMIT } from '../../contract/scalars.ts';
import type { App } from '../../app.ts';
import type { Client, ListName } from '../../client/index.ts';
import { parsePeriod } from '../../contract/search/dates.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import type { View } from '../../format/views/view.ts';
import { changedRows, countContradictions, twoHashesFault } from './contradictions.ts';
import { countsOf, noticeEmptyArchive } from './archive-counts.ts';
import { commandForAll } from '../shared/command-again.ts';
import { exactRowsOf, rowsOf, type ExactRows } from './exact-rows.ts';
import type { FilteredList, LocalTests } from './filtered-list.ts';
import type { Window } from '../shared/input.ts';
import { printPage, printTotal } from './page.ts';
import { orderOf, sortedRows, type Order } from './row-order.ts';
import { withProgress } from './with-progress.ts';
import { failNoMatch, type ListedState } from './no-match.ts';
import { isWithheld, listStatus, sayWithheld, withheldInSummary } from './withheld-rows.ts';
import { instantOfColumn, shownOf, valueOfColumn, type RowTest } from './row-tests.ts';

/** The options with which every list selects rows by date, orders them, and lists them all. */
export const Selection = z.object({
  since: OptionalText,
  until: OptionalText,
  on: OptionalText,
  sort: OptionalText,
  all: z.boolean().default(false),
  count: z.boolean().default(false),
});
type Selection = z.infer<typeof Selection>;

/** Requests of an exact list besides those for its rows: what the service can do, and where the list ends. */
const FIXED_REQUESTS = 13;
/** Reads of each page of an exact list, where no answer contradicts another. */
const READS_OF_A_PAGE = 2;

/** Returns about how many requests an exact list of so many pages needs. */
export function requestsOfExactList(pages: number): number {
  return FIXED_REQUESTS + READS_OF_A_PAGE * pages;
}

/** Returns the order that `--sort` asks for. Throws Fault `usage` for options that do not go with it. */
export function orderIn<Row extends object>(
  { sort, after, before }: Pick<Selection, 'sort'> & Window,
  view: View<Row>,
  dates: readonly string[],
): Order<Row> | undefined {
  if (sort === undefined) return undefined;
  const cursor = after === undefined ? (before === undefined ? undefined : '--before') : '--after';
  if (cursor !== undefined)
    throw new Fault('usage', `--sort does not go with ${cursor}: it orders the whole list`, {
      hint: '--limit COUNT or --all shows more rows',
    });
  const valueOf = (name: string) => valueOfColumn(view, name);
  return orderOf(sort, { dates: new Set(dates), valueOf });
}

/** Returns tests that are made here, and says on a remote service what that costs. `ofWhat` follows `the whole list`. */
export function localTests<Row>(
  tests: readonly RowTest<Row>[],
  list: ListName,
  app: Pick<App, 'client' | 'isRemote' | 'log' | 'notice' | 'openArchive'>,
  ofWhat = '',
): LocalTests<Row> {
  return {
    tests,
    async sayCost({ total, pageRows, isOurs, isExact }) {
      if (!app.isRemote) return;
      const rows = total ?? (isOurs ? (await countsOf(app))[list] : undefined);
      const pages = rows === undefined ? undefined : Math.ceil(rows / pageRows);
      const count = isExact ? 'about' : 'at most about';
      const requests = (isExact ? requestsOfExactList(pages ?? 0) : pages) ?? 0;
      const cost = pages === undefined ? '' : `: ${count} ${plural(requests, 'request')}`;
      app.notice(`${isExact ? 'needs' : 'may need'} the whole list${ofWhat}${cost}`);
    },
  };
}

/** Checks the options that select rows. Throws Fault `usage` for two that do not go together. Says what `--limit` means with `--all`. */
export function checkSelection(
  options: Selection & Window & { walk?: boolean },
  app: Pick<App, 'notice'>,
): void {
  checkCount(options);
  checkLimit(options, app);
}

/** Throws Fault `usage` for options that select among the rows that `--count` counts. `--all` is what it does anyway. */
function checkCount(options: Selection & Window & { walk?: boolean }): void {
  if (!options.count) return;
  for (const name of ['limit', 'after', 'before', 'sort', 'walk'] as const)
    if (options[name] !== undefined && options[name] !== false)
      throw new Fault('usage', `--count does not go with --${name}: it counts all rows that match`);
}

/**
 * Says that `--limit` does not cut a list with `--all`: it is the size of each request then. Throws Fault `usage` with `--sort`,
 * where it is the number of rows.
 */
export function checkLimit(
  { all, limit, sort }: Pick<Selection, 'all' | 'sort'> & Window,
  app: Pick<App, 'notice'>,
): void {
  if (!all || limit === undefined) return;
  if (sort !== undefined)
    throw new Fault('usage', '--all shows every row of an order, --limit the first ones: choose one');
  app.notice(`with --all, --limit is the rows of each request; the first ${limit} rows: --max-rows ${limit}`);
}

/**
 * Prints how many rows of these pages match. `fault` says after the last one why rows may be missing, which is a Fault of the run,
 * `isUndecided` whether more rows may match.
 */
export async function printCount(
  matching: AsyncIterable<readonly unknown[]>,
  { fault, isUndecided }: { fault(): Fault | undefined; isUndecided(): boolean | Promise<boolean> },
  app: App,
): Promise<number> {
  let total = 0;
  for await (const _ of withProgress(rowsOf(matching), 'counting', 'rows', app)) total += 1;
  const doubt = fault();
  await printTotal({ total, complete: doubt === undefined && !(await isUndecided()) }, app);
  if (doubt !== undefined) app.addFault(doubt);
  await noticeEmptyArchive(total, app);
  return total;
}

/** Returns the dates of a list as a test reads them. */
export function instantsOf<Row extends object>(
  view: View<Row>,
): (column: string) => (row: Row) => number | undefined {
  return (column) => instantOfColumn(view, column);
}

/** What a list shows: its rows in the order of the list, or in another one. */
export type RowsToShow<Row> = {
  pages: AsyncIterable<readonly Row[]>;
  /** How many rows match; undefined before the last one is read. */
  total(): number | undefined;
  /** Whether all rows that match are shown, so that none follows. */
  isAll(): boolean;
};

/** Returns the rows that match: all, or the first ones of an order. They are read when the first one is asked for. */
export function rowsToShow<Row>(
  matching: AsyncIterable<readonly Row[]>,
  order: Order<Row> | undefined,
  { all, limit = PAGE_LIMIT.default }: { all: boolean; limit?: number | undefined },
): RowsToShow<Row> {
  let total: number | undefined;
  let shown = 0;
  async function* pages(): AsyncGenerator<readonly Row[]> {
    if (order === undefined) {
      for await (const page of matching) {
        shown += page.length;
        yield page;
      }
      total = shown;
      return;
    }
    const sorted = await sortedRows(rowsOf(matching), order, all ? Infinity : limit);
    total = sorted.total;
    shown = sorted.rows.length;
    yield sorted.rows;
  }
  return { pages: pages(), total: () => total, isAll: () => shown === total };
}

/** Prints a list as the options ask for it. `read` is the list with its filters. */
export async function printList<Row extends { id: string }>(
  {
    list,
    view,
    order,
    client,
    name,
  }: {
    list: FilteredList<Row>;
    view: View<Row>;
    order: Order<Row> | undefined;
    client: Client;
    name: ListName;
  },
  input: Selection & Window,
  app: App,
): Promise<void> {
  const changes = client.changesOf(name);
  if (input.count) {
    const listing = readAll(list, order, input, app);
    const fault = (): Fault | undefined => listing.fault() ?? list.fault();
    const total = await printCount(
      withMatches(listing, list),
      { fault, isUndecided: () => list.tests.isUndecided },
      app,
    );
    failNoMatch(total, filterState(list, fault()), input, app);
    list.tests.sayHidden(app);
    countContradictions(app, client.contradictionOf(name), changes);
    return;
  }
  if (!input.all && order === undefined) {
    const page = await firstRows(list, input, app);
    const counted = list.isUnfiltered ? name : undefined;
    const contradiction = list.oversized() ?? client.contradictionOf(name);
    const { isUndecided } = list.tests;
    const known = { fault: list.fault(), changes, read: list.ids, counted, contradiction, isUndecided };
    await printPage(app, view, page, input, known);
    failNoMatch(page.data.length, filterState(list, list.fault()), input, app);
    list.tests.sayHidden(app);
    return;
  }
  const listing = readAll(list, order, input, app);
  const shown = rowsToShow(withMatches(listing, list), order, input);
  const fault = (): Fault | undefined => listing.fault() ?? list.fault();
  const isWhole = (): boolean =>
    shown.isAll() && fault() === undefined && twoHashesFault(changes) === undefined;
  let rows = 0;
  let withheld = 0;
  await app.printer.list(view, {
    rows: { pages: shown.pages },
    onPrinted: count,
    isAll: input.all,
    status: () => listStatus({ isCutShort: shown.total() === undefined, fault: fault(), withheld }),
    summary: () => ({
      rows,
      total: shown.total(),
      withheld: withheldInSummary(withheld, list.tests.isUndecided),
      has_more: !shown.isAll(),
      ...changedRows(changes),
      complete: isWhole() && !list.tests.isUndecided,
    }),
  });
  sayMore(rows, shown, app);
  list.tests.sayHidden(app);
  await noticeEmptyArchive(rows, app);
  countContradictions(app, client.contradictionOf(name), changes);
  const doubt = fault();
  failNoMatch(rows, filterState(list, doubt), input, app);
  if (doubt !== undefined) app.addFault(doubt);
  else if (app.strict && !isWhole())
    app.addFault(new Fault('partial', 'these are not all rows', { hint: commandForAll(app) }));
  sayWithheld({ rows, withheld }, app);

  function count(row: Row): void {
    rows += 1;
    if (isWithheld(row)) withheld += 1;
  }
}

/** Returns what {@link failNoMatch} must know of a list. */
export function filterState<Row extends { id: string }>(
  { isUnfiltered, tests }: FilteredList<Row>,
  doubt: Fault | undefined,
): ListedState {
  const isWhole = doubt === undefined;
  return {
    isUnfiltered,
    isKnown: isWhole && !tests.isUndecided,
    missing: isWhole ? tests.missing() : [],
  };
}

/** Returns all rows of a list. What it costs is said where that is for an order, or for tests that are made here. */
export function readAll<Row extends { id: string }>(
  list: FilteredList<Row>,
  order: Order<Row> | undefined,
  window: Window,
  app: App,
): ExactRows<Row> {
  const isCostly = order !== undefined || !list.tests.isEmpty;
  // Of an order, the limit is that of the rows that are shown.
  const listing = exactRowsOf(
    list,
    app,
    order === undefined ? window : {},
    isCostly ? list.sayCost : undefined,
  );
  const all = pages();
  return { ...listing, rows: rowsOf(all), pages: all };

  async function* pages(): AsyncGenerator<readonly Row[]> {
    try {
      for await (const page of listing.pages) yield page;
    } catch (error) {
      throw namingDates(error, window, app);
    }
  }
}

/** Yields the rows of a list that match, as they come in its pages; no page without any. */
export async function* withMatches<Row extends { id: string }>(
  { pages }: ExactRows<Row>,
  list: FilteredList<Row>,
): AsyncGenerator<readonly Row[]> {
  for await (const page of pages) {
    const matching = page.filter((row) => list.matches(row));
    if (matching.length > 0) yield matching;
  }
}

/** Reads the first rows that match. Throws as {@link FilteredList.firstMatches}. */
export async function firstRows<Row extends { id: string }>(
  list: FilteredList<Row>,
  window: Window,
  app: Pick<App, 'world'>,
): ReturnType<FilteredList<Row>['firstMatches']> {
  try {
    return await list.firstMatches(window);
  } catch (error) {
    throw namingDates(error, window, app);
  }
}

/** Returns the error. If a cursor is refused that is a date, its hint names the options for dates. */
function namingDates(error: unknown, { after, before }: Window, { world }: Pick<App, 'world'>): unknown {
  const isDate = (text = ''): boolean => typeof parsePeriod(text, world.now()) !== 'string';
  const dates = [
    ...(isDate(after) ? [`--since ${after}`] : []),
    ...(isDate(before) ? [`--until ${before}`] : []),
  ];
  if (!(error instanceof Fault) || !['usage', 'not_found'].includes(error.kind)) return error;
  const isOfCursor = error.detail.code === 'cursor_invalid' || error.detail.code === 'cursor_not_found';
  if (dates.length === 0 && !isOfCursor) return error;
  return new Fault(error.kind, error.message, {
    ...error.detail,
    hint:
      dates.length === 0
        ? '--after and --before take ids of rows of this list'
        : `--after and --before take ids; by date: ${dates.join(' ')}`,
  });
}

/** Says how more than the first rows of an order are shown; a JSON document says that there are more. */
export function sayMore(
  rows: number,
  shown: Pick<RowsToShow<unknown>, 'total' | 'isAll'>,
  app: Pick<App, 'notice' | 'printer' | 'world'>,
): void {
  const { output } = app.printer;
  const total = shown.total();
  if (total === undefined || shown.isAll() || !app.printer.mustNameNext()) return;
  const lead = output === 'table' ? '' : `${shownOf(rows, total)}; `;
  app.notice(`${lead}more: --limit COUNT; all rows: ${commandForAll(app)}`);
}
