// Where the archive of a test is made: in a folder, or in PostgreSQL if the run says so (`vitest.config.mts`).
import type { ArchiveLocation } from '../../src/service/index.ts';
import { setText } from '../../src/service/store/engines/postgres-connections.ts';
import { PAGE_SETTINGS } from '../../src/service/store/engines/postgres-plans.ts';
import { query } from '../../src/service/store/engines/postgres-statements.ts';
import type { Statements, Value } from '../../src/service/store/sql/database.ts';
import { freshUrl, withClient } from './postgres.ts';

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

/** A statement with its parameters. */
export type Asked = { sql: string; parameters: readonly Value[] };

/**
 * The steps of statements that read pages. On PostgreSQL as on a connection for pages, where a statement is planned once for
 * all values; each is executed, so that the steps tell how many rows and pages of the file were read.
 */
export async function pagePlansOf(
  { database, place }: { database: Statements; place: ArchiveLocation },
  asked: readonly Asked[],
): Promise<string[][]> {
  if (!('url' in place))
    return Promise.all(asked.map(({ sql, parameters }) => planOf(database, sql, parameters)));
  return withClient(async (client) => {
    await client.query(setText(PAGE_SETTINGS));
    const plans: string[][] = [];
    for (const { sql, parameters } of asked) {
      const values = parameters.map((value) =>
        typeof value === 'string' ? client.escapeLiteral(value) : String(value),
      );
      await query(client, `PREPARE page AS ${sql}`);
      const execute = values.length === 0 ? 'page' : `page(${values.join(', ')})`;
      const { rows } = await query(
        client,
        `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE ${execute}`,
      );
      await query(client, 'DEALLOCATE page');
      plans.push(rows.map((row) => String(row['QUERY PLAN'])));
    }
    return plans;
  }, place.url);
}
