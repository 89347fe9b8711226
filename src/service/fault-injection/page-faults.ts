// The faults of a drifting list (interface 4.7), each a pure function of one true page.
import { directionOf } from '../../contract/window.ts';
import type { ListPage, ListRow, ListWindow } from '../handlers/list-source.ts';
import { randomInteger, seededRandom, shuffled, type Random } from './seeded-random.ts';

/** A list without faults. */
export type TrueList<Row> = {
  read(window: ListWindow): Promise<ListPage<Row>>;
  /** Returns the last rows of the list, in ascending order. */
  newest(limit: number): Promise<Row[]>;
  /** Reads the list together with the removed rows that a snapshot still has. Without it no row was removed. */
  readSnapshot?(state: string, window: ListWindow): Promise<ListPage<Row>>;
};

/** One faulty read. `state` names the snapshot of a stale answer: reads with the same state agree. */
export type FaultyRead<Row> = {
  list: TrueList<Row>;
  window: ListWindow;
  truth: ListPage<Row>;
  random: Random;
  state: string;
};

/** Returns the faulty page of a read. */
export type PageFault = <Row extends ListRow>(read: FaultyRead<Row>) => Promise<ListPage<Row>>;

/** Rows by which a window or its border is displaced at most, and rows that a permutation touches at most. */
export const MAX_DISPLACED_ROWS = 8;
/** Share of rows that a stale state lacks besides the newest ones. */
const STALE_MISSING_SHARE = 1 / 32;
/** Rows that are read at once to count what stands before a page. */
const COUNTED_ROWS = 1000;

/** Returns the window k rows late or early: its start, and its end where it has one. */
export const shift: PageFault = async (read) => {
  const { random, window, truth, list } = read;
  const k = randomInteger(random, 1, MAX_DISPLACED_ROWS);
  // An empty window at the end of the list cannot be late, only early.
  if (truth.rows.length === 0) {
    if (window.ending_before !== undefined) return truth;
    return { rows: (await list.newest(k)).slice(-window.limit), has_more: false };
  }
  const around = await rowsAround(read);
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
    has_more: backward ? from > 0 || around.hasMoreEarlier : to < all.length || around.hasMoreLater,
  };
};

/** Returns a page that ends early, or runs over the end of a closed window. has_more is wrong half of the time, or alone. */
export const boundary: PageFault = async ({ random, window, truth, list }) => {
  if (random() < 0.3) return { rows: truth.rows, has_more: !truth.has_more };
  const has_more = random() < 0.5 ? truth.has_more : !truth.has_more;
  const room = window.limit - truth.rows.length;
  const closed = window.starting_after !== undefined && window.ending_before !== undefined;
  if (closed && room > 0 && random() < 0.5) {
    const over = randomInteger(random, 1, Math.min(room, MAX_DISPLACED_ROWS));
    const beyond = await list.read({
      starting_after: truth.rows.at(-1)?.id ?? window.starting_after!,
      limit: over,
    });
    return { rows: [...truth.rows, ...beyond.rows], has_more };
  }
  const short = Math.min(randomInteger(random, 1, MAX_DISPLACED_ROWS), truth.rows.length - 1);
  return { rows: firstRows(truth.rows, truth.rows.length - short, window), has_more };
};

/** Returns the rows after the `ending_before` cursor instead of those before it. */
export const later: PageFault = async ({ list, window, truth }) =>
  window.ending_before === undefined
    ? truth
    : list.read({ starting_after: window.ending_before, limit: window.limit });

/** Returns up to {@link MAX_DISPLACED_ROWS} neighbouring rows in another order. */
export const permute: PageFault = async ({ truth, random }) => {
  const length = Math.min(randomInteger(random, 2, MAX_DISPLACED_ROWS), truth.rows.length);
  const at = randomInteger(random, 0, truth.rows.length - length);
  const stretch = shuffled(random, truth.rows.slice(at, at + length));
  return { ...truth, rows: truth.rows.toSpliced(at, length, ...stretch) };
};

/** Returns all rows of the page in another order. */
export const scramble: PageFault = async ({ truth, random }) => ({
  ...truth,
  rows: shuffled(random, truth.rows),
});

/** Returns the page without one row. Half of the time the next row fills it, so that its length gives nothing away. */
export const missing: PageFault = async ({ list, window, truth, random }) => {
  if (truth.rows.length === 0) return truth;
  const source = random() < 0.5 ? await list.read({ ...window, limit: window.limit + 1 }) : truth;
  const offset = directionOf(window) === 'backward' ? source.rows.length - truth.rows.length : 0;
  const rows = source.rows.toSpliced(offset + randomInteger(random, 0, truth.rows.length - 1), 1);
  return { rows, has_more: source.has_more };
};

/** Returns one row twice. A full page loses the row at its far end. */
export const dup: PageFault = async ({ window, truth, random }) => {
  const { rows, has_more } = truth;
  if (rows.length === 0) return truth;
  const row = rows[randomInteger(random, 0, rows.length - 1)]!;
  return limited({ rows: rows.toSpliced(randomInteger(random, 0, rows.length), 0, row), has_more }, window);
};

/**
 * Returns the page of an earlier snapshot. It lacks some rows and the newest ones, the same for all reads of one state. It
 * lacks a conversation together with its messages, so that lists which show the same rows agree.
 */
export const stale: PageFault = async ({ list, window, state }) => {
  const isKnown = staleRows(state);
  const wide = await list.read({
    ...window,
    limit: window.limit + Math.ceil(window.limit / 16) + MAX_DISPLACED_ROWS,
  });
  const newest = await list.newest(randomInteger(seededRandom(state), 1, MAX_DISPLACED_ROWS));
  const tooNew = new Set(newest.map(({ id }) => id));
  const rows = wide.rows.filter((row) => !tooNew.has(row.id) && isKnown(row));
  return limited({ rows, has_more: wide.has_more }, window);
};

/**
 * Returns the page of an earlier snapshot, as {@link stale}, whose rows have the positions 1, 2, 3 … without gaps. Rows
 * without a `sequence` get none. It reads all rows before the page.
 */
export const renumber: PageFault = async (read) => {
  const page = await stale(read);
  const isKnown = staleRows(read.state);
  let count = 0;
  for (let first = page.rows[0]; first !== undefined;) {
    const before = await read.list.read({ ending_before: first.id, limit: COUNTED_ROWS });
    count += before.rows.filter(isKnown).length;
    first = before.has_more ? before.rows[0] : undefined;
  }
  const rows = page.rows.map((row, at) =>
    row.sequence === undefined ? row : { ...row, sequence: count + at + 1 },
  );
  return { ...page, rows };
};

/** Returns the page of an earlier snapshot that still has rows which the list lost. As cursors they are 404. */
export const phantom: PageFault = async ({ list, window, truth, state }) =>
  list.readSnapshot === undefined ? truth : list.readSnapshot(state, window);

/** Returns whether a snapshot has a row, the newest ones aside. */
function staleRows(state: string): (row: ListRow) => boolean {
  return ({ id, conversation_id }) =>
    seededRandom(`${state}/${conversation_id ?? id}`)() >= STALE_MISSING_SHARE;
}

/** Returns at most `limit` rows of a page, from the end at which its direction starts. */
function limited<Row>({ rows, has_more }: ListPage<Row>, window: ListWindow): ListPage<Row> {
  const fits = rows.length <= window.limit;
  return { rows: fits ? rows : firstRows(rows, window.limit, window), has_more: has_more || !fits };
}

/** Returns the first `count` rows in the direction of the window. */
function firstRows<Row>(rows: Row[], count: number, window: ListWindow): Row[] {
  return directionOf(window) === 'backward'
    ? rows.slice(Math.max(rows.length - count, 0))
    : rows.slice(0, count);
}

/** Returns the true rows before and after a page that is not empty. */
async function rowsAround<Row extends ListRow>({ list, truth }: FaultyRead<Row>) {
  const before = await list.read({ ending_before: truth.rows[0]!.id, limit: MAX_DISPLACED_ROWS });
  const after = await list.read({ starting_after: truth.rows.at(-1)!.id, limit: MAX_DISPLACED_ROWS });
  return {
    earlier: before.rows,
    later: after.rows,
    hasMoreEarlier: before.has_more,
    hasMoreLater: after.has_more,
  };
}
