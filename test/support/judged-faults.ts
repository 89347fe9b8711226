// What a faulty answer of a judged list does to a page: one function for each fault, all driven by the random numbers of the read.
import type { PageQuery } from '../../src/walk/source.ts';
import type { FaultName } from './judged-case.ts';
import { lowerBound, type JudgedRow } from './judged-states.ts';
import type { Random } from './random.ts';

/** A page before it is sent: a part of one state of the list, then its rows. */
export type Draft = {
  /** The state of the list that the page comes from. */
  state: readonly JudgedRow[];
  /** The page is `state.slice(from, to)`; the range that was asked for ends at `end`. */
  from: number;
  to: number;
  end: number;
  isBackward: boolean;
  /** Indexes in `state`, in the order of the page. */
  rows: number[];
  hasMore: boolean;
};

/** How a fault may be applied. */
export type FaultSetting = {
  random: Random;
  limit: number;
  /** Whether faults occur at this row. */
  isFaultyPlace: (row: JudgedRow) => boolean;
  oldState: (random: Random) => readonly JudgedRow[];
};

/** Share of the shifts that are of one to three rows; the others go up to half a page. */
const SMALL_SHIFTS = 0.7;

/** Returns the honest page of a query from one state of the list. Cursors that the state lacks count by their place. */
export function draftPage(
  state: readonly JudgedRow[],
  { limit }: PageQuery,
  after: JudgedRow | undefined,
  before: JudgedRow | undefined,
): Draft {
  const start = after === undefined ? 0 : lowerBound(state, after.rank) + (holds(state, after) ? 1 : 0);
  const end = before === undefined ? state.length : Math.max(start, lowerBound(state, before.rank));
  const isBackward = after === undefined && before !== undefined;
  const from = isBackward ? Math.max(0, end - limit) : start;
  return draftWindow({ state, end, isBackward }, from, isBackward ? end : Math.min(end, start + limit));
}

/** Changes the page as the fault says. Returns the page unchanged where the fault cannot occur in it. */
export function applyFault(name: FaultName, draft: Draft, query: PageQuery, setting: FaultSetting): Draft {
  if (draft.rows.length === 0 && name !== 'stale' && name !== 'later segment') return draft;
  return APPLIED[name](draft, setting, query);
}

type Apply = (draft: Draft, setting: FaultSetting, query: PageQuery) => Draft;

const APPLIED: Record<Exclude<FaultName, 'stale'>, Apply> & { stale: Apply } = {
  'start early': (draft, setting) => shifted(draft, -shiftRows(setting), setting),
  'start late': (draft, setting) => shifted(draft, shiftRows(setting), setting),
  'end short': (draft, setting) => {
    if (!isAtFaultyBoundary(draft, setting)) return draft;
    const { random } = setting;
    const rows = Math.min(draft.rows.length, shiftRows(setting));
    const isAtStart = draft.isBackward && random() < 0.5;
    const short = isAtStart
      ? draftWindow(draft, draft.from + rows, draft.to)
      : draftWindow(draft, draft.from, draft.to - rows);
    return { ...short, hasMore: random() < 0.5 };
  },
  'end long': (draft, setting) => {
    if (!isAtFaultyBoundary(draft, setting)) return draft;
    const { random } = setting;
    const isAtStart = draft.isBackward && random() < 0.5;
    const rows = shiftRows(setting);
    const long = isAtStart
      ? draftWindow(draft, Math.max(0, draft.from - rows), draft.to)
      : draftWindow(draft, draft.from, Math.min(draft.state.length, draft.to + rows));
    return random() < 0.5 ? { ...long, hasMore: !long.hasMore } : long;
  },
  'later segment': (draft, { random, limit, isFaultyPlace }, { before }) => {
    const left = draft.state.length - draft.end;
    if (before === undefined || left === 0 || !draft.state.slice(draft.end - 1).some(isFaultyPlace))
      return draft;
    const from = draft.end + (random() < 0.5 ? Math.min(1, left - 1) : Math.floor(left * random()));
    return draftWindow(draft, from, Math.min(draft.state.length, from + limit));
  },
  'adjacent swap': (draft, setting) => swapped(draft, setting, 1),
  'several swaps': (draft, setting) => swapped(draft, setting, 2 + Math.floor(4 * setting.random())),
  'moved block': (draft, setting) => {
    const { random } = setting;
    const from = faultyIndex(draft, setting);
    if (from === undefined) return draft;
    const rows = [...draft.rows];
    const block = rows.splice(from, 1 + Math.floor(6 * random()));
    const distance = (1 + Math.floor(6 * random())) * (random() < 0.5 ? 1 : -1);
    const inPage = (to: number): number => Math.max(0, Math.min(rows.length, to));
    const to = inPage(from + distance) === from ? inPage(from - distance) : inPage(from + distance);
    rows.splice(to, 0, ...block);
    return { ...draft, rows };
  },
  'shuffled page': (draft, setting) => {
    const { random } = setting;
    const rows = [...draft.rows];
    const indexes = rows.flatMap((row, index) => (setting.isFaultyPlace(draft.state[row]!) ? [index] : []));
    for (let left = indexes.length - 1; left > 0; left--) {
      const [a, b] = [indexes[left]!, indexes[Math.floor((left + 1) * random())]!];
      [rows[a], rows[b]] = [rows[b]!, rows[a]!];
    }
    return { ...draft, rows };
  },
  'dropped row': (draft, setting) => dropped(draft, setting, 1),
  'dropped rows': (draft, setting) => dropped(draft, setting, 2 + Math.floor(3 * setting.random())),
  'repeated row': (draft, setting) => {
    const { random, limit } = setting;
    const index = faultyIndex(draft, setting);
    if (index === undefined) return draft;
    const rows = [...draft.rows];
    const to = random() < 0.5 ? index + 1 : Math.floor((rows.length + 1) * random());
    rows.splice(to, 0, rows[index]!);
    return { ...draft, rows: random() < 0.5 ? rows.slice(0, limit) : rows };
  },
  stale: (draft, { oldState, random }) => ({ ...draft, state: oldState(random) }),
};

function holds(state: readonly JudgedRow[], row: JudgedRow): boolean {
  return state[lowerBound(state, row.rank)]?.id === row.id;
}

/** Returns the page of these rows, with a `has_more` that is right for it. */
function draftWindow(
  { state, end, isBackward }: Pick<Draft, 'state' | 'end' | 'isBackward'>,
  from: number,
  to: number,
): Draft {
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  return { state, from, to, end, isBackward, rows, hasMore: isBackward ? from > 0 : to < end };
}

function shiftRows({ random, limit }: FaultSetting): number {
  return 1 + Math.floor((random() < SMALL_SHIFTS ? 3 : limit / 2) * random());
}

/** Moves the page, or its start alone: then a page that begins late is short. */
function shifted(draft: Draft, by: number, setting: FaultSetting): Draft {
  if (!isAtFaultyBoundary(draft, setting)) return draft;
  const isWhole = by < 0 || setting.random() < 0.5;
  const from = Math.max(0, Math.min(draft.state.length, draft.from + by));
  const to = isWhole ? Math.min(draft.state.length, from + draft.to - draft.from) : draft.to;
  return draftWindow(draft, from, Math.max(from, to));
}

function isAtFaultyBoundary({ state, rows }: Draft, { isFaultyPlace }: FaultSetting): boolean {
  return isFaultyPlace(state[rows[0]!]!) || isFaultyPlace(state[rows.at(-1)!]!);
}

/** Returns an index in the page at which a fault may occur. */
function faultyIndex({ state, rows }: Draft, { random, isFaultyPlace }: FaultSetting): number | undefined {
  const indexes = rows.flatMap((row, index) => (isFaultyPlace(state[row]!) ? [index] : []));
  return indexes[Math.floor(indexes.length * random())];
}

function swapped(draft: Draft, setting: FaultSetting, swaps: number): Draft {
  const rows = [...draft.rows];
  for (let swap = 0; swap < swaps; swap++) {
    const index = faultyIndex({ ...draft, rows }, setting);
    const other = index === undefined || index + 1 === rows.length ? (index ?? 0) - 1 : index + 1;
    if (index === undefined || other < 0) return { ...draft, rows };
    [rows[index], rows[other]] = [rows[other]!, rows[index]!];
  }
  return { ...draft, rows };
}

/** Leaves rows out. The page is shorter then, or filled with the rows after it. */
function dropped(draft: Draft, setting: FaultSetting, count: number): Draft {
  const { random } = setting;
  const rows = [...draft.rows];
  for (let left = Math.min(count, rows.length); left > 0; left--) {
    const index = faultyIndex({ ...draft, rows }, setting);
    if (index !== undefined) rows.splice(index, 1);
  }
  const isFilled = !draft.isBackward && random() < 0.5;
  const missing = isFilled ? draft.rows.length - rows.length : 0;
  const to = Math.min(draft.end, draft.to + missing);
  for (let index = draft.to; index < to; index++) rows.push(index);
  return { ...draft, rows, to, hasMore: draft.isBackward ? draft.hasMore : to < draft.end };
}
