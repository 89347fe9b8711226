// Uses of PostgreSQL that compatible databases lack: connections that keep the plans of pages, settings of searches, and snapshots
// as data versions.
import { DatabaseAccessError } from '../sql/database-error.ts';
import type { DataVersion, Statements } from '../sql/database.ts';
import {
  FILTERED_PAGE_SELECT,
  PAGE_SELECT,
  SUMMARY_STATE,
  WORDS_MATCH,
  WORDS_OF_WEIGHT,
} from '../sql/prepared-texts.ts';

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
 * Settings of connections that only read pages. They plan a statement once, for any values. A plan made for an empty
 * table would be wrong for a full one, so only index scans in the order of the index are allowed. No parallel workers:
 * a page is read before a worker has started.
 */
export const PAGE_SETTINGS = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
};

/** To which server the connections of a process go, see postgres-connections.ts. */
export type ServerTarget = {
  /** How often a connection went to another server than the one before. */
  changes: number;
  /** A pooler stands between, which may send each transaction to another server. */
  isShared: boolean;
};

/** Statements with a name in one process. Each connection keeps the plans of all of them. */
const MAX_NAMES = 64;
/** Combinations of filters, tiers and directions have 96 texts. */
const MAX_FILTERED_NAMES = 96;

/**
 * How a statement is sent: on a connection for pages or another one, the name under which its plan is kept, and the settings of
 * the server for it alone.
 */
export type Sending = {
  isPage: boolean;
  name: string | undefined;
  settings?: Readonly<Record<string, string>>;
};

const ELSEWHERE: Sending = { isPage: false, name: undefined };

/**
 * Settings of a search by words. Only a bitmap scan reads the index of words. The planner does not count that the words of a
 * message are stored outside of its row, and would read the whole table for a common word, which takes ten times as long. No
 * compilation: where the whole table must be read, the planner counts a plan that is off as extremely expensive.
 */
const SEARCH_SETTINGS = { enable_seqscan: 'off', jit: 'off' };
const SEARCH: Sending = { ...ELSEWHERE, settings: { ...SEARCH_SETTINGS, enable_indexscan: 'off' } };
/** Joined messages are found by their key, and the newest hits of a common word in the order of days. */
const SEARCH_WITH_INDEX_SCANS: Sending = { ...ELSEWHERE, settings: SEARCH_SETTINGS };
const NEEDS_INDEX_SCAN = / JOIN | ORDER BY search_/;

/** What inserts given rows, see `appendRows`. Its plan depends on no table. */
const APPEND = /^INSERT INTO (\w+) .* FROM json_each\(\$1\)$/;

/**
 * Returns a function that tells how a statement is sent. Pages with filters have names of their own, so that requests for all
 * combinations of filters leave names to the plain lists. A page without a name is planned each time, and in the same way.
 */
export function createStatementNames(): (sql: string) => Sending {
  const plain = new Map<string, Sending>();
  const filtered = new Map<string, Sending>();
  return (sql) => {
    if (sql.includes(WORDS_MATCH) || sql.includes(WORDS_OF_WEIGHT))
      return NEEDS_INDEX_SCAN.test(sql) ? SEARCH_WITH_INDEX_SCANS : SEARCH;
    const [, appended] = APPEND.exec(sql) ?? [];
    if (appended !== undefined) return { isPage: false, name: `arx_append_${appended}` };
    const isFiltered = sql.startsWith(FILTERED_PAGE_SELECT);
    if (!isFiltered && !sql.startsWith(PAGE_SELECT) && !FOR_EACH_REQUEST.has(sql)) return ELSEWHERE;
    const names = isFiltered ? filtered : plain;
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size === (isFiltered ? MAX_FILTERED_NAMES : MAX_NAMES))
      return { isPage: true, name: undefined };
    const sending = { isPage: true, name: `arx_${isFiltered ? 'filtered_' : ''}${names.size}` };
    names.set(sql, sending);
    return sending;
  };
}

/** The snapshot of a primary. NULL on a standby, whose snapshots do not show all running transactions. */
const SNAPSHOT = `SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE CAST(pg_current_snapshot() AS TEXT) END AS state, NULL AS replayed`;

/**
 * The same, and on a standby the position in the write-ahead log up to which it shows the data. Its position is set a moment after the
 * effect of a record is visible. So it counts only where nothing was received beyond it, by a receiver that runs: then no record beyond
 * it can have taken effect.
 */
const SNAPSHOT_OR_POSITION = `WITH wal AS MATERIALIZED (
    SELECT pg_is_in_recovery() AS standby, pg_last_wal_receive_lsn() AS received, pg_last_wal_replay_lsn() AS replayed
  )
  SELECT CASE WHEN NOT standby THEN CAST(pg_current_snapshot() AS TEXT) END AS state,
    CASE WHEN standby AND received = replayed AND EXISTS (SELECT 1 FROM pg_stat_wal_receiver WHERE pid IS NOT NULL)
      THEN CAST(replayed AS TEXT) END AS replayed
  FROM wal`;

/**
 * The same, and where it is known the last transaction that wrote the archive. Each writer locks the only row of `writer` with its first
 * statement, so `xmax` of that row is its number at once, in the row itself and also on a standby. While that transaction runs nothing
 * is known. 0 means that VACUUM removed the number. It has 32 bits; with those of the next transaction it becomes a whole one.
 */
const WRITER_OR_OTHER = `WITH locked AS MATERIALIZED (
    SELECT CAST(CAST(xmax AS TEXT) AS BIGINT) AS number,
      CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT) AS next
    FROM writer ORDER BY n LIMIT 1
  ), aged AS MATERIALIZED (SELECT number, next, (next - number) & 4294967295 AS age FROM locked)
  SELECT CASE WHEN number > 0 AND age BETWEEN 1 AND 2147483647 AND age < next
        AND pg_xact_status(CAST(CAST(next - age AS TEXT) AS xid8)) IS DISTINCT FROM 'in progress'
      THEN CAST(next - age AS TEXT) END AS writer,
    CAST(pg_is_in_recovery() AS INTEGER) AS standby, other.*
  FROM aged CROSS JOIN (${SNAPSHOT_OR_POSITION}) other`;

/** What is asked for each request. */
const FOR_EACH_REQUEST = new Set([SNAPSHOT, SNAPSHOT_OR_POSITION, WRITER_OR_OTHER, SUMMARY_STATE]);

/** What the statements above return. */
type StateRow = { state: string | null; replayed: string | null; writer?: string | null; standby?: number };

/** Returns whether the server lacks a function, as databases do that are built from PostgreSQL, or the user a right. */
function isUnsupported(error: unknown): boolean {
  return /^(?:0A|42(?!P01))/.test(String((error as { code?: unknown }).code));
}

/**
 * Returns the data version of a database: two equal snapshots of a primary see the same commits, and so do two equal positions of a
 * standby. With `ofWriter` it is that of the archive alone: the last transaction that wrote it. `target` says to which server all connections
 * go; between two servers nothing can be compared, since one may be behind.
 */
export function createDataVersion(
  statements: Statements,
  target: () => ServerTarget | undefined,
  { ofWriter }: { ofWriter: boolean },
): () => Promise<DataVersion> {
  const possible = [...(ofWriter ? [WRITER_OR_OTHER] : []), SNAPSHOT_OR_POSITION, SNAPSHOT];
  const read = async (): Promise<StateRow | undefined> => {
    try {
      return await statements.get<StateRow>(possible[0]!);
    } catch (error) {
      if (possible.length === 1 || !isUnsupported(error)) throw error;
      possible.shift();
      return read();
    }
  };
  return async () => {
    const before = target();
    const row = await read();
    const after = target();
    if (before === undefined || after === undefined || before.changes !== after.changes) return Number.NaN;
    const own = row?.writer == null ? undefined : `writer ${row.writer}`;
    // A pooler may send this statement and that of a page to two standbys.
    const state = after.isShared
      ? ((row?.standby === 1 ? undefined : own) ?? row?.state)
      : (own ?? row?.state ?? row?.replayed);
    return typeof state === 'string' ? `${after.changes} ${state}` : Number.NaN;
  };
}
