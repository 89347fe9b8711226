// Pages that break the rules which even a drifting list keeps: no honest service sends them, a client must survive them.
import { directionOf } from '../../contract/window.ts';
import { between } from './seeded-random.ts';
import { MARGIN, type Distortion } from './page-faults.ts';

/** No rows, and yet more to come. */
export const empty: Distortion = async () => ({ rows: [], has_more: true });

/** The page ends where its cursor began: who goes on from its last row reads it again, for ever. */
export const loop: Distortion = async ({ list, window, truth }) => {
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

/** More rows than were asked for, where the list has more. */
export const oversize: Distortion = async ({ list, window, random }) =>
  list.read({ ...window, limit: window.limit + between(random, 1, MARGIN) });
