// SQLite's check of its own pages and indexes. It blocks the process in which it runs, so a large file gets one of its own.
import type { Statements } from '../store/sql/database.ts';

/**
 * Has another process check the pages of the file at `path`, and returns what that prints: see {@link checkPagesOf}. Resolves to
 * undefined where this process is to check them.
 */
export type CheckPagesElsewhere = (path: string, signal: AbortSignal) => Promise<string | undefined>;

/** The check of the pages of an archive, beside that of its rows. */
export type PagesCheck = {
  /** What it found, once it is known. */
  known(): string[] | null;
  /** Returns what it finds. Throws the errors of the database. */
  result(): Promise<string[]>;
  /** Ends it, unless it has ended. */
  stop(): void;
};

/**
 * The second statement takes the list of unused pages for a part of the schema. The first leaves that list out where the table that it
 * happens to check first is a virtual one, which the search index is (SQLite 3.53).
 */
const STATEMENTS = ['PRAGMA integrity_check', 'PRAGMA integrity_check(sqlite_schema)'];

/** Returns what SQLite finds in the pages and indexes of the file of a connection. */
export async function findingsInPages(statements: Pick<Statements, 'all'>): Promise<string[]> {
  const found = new Set<string>();
  for (const statement of STATEMENTS)
    for (const { integrity_check: line } of await statements.all<{ integrity_check: string }>(statement))
      if (line !== 'ok') found.add(line);
  return [...found];
}

/** Begins the check. `before` is what an earlier run found. `signal` interrupts it in another process, not in this one. */
export function beginPagesCheck(
  statements: Statements,
  elsewhere: CheckPagesElsewhere | undefined,
  before: string[] | null | undefined,
  signal: AbortSignal,
): PagesCheck {
  let known: string[] | null = statements.engine === 'sqlite' ? (before ?? null) : [];
  const controller = new AbortController();
  const askElsewhere = async (): Promise<void> => {
    if (known !== null || elsewhere === undefined) return;
    const place = await statements.get<{ file: string }>(
      `SELECT file FROM pragma_database_list WHERE name = 'main'`,
    );
    const answer = place && (await elsewhere(place.file, AbortSignal.any([signal, controller.signal])));
    if (answer !== undefined) known = linesOf(answer);
  };
  // Whatever fails there, this process finds it again.
  const asked = askElsewhere().catch(() => {});
  return {
    known: () => known,
    async result() {
      await asked;
      signal.throwIfAborted();
      return (known ??= await findingsInPages(statements));
    },
    stop: () => controller.abort(),
  };
}

/** Returns null for anything but a whole answer: a process that was killed answers nothing. */
function linesOf(answer: string): string[] | null {
  return answer.endsWith(END) ? (JSON.parse(answer) as string[]) : null;
}

const END = ']';
