// Decides from the answers to a few requests whether a service follows a cursor and in which order its pages stand.
import type { PageQuery } from '../walk/source.ts';
import type { DirectionSupport } from './list-capabilities.ts';

/** The answer to one request: ids, or undefined where the service refused it for reasons that may lie in the row. */
export type Answer = { query: PageQuery; ids: readonly string[] | undefined };

/**
 * What one page shows. `followed`: the rows that its cursors ask for. `ignored`: what the service gives without one of the
 * cursors. `swapped`: the rows on the other side of the cursor. `turned`: the rows on the other side, and new ones
 * before them: pages of a list whose rows stand in reverse in each page. `unclear`: none of these, a faulty page.
 */
export type Showing = 'followed' | 'ignored' | 'swapped' | 'turned' | 'unclear';

/** Share of rows that makes a page one of the kinds above. */
const MIN_SHARE_FOLLOWED = 0.5;
const MIN_SHARE_IGNORED = 0.8;
/** Pages of another kind than `followed` that decide against following. */
const MIN_CONTRARY_PAGES = 3;
/** Refused cursors that decide, where a refusal may be about the row. */
const MIN_REFUSALS = 3;

/** Assumed share of pages whose order is random. Drift above it is not expected. */
const RANDOM_ORDER_SHARE = 0.4;
/** Log-odds that one page adds at most, so that descending pages are recognised by two or more. */
const MAX_PAGE_LOG_ODDS = 4;
/** Log-odds that decide: an error in a hundred at most. */
const MIN_LOG_ODDS = Math.log(99);
/** Log-odds of ascending pages before any is seen, as documented (interface 4.7). They count where no page was faulty. */
const PRIOR_LOG_ODDS = 3.4;
/** Share of pairs that may stand against the order of a page of more than {@link MAX_EXACT_ROWS} rows. */
const MAX_PAIR_SHARE = 0.1;
const MAX_EXACT_ROWS = 5;

/** Returns what a page shows. `known`: the first rows of the list, in order; it holds the cursors of the query. */
export function showingOf(
  ids: readonly string[],
  { after, before, limit }: PageQuery,
  known: readonly string[],
): Showing {
  const left = after === undefined ? -1 : known.indexOf(after);
  const right = before === undefined ? known.length : known.indexOf(before);
  if ((after !== undefined && left < 0) || right < 0) return 'unclear';
  const isBackward = before !== undefined && after === undefined;
  const shown = new Set(ids);
  const expected = isBackward
    ? known.slice(Math.max(0, right - limit), right)
    : known.slice(left + 1, Math.min(right, left + 1 + limit));
  const outside = [...(after === undefined ? [] : known.slice(0, left + 1)), ...known.slice(right)];
  const nearest = isBackward ? expected.at(-1) : expected[0];
  const isOutside = outside.some((id) => shown.has(id));
  if (
    !isOutside &&
    (nearest === undefined || shown.has(nearest)) &&
    shareOf(expected, shown) >= MIN_SHARE_FOLLOWED
  )
    return 'followed';
  const rows = Math.min(limit, ids.length);
  const withoutOne = [
    known.slice(0, rows),
    ...(after !== undefined && before !== undefined
      ? [known.slice(left + 1, left + 1 + rows), known.slice(Math.max(0, right - rows), right)]
      : []),
  ];
  if (isBackward || shown.has(after ?? '') || shown.has(before ?? ''))
    return rows > 0 && withoutOne.some((page) => shareOf(page, shown) >= MIN_SHARE_IGNORED)
      ? 'ignored'
      : 'unclear';
  if (before !== undefined || left < 1) return 'unclear';
  const otherSide = known.slice(Math.max(0, left - limit), left);
  if (expected.some((id) => shown.has(id)) || shareOf(otherSide, shown) < MIN_SHARE_IGNORED) return 'unclear';
  return ids.every((id) => known.includes(id)) ? 'swapped' : 'turned';
}

/** What the answers to requests in one direction show; undefined: more are needed. */
export type Verdict = DirectionSupport | 'swapped' | 'turned';

/** How the answers of one direction are judged. */
export type VerdictOptions = {
  /** Its pages are ascending by definition (forward reads). */
  isOrderKnown: boolean;
  /** No answer of the service was faulty so far. */
  isClean: boolean;
  /** Of fewer known rows no page can show an order. */
  minRows: number;
  /** Pages that must follow the cursors. */
  minPages: number;
};

/** Returns what the answers show about a direction, undefined where they do not decide yet. */
export function verdictOf(
  answers: readonly Answer[],
  known: readonly string[],
  { isOrderKnown, isClean, minRows, minPages }: VerdictOptions,
): Verdict | undefined {
  const pages = answers.flatMap(({ query, ids }) => (ids === undefined ? [] : [{ query, ids }]));
  const count = { followed: 0, ignored: 0, swapped: 0, turned: 0, unclear: 0 };
  for (const { query, ids } of pages) count[showingOf(ids, query, known)]++;
  const { followed, ignored, swapped, turned } = count;
  for (const [kind, times] of [
    ['ignored', ignored],
    ['swapped', swapped],
    ['turned', turned],
  ] as const)
    if (times >= MIN_CONTRARY_PAGES && times > 2 * followed) return kind;
  if (followed === 0 && answers.length - pages.length >= MIN_REFUSALS) return 'refused';
  if (followed < minPages || followed <= ignored + swapped + turned) return undefined;
  return isOrderKnown
    ? 'ascending'
    : orderOf(pages, known, { isClean: isClean && count.unclear === 0, minRows });
}

/** Returns in which order the pages stand, undefined where they do not decide it. */
function orderOf(
  pages: readonly { ids: readonly string[] }[],
  known: readonly string[],
  { isClean, minRows }: { isClean: boolean; minRows: number },
): 'ascending' | 'descending' | undefined {
  const logOdds = pages.map(({ ids }) => orderLogOdds(ids, known));
  if (known.length < minRows) return 'ascending';
  const sum = logOdds.reduce(
    (total, each) => total + each,
    isClean && logOdds.every((each) => each >= 0) ? PRIOR_LOG_ODDS : 0,
  );
  if (sum >= MIN_LOG_ODDS) return 'ascending';
  return sum <= -MIN_LOG_ODDS ? 'descending' : undefined;
}

/** Returns the log-odds of a page for ascending order, negative for descending; 0 where it shows neither. */
export function orderLogOdds(ids: readonly string[], known: readonly string[]): number {
  const indexes = [...new Set(ids)].map((id) => known.indexOf(id)).filter((index) => index >= 0);
  const rows = indexes.length;
  if (rows < 2) return 0;
  let reversed = 0;
  for (let at = 0; at < rows; at++)
    for (let later = at + 1; later < rows; later++) if (indexes[at]! > indexes[later]!) reversed++;
  const share = reversed / ((rows * (rows - 1)) / 2);
  const allowed = rows <= MAX_EXACT_ROWS ? 0 : MAX_PAIR_SHARE;
  if (share > allowed && share < 1 - allowed) return 0;
  let orders = 1;
  for (let n = 2; n <= rows; n++) orders *= n;
  const byChance = RANDOM_ORDER_SHARE / orders;
  const logOdds = Math.min(MAX_PAGE_LOG_ODDS, Math.log((1 - RANDOM_ORDER_SHARE + byChance) / byChance));
  return share <= allowed ? logOdds : -logOdds;
}

function shareOf(ids: readonly string[], shown: ReadonlySet<string>): number {
  return ids.length === 0 ? 1 : ids.filter((id) => shown.has(id)).length / ids.length;
}
