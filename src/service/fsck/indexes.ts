// Finds indexes that the migrations create and the archive lacks.
import type { Database } from '../store/sql/database.ts';
import { isGenuinePostgres } from '../store/engines/postgres-plans.ts';
import { indexesFor } from '../store/schema/expected-indexes.ts';

/** Selects the statements that would create the present indexes; for PostgreSQL only valid ones. */
const PRESENT = {
  sqlite: `SELECT sql AS made FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL`,
  postgres: `SELECT CASE WHEN i.indisunique THEN 'CREATE UNIQUE INDEX ' ELSE 'CREATE INDEX ' END || 'x ON '
      || t.relname || COALESCE(substring(def from ' USING btree( .*)$'), substring(def from '( USING .*)$')) AS made
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid, pg_get_indexdef(i.indexrelid) AS def 
    WHERE i.indisvalid AND t.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = current_schema())`,
} as const satisfies Record<Database['engine'], string>;

/**
 * Returns the names of indexes that are missing, or that exist with other columns, another condition or another
 * uniqueness. Returns none for databases that only speak PostgreSQL's protocol: they write their indexes differently.
 */
export async function missingIndexes(database: Database): Promise<string[]> {
  if (database.engine === 'postgres' && !(await isGenuinePostgres(database))) return [];
  const rows = await database.all<{ made: string | null }>(PRESENT[database.engine]);
  const present = new Set(rows.map((row) => comparable(row.made ?? '')));
  return indexesFor(database.engine)
    .filter(({ statement }) => !present.has(comparable(statement)))
    .map(({ name }) => name);
}

/** Leaves out the name of the index, and the types and brackets that PostgreSQL adds to conditions. */
function comparable(statement: string): string {
  return statement.replace(/INDEX \S+ ON/, 'INDEX ON').replaceAll(/::(?:text|"char"\[\])|[()\s]/g, '');
}
