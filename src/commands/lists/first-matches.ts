// Reads on in a list until enough rows match, or until its end.
import { Fault } from '../../faults.ts';
import type { Progress } from '../../format/terminal/progress.ts';
import { formatCount, plural } from '../../format/numbers.ts';
import { StatedTotals, type Stated } from './contradictions.ts';
import type { Window } from '../shared/input.ts';

/** A longer list is taken to be endless. Every id is remembered, so this bounds the memory. */
const MAX_ROWS = 10_000_000;

type Row = { id: string };
type Page<R> = Stated & { data: R[]; has_more?: boolean | undefined };

/** What is looked for, and how pages are read. */
export type Search<R extends Row> = {
  /** The first page was read with this window. */
  window: Window;
  first: Page<R>;
  /** How many rows are wanted. */
  limit: number;
  /** Reads a page. Returns undefined where the service refuses the window. */
  read(window: Window): Promise<Page<R> | undefined>;
  /** Called once for each row, in the order in which the pages have them. */
  matches(row: R): boolean;
  progress: Progress;
};

/**
 * `rows`: the wanted rows that match, or fewer where the list ends. `has_more`: whether more rows match; undefined where the
 * service does not go on, so that this cannot be told. `seen` rows of `pages` pages were looked at.
 */
export type Matches<R> = { rows: R[]; has_more: boolean | undefined; seen: number; pages: number };

/**
 * Returns the first matching rows of a window, or the last ones before its end where it has no beginning. Throws Fault
 * `unstable` for a list without an end, and what `read` throws.
 */
export async function firstMatches<R extends Row>(search: Search<R>): Promise<Matches<R>> {
  const { window, first, limit, read, matches, progress } = search;
  const isBackward = window.before !== undefined && window.after === undefined;
  /** Whether each page begins with the row nearest to the cursor. */
  let isDescending = false;
  const seen = new Set(first.data.map(({ id }) => id));
  let found = first.data.filter(matches);
  let page = first;
  let pages = 1;
  const totals = new StatedTotals();
  totals.add(first, window.limit);
  let has_more: boolean | undefined = false;
  /** Returns whether the list is seen to go on after another row. Some services give an empty page for a cursor that they do not know. */
  const isFollowed = async (): Promise<boolean> => {
    const rows = isBackward ? first.data : first.data.toReversed();
    const [edge, next] = isDescending ? rows.toReversed() : rows;
    if (edge === undefined || next === undefined) return false;
    const cursor = isBackward ? { before: next.id } : { after: next.id, ...beforeOf(window) };
    return (await read(cursor))?.data.some(({ id }) => id === edge.id) ?? false;
  };
  while (found.length <= limit) {
    const edge = (isBackward && !isDescending ? page.data[0] : page.data.at(-1))?.id;
    if (page.has_more === false || edge === undefined) {
      const isProved =
        page.has_more !== true && (pages !== 2 || page.has_more === false || (await isFollowed()));
      if (!isProved) has_more = undefined;
      break;
    }
    const following = await read(isBackward ? { before: edge } : { after: edge, ...beforeOf(window) });
    pages += 1;
    const fresh = following?.data.filter(({ id }) => !seen.has(id)) ?? [];
    const isRepeated = following !== undefined && fresh.length < following.data.length;
    if (isBackward && !isDescending && pages === 2 && isRepeated) {
      isDescending = true;
      continue;
    }
    if (following === undefined || (isRepeated && fresh.length === 0)) {
      has_more = undefined;
      break;
    }
    page = following;
    for (const { id } of fresh) seen.add(id);
    totals.add(page, undefined);
    const growth =
      seen.size > MAX_ROWS ? `it goes on after ${formatCount(MAX_ROWS)} rows` : totals.endless(seen.size);
    if (growth !== undefined) throw new Fault('unstable', `the list grows while it is read: ${growth}`);
    const matching = fresh.filter(matches);
    found = isBackward && !isDescending ? [...matching, ...found] : [...found, ...matching];
    progress.update({ label: `${plural(found.length, 'row')} found among`, done: seen.size, unit: 'rows' });
  }
  const rows = isBackward && !isDescending ? found.slice(-limit) : found.slice(0, limit);
  return { rows, has_more: found.length > limit ? true : has_more, seen: seen.size, pages };
}

function beforeOf({ before }: Window): Window {
  return before === undefined ? {} : { before };
}
