// The right to write an archive on PostgreSQL: a lock on the only row of the table `writer`.
import type { Database } from '../sql/database.ts';

/**
 * Locks the row until the end of the transaction. A row lock is plain SQL and ends with its process. Advisory locks do
 * not exist in all compatible databases.
 */
export const LOCK_WRITER = 'SELECT n FROM writer FOR UPDATE';

const TABLE_MISSING = '42P01';

/** What a process gets when another one creates the same table or schema: a duplicate name, or a changed row of the catalogue. */
const CREATED_BY_ANOTHER = new Set(['23505', '42P06', '42P07', '42710', 'XX000']);

/** Returns whether something could not be created because another process created it meanwhile. */
export function isCreatedByAnother(error: unknown): boolean {
  return CREATED_BY_ANOTHER.has(codeOf(error));
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code);
}

const MAX_ATTEMPTS = 5;

/** Creates the table and its row where they are missing. Several processes may do so at once. */
export async function createWriterRow(database: Database): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if ((await database.get('SELECT n FROM writer')) !== undefined) return;
      await database.run('INSERT INTO writer VALUES (1) ON CONFLICT (n) DO NOTHING');
    } catch (error) {
      if (codeOf(error) !== TABLE_MISSING || attempt === MAX_ATTEMPTS) throw error;
      const created = database.run('CREATE TABLE IF NOT EXISTS writer (n BIGINT PRIMARY KEY)');
      await created.catch((failure: unknown) => {
        if (!isCreatedByAnother(failure)) throw failure;
      });
    }
  }
}
