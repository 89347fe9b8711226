// The ways a reading window can lie (interface 4.7 rule 3), each a pure rewrite of one true page.
import { directionOf } from '../../contract/window.ts';
import { between, randomFrom, shuffled, type Random } from './seeded-random.ts';

/** A window as the true reader takes it; `limit` may exceed the public maximum. */
export type DriftWindow = { starting_after?: string; ending_before?: string; limit: number };
export type DriftPage<Row> = { rows: Row[]; has_more: boolean };

/** A row, and the conversation it is part of where it names one: a snapshot has both or neither. */
export type DriftRow = { id: string; conversation_id?: string | null | undefined };

/** The list as it is: its windows, and its last rows in ascending order. */
export type TrueList<Row> = {
  read(window: DriftWindow): Promise<DriftPage<Row>>;
  newest(limit: number): Promise<Row[]>;
};

/** One faulty read. `state` names the snapshot of a stale answer: reads that share it collude. */
export type Case<Row> = {
  list: TrueList<Row>;
  window: DriftWindow;
  truth: DriftPage<Row>;
  random: Random;
  state: string;
};
export type Distortion = <Row extends DriftRow>(given: Case<Row>) => Promise<DriftPage<Row>>;

/** Most rows by which a window or its border is displaced, or that a permutation touches. */
export const MARGIN = 8;
/** Share of rows that a stale state does not know yet, besides the newest ones. */
const UNKNOWN_SHARE = 1 / 32;

/** The window starts, and where it is closed ends, k rows late or early. */
export const shift: Distortion = async (given) => {
  const { random, window, truth, list } = given;
  const k = between(random, 1, MARGIN);
  // Behind the last row there is nothing to be late for.
  if (truth.rows.length === 0) {
    if (window.ending_before !== undefined) return truth;
    return { rows: (await list.newest(k)).slice(-window.limit), has_more: false };
  }
  const around = await surroundings(given);
  const early = Math.min(k, around.earlier.length);
  const late = Math.min(k, around.later.length + truth.rows.length - 1);
  const by = early === 0 || (late > 0 && random() < 0.5) ? late : -early;
  const all = [...around.earlier, ...truth.rows, ...around.later];
  const start = around.earlier.length + by;
  const end = start + truth.rows.length;
  const backward = directionOf(window) === 'backward';
  const from = backward ? Math.max(end - window.limit, 0) : start;
  const to = window.ending_before === undefined ? start + window.limit : end;
  return {
    rows: all.slice(from, to),
    has_more: backward ? from > 0 || around.more_earlier : to < all.length || around.more_later,
  };
};

/** The page ends short, or runs over a closed window's end; has_more is wrong half of the time, or alone. */
export const boundary: Distortion = async ({ random, window, truth, list }) => {
  if (random() < 0.3) return { rows: truth.rows, has_more: !truth.has_more };
  const has_more = random() < 0.5 ? truth.has_more : !truth.has_more;
  const room = window.limit - truth.rows.length;
  const closed = window.starting_after !== undefined && window.ending_before !== undefined;
  if (closed && room > 0 && random() < 0.5) {
    const over = between(random, 1, Math.min(room, MARGIN));
    const beyond = await list.read({
      starting_after: truth.rows.at(-1)?.id ?? window.starting_after!,
      limit: over,
    });
    return { rows: [...truth.rows, ...beyond.rows], has_more };
  }
  const short = Math.min(between(random, 1, MARGIN), truth.rows.length - 1);
  return { rows: kept(truth.rows, truth.rows.length - short, window), has_more };
};

/** ending_before is answered with the segment behind that cursor. */
export const later: Distortion = async ({ list, window, truth }) =>
  window.ending_before === undefined
    ? truth
    : list.read({ starting_after: window.ending_before, limit: window.limit });

/** A stretch of up to eight rows comes in another order. */
export const permute: Distortion = async ({ truth, random }) => {
  const length = Math.min(between(random, 2, MARGIN), truth.rows.length);
  const at = between(random, 0, truth.rows.length - length);
  const stretch = shuffled(random, truth.rows.slice(at, at + length));
  return { ...truth, rows: truth.rows.toSpliced(at, length, ...stretch) };
};

/** All rows of the page come in another order. */
export const scramble: Distortion = async ({ truth, random }) => ({
  ...truth,
  rows: shuffled(random, truth.rows),
});

/** One row is left out; half of the time the next one fills the page, so that its length does not tell. */
export const missing: Distortion = async ({ list, window, truth, random }) => {
  if (truth.rows.length === 0) return truth;
  const source = random() < 0.5 ? await list.read({ ...window, limit: window.limit + 1 }) : truth;
  const offset = directionOf(window) === 'backward' ? source.rows.length - truth.rows.length : 0;
  const rows = source.rows.toSpliced(offset + between(random, 0, truth.rows.length - 1), 1);
  return { rows, has_more: source.has_more };
};

/** One row comes twice; a full page gives up the row at its far end for it. */
export const dup: Distortion = async ({ window, truth, random }) => {
  const { rows, has_more } = truth;
  if (rows.length === 0) return truth;
  const row = rows[between(random, 0, rows.length - 1)]!;
  return cut({ rows: rows.toSpliced(between(random, 0, rows.length), 0, row), has_more }, window);
};

/**
 * An earlier snapshot: some rows and the newest ones are not there yet, the same ones for all reads of one state. A
 * conversation is missing with its messages, so that lists which show the same rows agree.
 */
export const stale: Distortion = async ({ list, window, state }) => {
  const wide = await list.read({ ...window, limit: window.limit + Math.ceil(window.limit / 16) + MARGIN });
  const newest = await list.newest(between(randomFrom(state), 1, MARGIN));
  const unborn = new Set(newest.map(({ id }) => id));
  const rows = wide.rows.filter(
    ({ id, conversation_id }) =>
      !unborn.has(id) && randomFrom(`${state}/${conversation_id ?? id}`)() >= UNKNOWN_SHARE,
  );
  return cut({ rows, has_more: wide.has_more }, window);
};

/** At most `limit` rows of a page, from the end at which its direction starts. */
function cut<Row>({ rows, has_more }: DriftPage<Row>, window: DriftWindow): DriftPage<Row> {
  const fits = rows.length <= window.limit;
  return { rows: fits ? rows : kept(rows, window.limit, window), has_more: has_more || !fits };
}

/** The first `count` rows in the direction of the window. */
function kept<Row>(rows: Row[], count: number, window: DriftWindow): Row[] {
  return directionOf(window) === 'backward'
    ? rows.slice(Math.max(rows.length - count, 0))
    : rows.slice(0, count);
}

/** The true rows around a page that has some. */
async function surroundings<Row extends DriftRow>({ list, truth }: Case<Row>) {
  const before = await list.read({ ending_before: truth.rows[0]!.id, limit: MARGIN });
  const after = await list.read({ starting_after: truth.rows.at(-1)!.id, limit: MARGIN });
  return {
    earlier: before.rows,
    later: after.rows,
    more_earlier: before.has_more,
    more_later: after.has_more,
  };
}
