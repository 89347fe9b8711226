// The mark of an unfinished copy of another archive, in the table `meta`: nothing but the copy opens it.
import type { Statements } from '../sql/database.ts';

/**
 * `run`: the process that copies; an older one stops when it sees another. `phase`: `empty` from its creation until a copy
 * begins, `rows` while most indexes are missing, then `content`; `moved`: it is complete, and its source may have been dropped.
 */
export type CopyMark = { version: 1; run: string; phase: 'empty' | 'rows' | 'content' | 'moved' };

const KEY = 'copy';

/** Returns the mark, undefined where the archive is no unfinished copy. */
export async function copyMark(statements: Statements): Promise<CopyMark | undefined> {
  const row = await statements.get<{ value: string }>('SELECT value FROM meta WHERE key = $1', [KEY]);
  return row === undefined ? undefined : (JSON.parse(row.value) as CopyMark);
}

/** Stores the mark. */
export async function storeCopyMark(statements: Statements, mark: CopyMark): Promise<void> {
  await statements.run(
    'INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    [KEY, JSON.stringify(mark)],
  );
}

/** Removes the mark: the copy is an archive. */
export async function removeCopyMark(statements: Statements): Promise<void> {
  await statements.run('DELETE FROM meta WHERE key = $1', [KEY]);
}
