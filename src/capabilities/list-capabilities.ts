// What is found out about a list before it is read: the type that walks, exact lists and `arx doctor` share.
import type { Direction } from '../walk/source.ts';

/**
 * What a service does with a direction. `ascending`, `descending`: it follows the cursors, and its pages stand in the order of
 * the list or in reverse. `ignored`: it answers as if a cursor were absent. `refused`: it answers with an error.
 * `undecided`: the answers contradict each other. `untested`: the list is empty, or the direction was not asked for.
 */
export type DirectionSupport = 'ascending' | 'descending' | 'ignored' | 'refused' | 'undecided' | 'untested';

/** What a few requests showed about one list. */
export type ListCapabilities = {
  directions: Record<Direction, DirectionSupport>;
  /** Whether `after` and `before` have each other's meaning, as where a list shows its newest rows first and `after` means newer. */
  swapped: boolean;
  /** Whether it follows no cursor and each of several pages says that it is the whole list. */
  whole: boolean;
  limit: {
    /** Rows that were wanted, and the most that the service accepts of that: it refused any larger limit that was tried. */
    wanted: number;
    accepted: number;
    /** Rows of the largest first page. */
    given: number;
    /** Rows that a page can have: `given` where the service cuts larger pages, else `accepted`. */
    largest: number;
  };
  /** Requests that this took. */
  requests: number;
};

/** Returns the directions in which the list can be read: of a whole list all. None: it follows no cursor. */
export function supportedDirections({ directions, whole }: ListCapabilities): Set<Direction> {
  if (whole) return new Set(['forward', 'backward', 'closed']);
  const { forward, backward, closed } = directions;
  // Contradicting answers to forward reads are faulty pages: a service without cursors always gives the same page.
  if (!isFollowed(forward) && forward !== 'undecided') return new Set();
  return new Set<Direction>([
    'forward',
    ...(isFollowed(backward) ? (['backward'] as const) : []),
    ...(isFollowed(closed) ? (['closed'] as const) : []),
  ]);
}

function isFollowed(support: DirectionSupport): boolean {
  return support === 'ascending' || support === 'descending' || support === 'untested';
}

/** Returns the lines of `-v` about what differs from the documented interface. */
export function capabilityLines({ directions, swapped, whole, limit }: ListCapabilities): string[] {
  const turned = Object.entries(directions).filter(([, support]) => support === 'descending');
  return [
    ...(limit.accepted < limit.wanted
      ? [`the service refuses pages of ${limit.wanted} rows: asked for ${limit.accepted} instead`]
      : []),
    ...(limit.largest < limit.accepted
      ? [`the service gives at most ${limit.largest} rows in one page`]
      : []),
    ...(whole ? ['the service follows no cursors and always gives the whole list: cut into pages here'] : []),
    ...(swapped ? ["the cursors have each other's meaning: exchanged"] : []),
    ...turned.map(([direction]) => `${direction} pages stand in descending order: turned`),
  ];
}
