// The rows of the overview: parts of the archive, then its files by city and by type. Counts grow while the catalogue is read.
import type { Entry, GroupEntry, HeadingEntry } from './entry.ts';

const HEADINGS: Record<GroupEntry['by'], HeadingEntry> = {
  city: { kind: 'heading', id: 'heading city', label: ' Files by city' },
  type: { kind: 'heading', id: 'heading type', label: ' Files by type' },
};

/** Returns the rows of the overview with the counts of another page of the catalogue. */
export function arranged(entries: readonly Entry[], added: readonly Entry[]): Entry[] {
  const sections = new Map<string, Entry>();
  const groups = new Map<string, GroupEntry>();
  for (const entry of [...entries, ...added]) {
    if (entry.kind === 'section') sections.set(entry.id, entry);
    if (entry.kind === 'group') groups.set(entry.id, sumOf(groups.get(entry.id), entry));
  }
  return [...sections.values(), ...block('city', groups), ...block('type', groups)];
}

function block(by: GroupEntry['by'], groups: ReadonlyMap<string, GroupEntry>): Entry[] {
  const found = [...groups.values()].filter((group) => group.by === by);
  return found.length === 0 ? [] : [HEADINGS[by], ...found.toSorted(byFrequency)];
}

function sumOf(one: GroupEntry | undefined, other: GroupEntry): GroupEntry {
  if (one === undefined) return other;
  return {
    ...other,
    files: one.files + other.files,
    withheld: one.withheld + other.withheld,
    absent: one.absent + other.absent,
    bytes: sumOfKnown(one.bytes, other.bytes),
  };
}

/** Returns the sum of two numbers, of which each may be unknown. */
export function sumOfKnown(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : one + (other ?? 0);
}

/** The most frequent first, then by value; files without a value last. */
function byFrequency(a: GroupEntry, b: GroupEntry): number {
  if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1;
  return b.files - a.files || ((a.value ?? '') < (b.value ?? '') ? -1 : 1);
}
