// The faults that a page can have: each turns a correct page into a wrong one (src/walk/README.md, "Fault model").
import type { PageQuery } from '../../src/walk/source.ts';
import type { Random } from './random.ts';

export const FAULT_NAMES = ['shift', 'boundary', 'later', 'permute', 'missing', 'dup', 'stale'] as const;
export type PageFault = (typeof FAULT_NAMES)[number];
export type PageOfIds = { ids: string[]; has_more: boolean };

/** Most rows by which a page is shifted, cut or permuted. */
const MAX_ROWS = 8;
/** Share of rows that a stale snapshot lacks, besides the newest ones. */
const MISSING_SHARE = 1 / 32;

/** Returns the correct page, or the one `offset` rows after it. The caller refuses unknown cursors. */
export function correctPage(list: readonly string[], query: PageQuery, offset = 0): PageOfIds {
  const after = query.after === undefined ? -1 : list.indexOf(query.after);
  const before = query.before === undefined ? list.length : list.indexOf(query.before);
  const backward = query.before !== undefined && query.after === undefined;
  const from = (backward ? Math.max(0, before - query.limit) : after + 1) + offset;
  const to = backward
    ? before + offset
    : Math.min(from + query.limit, query.before === undefined ? list.length : before + offset);
  const ids = list.slice(Math.max(0, from), Math.max(0, to, 0));
  return { ids, has_more: backward ? from > 0 : to < (query.before === undefined ? list.length : before) };
}

/** Returns a page with one fault. `state` gives each id of a stale snapshot a number in [0, 1): equal functions, equal snapshots. */
export function faultyPage(
  name: PageFault,
  list: readonly string[],
  query: PageQuery,
  random: Random,
  state: (id: string) => number,
): PageOfIds {
  const correct = correctPage(list, query);
  const ids = [...correct.ids];
  const by = 1 + Math.floor(random() * MAX_ROWS);
  const at = Math.floor(random() * ids.length);
  switch (name) {
    case 'shift':
      return correctPage(list, query, random() < 0.5 ? by : -by);
    case 'boundary': {
      if (random() < 0.3) return { ids, has_more: !correct.has_more };
      const backward = query.before !== undefined && query.after === undefined;
      const room = query.limit - ids.length;
      const last = ids.length === 0 ? -1 : list.indexOf(ids.at(-1)!);
      if (room > 0 && query.after !== undefined && query.before !== undefined && random() < 0.5)
        return {
          ids: [...ids, ...list.slice(last + 1, last + 1 + Math.min(room, by))],
          has_more: random() < 0.5,
        };
      const kept = Math.max(0, ids.length - by);
      return { ids: backward ? ids.slice(ids.length - kept) : ids.slice(0, kept), has_more: random() < 0.5 };
    }
    case 'later':
      return query.before === undefined
        ? correct
        : correctPage(list, { after: query.before, limit: query.limit });
    case 'permute': {
      const permuted = ids.splice(at, 1 + by);
      return { ...correct, ids: ids.toSpliced(at, 0, ...shuffled(permuted, random)) };
    }
    case 'missing': {
      const refill = random() < 0.5;
      const wide = refill ? correctPage(list, { ...query, limit: query.limit + 1 }) : correct;
      return { ...wide, ids: wide.ids.filter((id) => id !== ids[at]) };
    }
    case 'dup':
      if (ids.length > 0) ids.splice(Math.floor(random() * ids.length), 0, ids[at]!);
      return { ids: ids.slice(0, query.limit), has_more: correct.has_more };
    default: {
      const newest = list.length - 1 - Math.floor(state('') * MAX_ROWS);
      const known = list.filter(
        (id, index) =>
          id === query.after || id === query.before || (index < newest && state(id) >= MISSING_SHARE),
      );
      return correctPage(known, query);
    }
  }
}

function shuffled(ids: readonly string[], random: Random): string[] {
  return ids
    .map((id) => ({ id, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ id }) => id);
}
