// What an import lists in its report: refused and skipped entries and notices, the first ones whole, the others by number.
import { Buffer } from 'node:buffer';
import type { ImportReport } from '../../contract/reports/archive.ts';
import { cutText } from '../../contract/search/cut-text.ts';

/** Entries of each list that a report has whole. An export may have millions of others. */
const MAX_LISTED = 10_000;
/** Different reasons by which the others are counted. Reasons may quote what a stranger wrote. */
const MAX_REASONS = 50;
const MAX_REASON_CHARACTERS = 300;
/** What is counted beyond these reasons. */
const OTHER_REASONS = 'other reasons';

type ListName = 'refused' | 'skipped' | 'notices';
type Lists = Pick<ImportReport, ListName>;

/** Entries of all sources of an import, in memory that does not grow with them. */
export type ItemLists = {
  /** Adds an entry, or counts it by its reason where the list is full. Long reasons are cut. */
  add<Name extends ListName>(name: Name, entry: Lists[Name][number]): void;
  /** Returns the entries that were kept, and how many others there are. */
  report(): Lists & Pick<ImportReport, 'not_listed'>;
};

/** Returns empty lists. `maxListed`: the entries that each of them keeps. */
export function createItemLists(maxListed: number = MAX_LISTED): ItemLists {
  const lists: Lists = { refused: [], skipped: [], notices: [] };
  const others = { refused: new Map(), skipped: new Map(), notices: new Map() } satisfies Record<
    ListName,
    Map<string, number>
  >;
  return {
    add(name, entry) {
      const kept: { path: string }[] = lists[name];
      const reason = reasonOf(entry);
      if (kept.length < maxListed) kept.push(withReason(entry, reason));
      else addCount(others[name], reason);
    },
    report() {
      const names = Object.keys(others) as ListName[];
      const notListed = names.flatMap((list) =>
        [...others[list]].map(([reason, count]) => ({ list, reason, count })),
      );
      return { ...lists, ...(notListed.length === 0 ? {} : { not_listed: notListed }) };
    },
  };
}

type Entry = Lists[ListName][number];

function reasonOf(entry: Entry): string {
  const reason = 'notice' in entry ? entry.notice : entry.reason;
  // A copy: a part of a string keeps the whole in memory.
  return reason.length <= MAX_REASON_CHARACTERS
    ? reason
    : Buffer.from(cutText(reason, MAX_REASON_CHARACTERS)).toString();
}

function withReason<E extends Entry>(entry: E, reason: string): E {
  return 'notice' in entry ? { ...entry, notice: reason } : { ...entry, reason };
}

function addCount(counts: Map<string, number>, reason: string): void {
  const key = counts.has(reason) || counts.size < MAX_REASONS ? reason : OTHER_REASONS;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
