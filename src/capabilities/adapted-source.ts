// Views of a list for the walk: cursors swapped, descending pages turned, page sizes that the service accepts.
import { directionOf } from '../walk/evidence/read.ts';
import type { Direction, Identified, Source } from '../walk/source.ts';
import { supportedDirections, type ListCapabilities } from './list-capabilities.ts';

/** Returns the list as a walk can read it: all its pages stand in the order of the list. */
export function adaptSource<Row extends Identified>(
  source: Source<Row>,
  capabilities: ListCapabilities,
): Source<Row> & { directions: ReadonlySet<Direction> } {
  const { swapped, limit } = capabilities;
  const entries = Object.entries(capabilities.directions) as [Direction, string][];
  const descending = new Set(
    entries.filter(([, support]) => support === 'descending').map(([direction]) => direction),
  );
  const following = swapped ? withSwappedCursors(source) : source;
  const { page } = descending.size === 0 ? following : withTurnedPages(following, descending);
  return {
    ...source,
    directions: supportedDirections(capabilities),
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
