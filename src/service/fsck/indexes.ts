// The indexes of an archive against those that its migrations make: one that is gone keeps nothing apart any more.
import type { Database } from '../store/sql/database.ts';
import { isGenuinePostgres } from '../store/engines/postgres-plans.ts';
import { indexesFor } from '../store/schema/migrate.ts';

/** Statements that would make the indexes there are. Only PostgreSQL can have one that it does not use. */
const MADE = {
  sqlite: `SELECT sql AS made FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL`,
  postgres: `SELECT CASE WHEN i.indisunique THEN 'CREATE UNIQUE INDEX ' ELSE 'CREATE INDEX ' END || 'x ON '
      || t.relname || substring(pg_get_indexdef(i.indexrelid) from ' USING btree( .*)$') AS made
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid WHERE i.indisvalid AND pg_table_is_visible(t.oid)`,
} as const satisfies Record<Database['engine'], string>;

/**
 * Names of the indexes that are missing, or are there with other rows, columns or another uniqueness. None on a relative
 * of PostgreSQL: its indexes are of other kinds and write themselves otherwise.
 */
export async function lostIndexes(database: Database): Promise<string[]> {
  if (database.engine === 'postgres' && !(await isGenuinePostgres(database))) return [];
  const rows = await database.all<{ made: string | null }>(MADE[database.engine]);
  const made = new Set(rows.map((row) => essence(row.made ?? '')));
  return indexesFor(database.engine)
    .filter(({ statement }) => !made.has(essence(statement)))
    .map(({ name }) => name);
}

/** What an index does, whatever its name: PostgreSQL writes conditions with types and more brackets than we do. */
function essence(statement: string): string {
  return statement.replace(/INDEX \S+ ON/, 'INDEX ON').replaceAll(/::text|[()\s]/g, '');
}
