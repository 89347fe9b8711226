// Uses of PostgreSQL that compatible databases lack: connections that keep the plans of pages, and snapshots as data versions.
import type pg from 'pg';
import { DatabaseAccessError } from '../sql/database-error.ts';
import type { DataVersion, Statements } from '../sql/database.ts';
import { PAGE_SELECT, SUMMARY_STATE } from '../sql/prepared-texts.ts';

/** Compatible databases name themselves in their version. The extension citus spreads tables over several servers. */
const SERVER = `SELECT version() AS version, (SELECT COUNT(*) FROM pg_extension WHERE extname = 'citus') AS spread`;
const GENUINE_VERSION =
  /^PostgreSQL (\d+)(?:\.\d+|beta\d|rc\d)?(?: \((?:Debian|Ubuntu|Homebrew)[^()]*\))? on /;

/** The first version with `pg_current_snapshot()`. */
const MIN_VERSION = 13;

/** Returns whether the server is PostgreSQL itself, so that its snapshots show every transaction. */
export async function isGenuinePostgres(statements: Statements): Promise<boolean> {
  const row = await statements.get<{ version: string; spread: number }>(SERVER).catch((error: unknown) => {
    if (error instanceof DatabaseAccessError) throw error;
    return undefined;
  });
  return row?.spread === 0 && Number(GENUINE_VERSION.exec(row.version)?.[1] ?? 0) >= MIN_VERSION;
}

/**
 * Configures a connection that only reads pages. It plans a statement once, for any values. A plan made for an empty
 * table would be wrong for a full one, so only index scans in the order of the index are allowed. No parallel workers:
 * a page is read before a worker has started.
 */
export async function preparePageConnection(client: pg.ClientBase): Promise<void> {
  await client.query(`SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off;
    SET enable_sort = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off;
    SET max_parallel_workers_per_gather = 0`);
}

/** Statements with a name in one process. Each connection keeps the plans of all of them. */
const MAX_NAMES = 64;

/** Returns a function that returns the name of a statement whose plan is kept, undefined for all others. */
export function createStatementNames(): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  return (sql) => {
    if (!sql.startsWith(PAGE_SELECT) && sql !== SNAPSHOT && sql !== SUMMARY_STATE) return undefined;
    const known = names.get(sql);
    if (known !== undefined || names.size === MAX_NAMES) return known;
    const name = `arx_${names.size}`;
    names.set(sql, name);
    return name;
  };
}

/** NULL on a standby, whose snapshots do not show all running transactions. */
const SNAPSHOT = `SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE CAST(pg_current_snapshot() AS TEXT) END AS state`;

/** Returns the data version of a database: two equal snapshots see the same commits. */
export async function snapshotVersion(statements: Statements): Promise<DataVersion> {
  return (await statements.get<{ state: string | null }>(SNAPSHOT))?.state ?? Number.NaN;
}
