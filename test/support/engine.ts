// Where the archive of a test is made: in a folder, or in PostgreSQL if the run says so (`vitest.config.mts`).
import type { ArchiveLocation } from '../../src/service/index.ts';
import type { Statements, Value } from '../../src/service/store/sql/database.ts';
import { freshUrl } from './postgres.ts';

export const ENGINE = process.env['ARX_TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite';

/** A place for a new archive; `dir` is where SQLite makes it. */
export async function freshPlace(dir: string): Promise<ArchiveLocation> {
  return ENGINE === 'postgres' ? { url: await freshUrl() } : { dir };
}

/** The steps by which the engine would answer. */
export async function planOf(
  statements: Statements,
  sql: string,
  parameters: readonly Value[] = [],
): Promise<string[]> {
  const words = ENGINE === 'postgres' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN';
  const rows = await statements.all(`${words} ${sql}`, parameters);
  return rows.map((row) => String(row['detail'] ?? row['QUERY PLAN']));
}
