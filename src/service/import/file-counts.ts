// Counts the files of an import by what became of them.
import type { ImportReport } from '../../contract/reports/archive.ts';

type Counts = ImportReport['sources'][number]['files'];
/** What became of a file or of one message in it. */
type Outcome = 'opened' | 'refused' | 'known' | 'stored';

const RANK: Record<Outcome, number> = { opened: 0, refused: 1, known: 2, stored: 3 };
const COUNTED_AS = { opened: 'read', refused: 'refused', known: 'known', stored: 'read' } as const;

/** Counts files. All outcomes of one file must follow each other. */
export type FileCounter = {
  add(path: string, outcome: Outcome): void;
  /** Returns how many files were added and are not counted so far. */
  open(): number;
  /** Counts a file that was not read on purpose. */
  skip(): void;
  /** Counts the files that were added. `isEnd` is false while the last one may get more outcomes. */
  settle(isEnd: boolean): void;
  counts: Counts;
};

/**
 * Returns a counter. `seen = read + known + refused + skipped`. A file is `read` when it gave a new message or holds none,
 * `known` when the archive had all of its messages, `refused` when nothing of it could be stored.
 */
export function createFileCounter(): FileCounter {
  const counts = { seen: 0, read: 0, known: 0, refused: 0, skipped: 0 };
  const open = new Map<string, Outcome>();
  let last: string | undefined;
  const count = (outcome: keyof Counts) => {
    counts.seen += 1;
    counts[outcome] += 1;
  };
  return {
    counts,
    add(path, outcome) {
      last = path;
      const before = open.get(path);
      if (before === undefined || RANK[outcome] > RANK[before]) open.set(path, outcome);
    },
    open: () => open.size,
    skip: () => count('skipped'),
    settle(isEnd) {
      for (const [path, outcome] of open) {
        if (!isEnd && path === last) continue;
        open.delete(path);
        count(COUNTED_AS[outcome]);
      }
    },
  };
}
