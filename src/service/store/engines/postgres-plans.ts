// What only a PostgreSQL that is no relative of it gives: connections that keep the plans of pages, and a word for one state of all its data.
import type pg from 'pg';
import type { DataVersion, Statements } from '../sql/database.ts';
import { SUMMARY_STATE } from '../meta-table/summary.ts';
import { DatabaseAccessError } from '../sql/database-error.ts';
import { PAGE_SELECT } from '../sql/keyset.ts';

/** Relatives say so in their version, number it otherwise, or are an extension that spreads tables over several servers. */
const ASKED = `SELECT version() AS version, (SELECT COUNT(*) FROM pg_extension WHERE extname = 'citus') AS spread`;
const PLAIN = /^PostgreSQL (\d+)(?:\.\d+|beta\d|rc\d)?(?: \((?:Debian|Ubuntu|Homebrew)[^()]*\))? on /;

/** The first that knows its snapshots by the name we use. */
const OLDEST = 13;

/** Whether the server is PostgreSQL itself, whose transactions are all in the snapshots that it tells. */
export async function isGenuinePostgres(statements: Statements): Promise<boolean> {
  const row = await statements.get<{ version: string; spread: number }>(ASKED).catch((error: unknown) => {
    if (error instanceof DatabaseAccessError) throw error;
    return undefined;
  });
  return row?.spread === 0 && Number(PLAIN.exec(row.version)?.[1] ?? 0) >= OLDEST;
}

/**
 * For connections that only read pages. A plan is made once for a connection, for any values; that one of an empty table
 * serves a full one as well, they may only go by an index, in its order, and alone: a page is read before a worker starts.
 */
export async function preparePageConnection(client: pg.ClientBase): Promise<void> {
  await client.query(`SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off;
    SET enable_sort = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off;
    SET max_parallel_workers_per_gather = 0`);
}

/** Texts that one process has planned by name; each connection keeps them all. */
const MOST_NAMES = 64;

/** Names of the statements whose plans are kept, undefined for all others. */
export function createStatementNames(): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  return (sql) => {
    if (!sql.startsWith(PAGE_SELECT) && sql !== SNAPSHOT && sql !== SUMMARY_STATE) return undefined;
    const known = names.get(sql);
    if (known !== undefined || names.size === MOST_NAMES) return known;
    const name = `arx_${names.size}`;
    names.set(sql, name);
    return name;
  };
}

/** Every transaction with a number is in it or behind it; a standby does not tell all of those under way. */
const SNAPSHOT = `SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE CAST(pg_current_snapshot() AS TEXT) END AS state`;

/** {@link Database.version} of a PostgreSQL: two snapshots that are equal see the same commits. */
export async function snapshotVersion(statements: Statements): Promise<DataVersion> {
  return (await statements.get<{ state: string | null }>(SNAPSHOT))?.state ?? Number.NaN;
}
