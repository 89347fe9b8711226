// Page faults that break the rules which even a drifting list keeps. A client must survive them.
import { directionOf } from '../../contract/window.ts';
import { MAX_DISPLACED_ROWS, type PageFault } from './page-faults.ts';
import { randomInteger } from './seeded-random.ts';

/** Returns no rows and says that there are more. */
export const empty: PageFault = async () => ({ rows: [], has_more: true });

/** Returns a page that ends where its cursor began: a client that goes on from its last row reads it again, for ever. */
export const loop: PageFault = async ({ list, window, truth }) => {
  const backward = directionOf(window) === 'backward';
  const [first, last] = [truth.rows[0]?.id, truth.rows.at(-1)?.id];
  const { limit } = window;
  const back = backward
    ? last === undefined
      ? []
      : (await list.read({ starting_after: last, limit })).rows
    : first === undefined
      ? await list.newest(limit)
      : (await list.read({ ending_before: first, limit })).rows;
  return { rows: back.length === 0 ? truth.rows : back, has_more: true };
};

/** Returns more rows than requested, where the list has more. */
export const oversize: PageFault = async ({ list, window, random }) =>
  list.read({ ...window, limit: window.limit + randomInteger(random, 1, MAX_DISPLACED_ROWS) });
