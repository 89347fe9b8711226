// Views of a list for the walk: cursors swapped, descending pages turned, page sizes that the service accepts.
import { Fault } from '../faults.ts';
import { directionOf } from '../walk/evidence/read.ts';
import type { Direction, Identified, Source } from '../walk/source.ts';
import { supportedDirections, type ListCapabilities } from './list-capabilities.ts';

/** Returns the list as a walk can read it: all its pages stand in the order of the list. */
export function adaptSource<Row extends Identified>(
  source: Source<Row>,
  capabilities: ListCapabilities,
): Source<Row> & { directions: ReadonlySet<Direction> } {
  const { swapped, limit, whole } = capabilities;
  const directions = supportedDirections(capabilities);
  if (whole) return { ...withLocalCursors(source, limit), directions };
  const entries = Object.entries(capabilities.directions) as [Direction, string][];
  const descending = new Set(
    entries.filter(([, support]) => support === 'descending').map(([direction]) => direction),
  );
  const following = swapped ? withSwappedCursors(source) : source;
  const { page } = descending.size === 0 ? following : withTurnedPages(following, descending);
  return {
    ...source,
    directions,
    page: (query, signal) => page({ ...query, limit: Math.min(query.limit, limit.largest) }, signal),
  };
}

/** Returns the list with `after` and `before` exchanged. */
export function withSwappedCursors<Row extends Identified>(source: Source<Row>): Source<Row> {
  return {
    ...source,
    page: ({ after, before, limit }, signal) =>
      source.page(
        {
          ...(before === undefined ? {} : { after: before }),
          ...(after === undefined ? {} : { before: after }),
          limit,
        },
        signal,
      ),
  };
}

/** Pages after a cursor that begin with its row, of all such pages, that show that cursors are inclusive. */
const MIN_INCLUSIVE_PAGES = 2;

/** Returns the list, and whether all its pages after a cursor so far began with the row of the cursor. */
export function watchCursors<Row extends Identified>(
  source: Source<Row>,
): { source: Source<Row>; areInclusive(): boolean } {
  let inclusive = 0;
  let others = 0;
  const page: Source<Row>['page'] = async (query, signal) => {
    const answer = await source.page(query, signal);
    const [first] = answer.rows;
    if (query.after === undefined || first === undefined) return answer;
    if (first.id === query.after) inclusive += 1;
    else others += 1;
    return answer;
  };
  return {
    source: { ...source, page },
    areInclusive: () => others === 0 && inclusive >= MIN_INCLUSIVE_PAGES,
  };
}

/** Returns the list without the rows of the cursors, of which it asks for one row more. */
export function withExclusiveCursors<Row extends Identified>(source: Source<Row>): Source<Row> {
  return {
    ...source,
    async page(query, signal) {
      const { after, before, limit } = query;
      if (after === undefined && before === undefined) return source.page(query, signal);
      const page = await source.page({ ...query, limit: limit + 1 }, signal);
      const rows = page.rows.filter(({ id }) => id !== after && id !== before);
      const cut = after === undefined ? rows.slice(-limit) : rows.slice(0, limit);
      return { ...page, rows: cut, ...(cut.length < rows.length ? { has_more: true } : {}) };
    },
  };
}

/** Returns the list with the rows of each page in these directions in reverse. */
export function withTurnedPages<Row extends Identified>(
  source: Source<Row>,
  directions: ReadonlySet<Direction>,
): Source<Row> {
  return {
    ...source,
    async page(query, signal) {
      const page = await source.page(query, signal);
      return directions.has(directionOf(query)) ? { ...page, rows: page.rows.toReversed() } : page;
    },
  };
}

/** Reads of the whole list in which a cursor is looked for before it counts as gone: any answer may lack a row. */
const MAX_READS_FOR_CURSOR = 4;

/**
 * Returns a list of which every answer is the whole list, with pages that are cut out of an answer. Each page is a request of its own,
 * so that pages are independent evidence; the page size differs from one to the next, as far as the list leaves room. Throws
 * Fault 'not_found' where several answers lack a cursor. Cursors in the wrong order give an empty page that says there is more:
 * the order of one answer proves nothing.
 */
export function withLocalCursors<Row extends Identified>(
  source: Source<Row>,
  { accepted, given }: Pick<ListCapabilities['limit'], 'accepted' | 'given'>,
): Source<Row> {
  // A service that gives more rows than were asked for ignores the page size.
  const sizes = given > accepted ? accepted : Math.max(1, accepted - given);
  let reads = 0;
  return {
    ...source,
    async page({ after, before, limit }, signal) {
      for (let tried = 0; tried < MAX_READS_FOR_CURSOR; tried++) {
        const whole = await source.page({ limit: accepted - (reads++ % sizes) }, signal);
        const ids = whole.rows.map(({ id }) => id);
        const from = after === undefined ? 0 : ids.indexOf(after) + 1;
        const to = before === undefined ? ids.length : ids.indexOf(before);
        if ((after !== undefined && from === 0) || to < 0) continue;
        const drift = whole.drift_ratio === undefined ? {} : { drift_ratio: whole.drift_ratio };
        if (from > to) return { rows: [], has_more: true, ...drift };
        const isBackward = before !== undefined && after === undefined;
        const rows = whole.rows.slice(from, to);
        const isCut = rows.length > limit || (before === undefined && whole.has_more === true);
        return { rows: isBackward ? rows.slice(-limit) : rows.slice(0, limit), has_more: isCut, ...drift };
      }
      throw new Fault('not_found', `no row ${[after, before].filter((id) => id !== undefined).join(' or ')}`);
    },
  };
}
