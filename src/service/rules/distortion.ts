// The seven ways a reading window can lie (interface 4.7 rule 3), each a pure rewrite of one true page.
import { directionOf } from '../../contract/window.ts';

/** A window as the true reader takes it; `limit` may exceed the public maximum by up to {@link MARGIN}. */
export type DriftWindow = { starting_after?: string; ending_before?: string; limit: number };
export type DriftPage<Row> = { rows: Row[]; has_more: boolean };
export type DriftReader<Row> = (window: DriftWindow) => Promise<DriftPage<Row>>;

/** Numbers in [0, 1), the same for the same parts (32 bit integers). */
export type Random = () => number;

/** One faulty read. `state` says which stale state is current: reads that share it collude. */
export type Case<Row> = {
  read: DriftReader<Row>;
  window: DriftWindow;
  truth: DriftPage<Row>;
  random: Random;
  state: number;
};
export type Distortion = <Row extends { id: string }>(given: Case<Row>) => Promise<DriftPage<Row>>;

/** Most rows by which a window or its border is displaced. */
export const MARGIN = 8;
/** Share of rows that a stale state does not know yet, besides the newest ones. */
const UNKNOWN_SHARE = 1 / 32;

/** The window starts k rows late or early. */
export const shift: Distortion = async (given) => {
  const { random, window } = given;
  const { rows } = given.truth;
  const around = await surroundings(given);
  const k = between(random, 1, MARGIN);
  const late = Math.min(k, around.later.length + rows.length - 1);
  const early = Math.min(k, around.earlier.length);
  const by = early === 0 || (late > 0 && random() < 0.5) ? late : -early;
  const all = [...around.earlier, ...rows, ...around.later];
  const backward = directionOf(window) === 'backward';
  const start = around.earlier.length + by;
  const end = start + rows.length;
  const from = backward ? Math.max(end - window.limit, 0) : start;
  const to = backward ? end : start + window.limit;
  return {
    rows: all.slice(from, to),
    has_more: backward ? from > 0 || around.more_earlier : to < all.length || around.more_later,
  };
};

/** The page ends short, or runs over a closed window's end; half of the time has_more is wrong too. */
export const boundary: Distortion = async (given) => {
  const { random, window, truth } = given;
  const room = window.limit - truth.rows.length;
  const has_more = random() < 0.5 ? truth.has_more : !truth.has_more;
  if (room > 0 && window.ending_before !== undefined && random() < 0.5) {
    const beyond = {
      starting_after: truth.rows.at(-1)!.id,
      limit: between(random, 1, Math.min(room, MARGIN)),
    };
    return { rows: [...truth.rows, ...(await given.read(beyond)).rows], has_more };
  }
  const short = Math.min(between(random, 1, MARGIN), truth.rows.length - 1);
  return {
    rows:
      directionOf(window) === 'backward' ? truth.rows.slice(short) : truth.rows.slice(0, -short || undefined),
    has_more,
  };
};

/** ending_before is answered with a segment that begins at or behind that cursor. */
export const later: Distortion = async ({ read, window, truth }) =>
  window.ending_before === undefined
    ? truth
    : read({ starting_after: truth.rows.at(-1)!.id, limit: window.limit });

/** A stretch of up to eight rows comes in reverse order. */
export const permute: Distortion = async ({ truth, random }) => {
  const length = Math.min(between(random, 2, MARGIN), truth.rows.length);
  const at = between(random, 0, truth.rows.length - length);
  const turned = truth.rows.slice(at, at + length).toReversed();
  return { ...truth, rows: truth.rows.toSpliced(at, length, ...turned) };
};

/** One row is left out; half of the time the next one fills the page, so that its length does not tell. */
export const missing: Distortion = async ({ read, window, truth, random }) => {
  const backward = directionOf(window) === 'backward';
  const refilled = random() < 0.5;
  const source = refilled ? await read({ ...window, limit: window.limit + 1 }) : truth;
  const rows = source.rows.toSpliced(
    between(random, 0, truth.rows.length - 1) + (backward ? source.rows.length - truth.rows.length : 0),
    1,
  );
  return { rows, has_more: source.has_more };
};

/** One row comes twice; a full page gives up the row at its far end for it. */
export const dup: Distortion = async ({ window, truth, random }) => {
  const row = truth.rows[between(random, 0, truth.rows.length - 1)]!;
  const rows = truth.rows.toSpliced(between(random, 0, truth.rows.length), 0, row);
  return cut({ rows, has_more: truth.has_more }, window);
};

/** An earlier snapshot: some rows and the newest ones are not there yet, the same ones for all reads of one state. */
export const stale: Distortion = async ({ read, window, state }) => {
  const wide = await read({ ...window, limit: window.limit + MARGIN });
  const known = wide.rows.filter((row) => randomFrom(state, hashOf(row.id))() >= UNKNOWN_SHARE);
  const atTail = !wide.has_more && directionOf(window) === 'forward' && window.ending_before === undefined;
  const rows = atTail ? known.slice(0, -between(randomFrom(state), 1, MARGIN)) : known;
  return cut({ rows, has_more: wide.has_more }, window);
};

/** At most `limit` rows of a page, from the end at which its direction starts. */
function cut<Row>(page: DriftPage<Row>, window: DriftWindow): DriftPage<Row> {
  if (page.rows.length <= window.limit) return page;
  const rows =
    directionOf(window) === 'backward' ? page.rows.slice(-window.limit) : page.rows.slice(0, window.limit);
  return { rows, has_more: true };
}

/** The true rows around a page. A closed window's end holds here too. */
async function surroundings<Row extends { id: string }>({ read, window, truth }: Case<Row>) {
  const closed = window.starting_after !== undefined && window.ending_before !== undefined;
  const before = await read({ ending_before: truth.rows[0]!.id, limit: MARGIN });
  const after = await read({
    starting_after: truth.rows.at(-1)!.id,
    ...(closed ? { ending_before: window.ending_before! } : {}),
    limit: MARGIN,
  });
  return {
    earlier: before.rows,
    later: after.rows,
    more_earlier: before.has_more,
    more_later: after.has_more,
  };
}

function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** A small counter-based generator (the finaliser of MurmurHash3 over a Weyl sequence), seeded by any integers. */
export function randomFrom(...seeds: number[]): Random {
  let state = 0;
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    return mix(state) >>> 0;
  };
  for (const seed of seeds) state = mix(next() ^ (seed | 0));
  return () => next() / 2 ** 32;
}

function mix(value: number): number {
  let x = value ^ (value >>> 16);
  x = Math.imul(x, 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}

/** FNV-1a over the UTF-16 units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
