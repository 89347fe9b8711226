// The ways a page can lie, each a rewrite of what an honest list would answer (walk.md, fault model).
import type { PageQuery } from '../../src/walk/source.ts';
import type { Random } from './random.ts';

export const FAULT_NAMES = ['shift', 'boundary', 'later', 'permute', 'missing', 'dup', 'stale'] as const;
export type PageFault = (typeof FAULT_NAMES)[number];
export type PageOfIds = { ids: string[]; has_more: boolean };

/** Rows by which a page is displaced, cut or permuted at most. */
const REACH = 8;
/** Share of rows that a stale state does not know, besides the newest ones. */
const UNKNOWN_SHARE = 1 / 32;

/** The rows of an honest page at `offset` rows from where it belongs. Unknown cursors are the caller's to refuse. */
export function honestPage(list: readonly string[], query: PageQuery, offset = 0): PageOfIds {
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

/** `state` seeds the snapshot of a stale answer: reads that share it collude. */
export function faultyPage(
  name: PageFault,
  list: readonly string[],
  query: PageQuery,
  random: Random,
  state: (id: string) => number,
): PageOfIds {
  const truth = honestPage(list, query);
  const ids = [...truth.ids];
  const by = 1 + Math.floor(random() * REACH);
  const at = Math.floor(random() * ids.length);
  switch (name) {
    case 'shift':
      return honestPage(list, query, random() < 0.5 ? by : -by);
    case 'boundary': {
      if (random() < 0.3) return { ids, has_more: !truth.has_more };
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
        ? truth
        : honestPage(list, { after: query.before, limit: query.limit });
    case 'permute': {
      const stretch = ids.splice(at, 1 + by);
      return { ...truth, ids: ids.toSpliced(at, 0, ...shuffled(stretch, random)) };
    }
    case 'missing': {
      const refill = random() < 0.5;
      const wide = refill ? honestPage(list, { ...query, limit: query.limit + 1 }) : truth;
      return { ...wide, ids: wide.ids.filter((id) => id !== ids[at]) };
    }
    case 'dup':
      if (ids.length > 0) ids.splice(Math.floor(random() * ids.length), 0, ids[at]!);
      return { ids: ids.slice(0, query.limit), has_more: truth.has_more };
    default: {
      const newest = list.length - 1 - Math.floor(state('') * REACH);
      const known = list.filter(
        (id, index) =>
          id === query.after || id === query.before || (index < newest && state(id) >= UNKNOWN_SHARE),
      );
      return honestPage(known, query);
    }
  }
}

function shuffled(ids: readonly string[], random: Random): string[] {
  return ids
    .map((id) => ({ id, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ id }) => id);
}
