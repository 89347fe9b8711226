// The names of the archives of a PostgreSQL database, each the name of a schema.
import type { Statements } from '../sql/database.ts';
import { isArchiveName } from './postgres-address.ts';

/** By the index of names, so that its cost does not grow with the other tables of the database. */
const NAMES = `
  SELECT CAST(n.nspname AS TEXT) AS name
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relname = 'writer' AND c.relkind IN ('r', 'p') AND has_schema_privilege(n.oid, 'USAGE')
    AND EXISTS (SELECT 1 FROM pg_catalog.pg_class m WHERE m.relname = 'migrations' AND m.relnamespace = n.oid)
  ORDER BY CAST(n.nspname AS TEXT) COLLATE "C"`;

/** Returns the names of all archives in order. Schemas whose name no archive may have are left out. */
export async function namesOfArchives(statements: Pick<Statements, 'all'>): Promise<string[]> {
  const rows = await statements.all<{ name: string }>(NAMES);
  return rows.map(({ name }) => name).filter(isArchiveName);
}
