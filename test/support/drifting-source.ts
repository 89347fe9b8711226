// A list with drifting pages, by seed: every fault of the walk's fault model. 404 and 409 for cursors are always right.
import { Fault } from '../../src/faults.ts';
import type { Page, PageQuery, Source } from '../../src/walk/source.ts';

export type Item = { id: string; subject: string };
export const DRIFT_FAULTS = ['shift', 'boundary', 'later', 'permute', 'missing', 'dup', 'stale'] as const;
export type DriftFault = (typeof DRIFT_FAULTS)[number];

export type DriftingOptions = {
  size: number;
  drift?: number;
  seed?: number;
  faults?: readonly DriftFault[];
  /** `key`: the same request always has the same fault; `serial`: each read by itself. */
  correlation?: 'key' | 'serial';
  /** Share of faulty answers of the cross-check source. */
  crossCheckDrift?: number;
  /** Called before each read with its number, to change the list during the walk. */
  write?: (list: DriftingList, read: number) => void;
};

export type DriftingList = Source<Item> & {
  items: Item[];
  queries: PageQuery[];
  crossCheck: NonNullable<Source<Item>['crossCheck']>;
};

/** Returns the list with its rows and the queries that were made. */
export function driftingSource(options: DriftingOptions): DriftingList {
  const { size, drift = 0, seed = 1, faults = DRIFT_FAULTS, correlation = 'serial' } = options;
  const stalePages: Item[][] = [];
  let crossChecks = 0;
  const list: DriftingList = {
    items: Array.from({ length: size }, (_, n) => ({ id: `conv_${n + 1}`, subject: `thread ${n + 1}` })),
    queries: [],
    async page(query) {
      list.queries.push({ ...query });
      options.write?.(list, list.queries.length);
      const correct = read(list.items, query);
      const key = correlation === 'key' ? JSON.stringify(query) : String(list.queries.length);
      const random = generator(`${seed}/${key}`);
      const page =
        random() < drift
          ? distort(faults[Math.floor(random() * faults.length)]!, query, correct, random)
          : correct;
      stalePages.push(correct.rows);
      return { ...page, ...(drift > 0 ? { drift_ratio: drift } : {}) };
    },
    async crossCheck({ after, limit }) {
      const query = { ...(after === undefined ? {} : { after: after.id }), limit };
      const correct = read(list.items, query);
      // This text seeds random numbers, and tests name lists by their seed: it must not change.
      const random = generator(`${seed}/witness/${crossChecks++}`);
      const isFaulty = random() < (options.crossCheckDrift ?? 0);
      const page = isFaulty
        ? distort(faults[Math.floor(random() * faults.length)]!, query, correct, random)
        : correct;
      return page.rows.map((row) => row.id);
    },
  };

  function distort(
    fault: DriftFault,
    query: PageQuery,
    correct: Page<Item>,
    random: () => number,
  ): Page<Item> {
    const rows = [...correct.rows];
    const at = Math.floor(random() * rows.length);
    const by = 1 + Math.floor(random() * 3);
    const shifted = (offset: number) => ({ ...correct, rows: window(list.items, query, offset) });
    if (fault === 'shift') return shifted(random() < 0.5 ? by : -by);
    if (fault === 'later') return query.before === undefined ? shifted(by) : shifted(query.limit + by);
    if (fault === 'boundary') {
      if (random() < 0.3) return { rows, has_more: correct.has_more !== true };
      return { rows: rows.slice(0, Math.max(0, rows.length - by * 3)), has_more: random() < 0.5 };
    }
    if (fault === 'permute') {
      for (let i = rows.length - 1; i > 0; i--) {
        const j = Math.floor(random() * (i + 1));
        [rows[i], rows[j]] = [rows[j]!, rows[i]!];
      }
    }
    if (fault === 'missing') rows.splice(at, 1);
    if (fault === 'dup' && rows.length > 0) rows.splice(at, 0, rows[Math.floor(random() * rows.length)]!);
    if (fault === 'stale') return { ...correct, rows: stalePages.at(-1 - by) ?? rows };
    return { ...correct, rows };
  }
  return list;
}

/** Returns the correct page (interface 4.7). */
function read(items: readonly Item[], query: PageQuery): Page<Item> {
  const { after, before } = bounds(items, query);
  if (query.after !== undefined && query.before !== undefined && after > before)
    throw new Fault('conflict', `${query.after} is later than ${query.before}`);
  const rows = window(items, query, 0);
  const between = Math.max(0, before - after - 1);
  return { rows, has_more: between > rows.length };
}

function bounds(items: readonly Item[], query: PageQuery): { after: number; before: number } {
  const indexOf = (id: string) => {
    const index = items.findIndex((item) => item.id === id);
    if (index === -1) throw new Fault('not_found', `no row ${id}`);
    return index;
  };
  return {
    after: query.after === undefined ? -1 : indexOf(query.after),
    before: query.before === undefined ? items.length : indexOf(query.before),
  };
}

function window(items: readonly Item[], query: PageQuery, offset: number): Item[] {
  const { after, before } = bounds(items, query);
  const backward = query.before !== undefined && query.after === undefined;
  const from = (backward ? Math.max(0, before - query.limit) : after + 1) + offset;
  const to = backward
    ? before + offset
    : Math.min(from + query.limit, query.before === undefined ? Infinity : before + offset);
  return items.slice(Math.max(0, from), Math.max(0, to));
}

/** Numbers in [0, 1) from a text (FNV-1a into mulberry32). */
export function generator(text: string): () => number {
  let state = 0x811c9dc5;
  for (const char of text) state = Math.imul(state ^ char.charCodeAt(0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
