// Prints one page of a list, with its completeness in the summary.
import type { App } from '../../app.ts';
import { UNSUPPORTED_STATUS } from '../../capabilities/unsupported-status.ts';
import { readSizedPage } from '../../capabilities/page-limit.ts';
import type { ListName } from '../../client/index.ts';
import type { RowChanges } from '../../client/remembered-rows.ts';
import { safeText } from '../../client/safe-text.ts';
import { NEXT_CURSOR, PAGED_BY, STATED_TOTAL } from '../../client/shapes/page-facts.ts';
import type { ListGuess } from '../../client/shapes/list-guess.ts';
import {
  changedRows,
  countContradictions,
  StatedTotals,
  twoHashesFault,
  type Stated,
} from './contradictions.ts';
import { countsOf, noticeEmptyArchive } from './archive-counts.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import type { View } from '../../format/views/view.ts';
import { commandAgain, commandForAll, optionWords } from '../shared/command-again.ts';
import { withoutUndefined, type Window } from '../shared/input.ts';
import { isWithheld, sayWithheld, withheldInSummary } from './withheld-rows.ts';

/** The window of a page; `all` is absent where the command has no `--all`. */
type PageWindow = Window & { all?: boolean };

/** Reads the ids of a page. */
type ReadIds = (window: Window) => Promise<string[]>;

/** A page of a list. */
export type Page<Row> = Stated & {
  [NEXT_CURSOR]?: string | undefined;
  [PAGED_BY]?: string | undefined;
  data: Row[];
  status?: string | undefined;
  has_more?: boolean | undefined;
  drift_ratio?: number | undefined;
};

/**
 * Prints a page. `complete` is true only where the page is the whole list and the service says so. `fault` says why rows may
 * be missing or wrong; it is counted in `app`. `changes` are rows with other content in another answer.
 */
export async function printPage<Row extends { id: string }>(
  app: App,
  view: View<Row>,
  page: Page<Row>,
  window: PageWindow,
  {
    fault,
    changes,
    read,
    counted,
    contradiction: stated,
    isUndecided = false,
  }: {
    fault?: Fault | undefined;
    changes: RowChanges;
    read: ReadIds;
    /** The list that the page is of, where it is all of that list. */
    counted?: ListName | undefined;
    /** How the service contradicted the request. */
    contradiction?: string | undefined;
    /** More rows may match, which is said elsewhere. */
    isUndecided?: boolean;
  },
): Promise<void> {
  const { status, has_more, drift_ratio } = page;
  const isFromEndToEnd = window.after === undefined && window.before === undefined;
  const isWhole = has_more === false && isFromEndToEnd;
  const contradiction = totalContradiction(page, window);
  const repeated = repeatedRows(page.data);
  const isDoubted =
    isDrifting(page) ||
    contradiction?.isMissing === true ||
    repeated !== undefined ||
    twoHashesFault(changes) !== undefined;
  const complete = isWhole && fault === undefined && !isDoubted;
  const total = await totalOf(app, page, window, counted);
  const withheld = page.data.filter(isWithheld).length;
  await app.printer.list(view, {
    status,
    rows: page.data,
    summary: () => ({
      rows: page.data.length,
      total,
      withheld: withheldInSummary(withheld, isUndecided),
      has_more: has_more ?? null,
      drift_ratio: drift_ratio ?? null,
      ...changedRows(changes),
      complete: complete && !isUndecided,
    }),
  });
  noticeDrift(app, page, window);
  if (repeated !== undefined) app.notice(repeated);
  await noticeMore(app, page, window, read);
  await noticeEmptyArchive(page.data.length, app);
  countContradictions(app, contradiction?.text ?? stated, changes);
  if (fault !== undefined) app.addFault(fault);
  else if (app.strict && !complete) app.addFault(new Fault('partial', 'the page is not the whole list'));
  sayWithheld({ rows: page.data.length, withheld }, app);
}

/** Returns whether the service says that the rows of a page may be wrong. */
export function isDrifting({ drift_ratio = 0 }: Pick<Page<unknown>, 'drift_ratio'>): boolean {
  return drift_ratio > 0;
}

/**
 * Says what the drift of a page means, and which command lists all rows, where the command has `--all`; a JSON document says the
 * drift itself.
 */
export function noticeDrift(
  app: Pick<App, 'notice' | 'printer' | 'world'>,
  page: Pick<Page<unknown>, 'drift_ratio'>,
  { all }: PageWindow,
): void {
  if (!isDrifting(page) || !app.printer.mustSayDoubts()) return;
  const text = `drift ratio ${page.drift_ratio}: rows may be missing, repeated or in another order`;
  app.notice(all === undefined ? text : `${text}; exact: ${commandForAll(app)}`);
}

/** Returns what is said where a page has a row more than once: a page has a size, so another row may not be on it. */
export function repeatedRows(rows: readonly { id: string }[]): string | undefined {
  const again = rows.length - new Set(rows.map(({ id }) => id)).size;
  return again === 0 ? undefined : `the page has ${plural(again, 'row')} twice: others may be missing`;
}

/**
 * Returns how many rows the list has, where that is known: the page is all of it, or the service states a number that can be
 * right. `counted`: the list, where the local archive may be asked for its number of rows.
 */
export async function totalOf(
  app: Pick<App, 'client' | 'isRemote' | 'log' | 'openArchive' | 'printer'>,
  page: Stated & { data: readonly unknown[]; has_more?: boolean | undefined },
  { after, before }: Window,
  counted: ListName | undefined,
): Promise<number | undefined> {
  const { length } = page.data;
  if (page.has_more === false && after === undefined && before === undefined) return length;
  const isAsked = counted !== undefined && !app.isRemote && hasSummary(app.printer.output);
  const total = page[STATED_TOTAL] ?? (isAsked ? (await countsOf(app))[counted] : undefined);
  return total !== undefined && total >= length ? total : undefined;
}

/** Returns how the number of rows that a page states contradicts its rows. */
export function totalContradiction(
  page: Stated & { data: readonly unknown[]; has_more?: boolean | undefined },
  { after, before, limit }: Window,
): { text: string; isMissing: boolean } | undefined {
  const totals = new StatedTotals();
  totals.add(page, limit);
  const isWhole = page.has_more === false && after === undefined && before === undefined;
  return totals.contradiction(page.data.length, isWhole);
}

/**
 * Says with which commands a page goes on; a JSON document says it itself. A page without rows that are said to go on is a Fault of
 * the run: there is no cursor to go on from. `read` reads the ids of a page: where the service names
 * another cursor than the last id, it is tried which of them it follows.
 */
export async function noticeMore<Row extends { id: string }>(
  app: Pick<App, 'notice' | 'printer' | 'addFault' | 'world'>,
  page: Page<Row>,
  { after, before, all: isAll }: PageWindow,
  read: ReadIds,
): Promise<void> {
  const { data, has_more } = page;
  if (has_more === true && data.length === 0) {
    const text = 'the page has no rows, and the service says that more follow';
    if (page[NEXT_CURSOR] === undefined) app.addFault(new Fault('protocol', text));
    else app.notice(text);
  }
  const { output } = app.printer;
  if (has_more === false || !app.printer.mustNameNext()) return;
  const isBackward = before !== undefined && after === undefined;
  const edge = isBackward ? data[0] : data.at(-1);
  if (edge === undefined) return;
  const words = has_more === true ? 'more rows follow' : 'the service does not say whether more rows follow';
  const sayBoth = (first: string): void => {
    if (isAll === undefined) return app.notice(output === 'table' ? first : `${words}; ${first}`);
    const all = `all rows: ${commandForAll(app)}`;
    if (output !== 'table') return app.notice(`${words}; ${first}; ${all}`);
    // The last line of a table says the words. Each command has a line, which more screens have room for.
    app.notice(first);
    app.notice(all);
  };
  const say = (cursor: string): void => {
    const range = after === undefined || before === undefined ? [] : optionWords('--before', before);
    const more = isBackward ? optionWords('--before', cursor) : [...optionWords('--after', cursor), ...range];
    const next = commandAgain(app, { without: ['--after', '--before'], more });
    sayBoth(`next page: ${next}`);
  };
  const follows = async (cursor: string): Promise<boolean> => {
    const next = await read(withoutUndefined({ after: cursor, before, limit: 1 })).catch(refusedAsNone);
    return next.length > 0 && !data.some(({ id }) => id === next[0]);
  };
  const named = page[NEXT_CURSOR];
  const pagedBy = page[PAGED_BY];
  if (pagedBy !== undefined && named === undefined && !isBackward && !(await follows(edge.id))) {
    const parameter = safeText(pagedBy, 40);
    const other = `the service pages by ${parameter}, and no command sends that`;
    return app.notice(
      ({ arx }) => `${words}; ${other}: a larger --limit may show more, and ${arx} api PATH reads any page`,
    );
  }
  if (isBackward || named === undefined || named === edge.id) return say(edge.id);
  for (const cursor of [edge.id, named]) {
    if (await follows(cursor)) return say(safeText(cursor, 1000));
  }
  sayBoth('a larger --limit shows more');
}

/** Takes a refusal for a page without rows. */
function refusedAsNone(error: unknown): string[] {
  if (error instanceof Fault && UNSUPPORTED_STATUS.has(error.detail.status ?? 0)) return [];
  throw error;
}

/** Returns whether a form of output shows the summary of a list. */
function hasSummary(output: App['printer']['output']): boolean {
  return output === 'table' || output === 'json';
}

/**
 * Reads a page of the size that the user asked for, or of the largest that the service accepts: `limit`, undefined where the user
 * named no size. Says where a size is lowered. Throws what `read` throws.
 */
export async function readAcceptedPage<Answer extends object>(
  read: (limit: number | undefined) => Promise<Answer>,
  wanted: number | undefined,
  app: Pick<App, 'notice'>,
): Promise<{ page: Answer; limit: number | undefined }> {
  if (wanted === undefined) return { page: await read(undefined), limit: undefined };
  const { page, limit } = await readSizedPage(read, wanted);
  if (limit < wanted) app.notice(`the service refuses pages of ${wanted} rows: read in pages of ${limit}`);
  return { page, limit };
}

/** Returns how a service pages instead, as an insertion; empty where it does not say. */
export function pagingWords(guess: Pick<ListGuess, 'pagedBy'> | undefined): string {
  return guess?.pagedBy === undefined ? '' : `, pages by ${safeText(guess.pagedBy, 40)},`;
}

/** Prints the number of rows, alone or, in JSON, as a record with what is known of it. */
export async function printTotal(
  counted: { total: number; [known: string]: unknown },
  { printer, wantsJson }: App,
): Promise<void> {
  if (wantsJson || printer.output === 'csv')
    await printer.record({ columns: [{ name: 'total', of: ({ total }) => total }] }, counted);
  else await printer.text(String(counted.total));
}
