// Connections to PostgreSQL: which server each one goes to, and the settings of its session or, behind a pooler, of each transaction.
import pg from 'pg';
import { DatabaseAccessError } from '../sql/database-error.ts';
import type { PostgresAddress, ServerKind } from './postgres-address.ts';
import { throwAccessError } from './postgres-errors.ts';
import { PAGE_SETTINGS, type ServerTarget } from './postgres-plans.ts';
import { getTypeParser, query } from './postgres-statements.ts';

/** Settings of the server by name. */
export type Settings = Readonly<Record<string, string>>;

/** What the connections of a pool are used for. One is closed after `maxUses` uses. Without `hasLimits` nothing there is ended for its time. */
export type Use = { max: number; isForPages?: boolean; hasLimits?: boolean; maxUses?: number | undefined };

/** A connection of a pool, and how it is given back. `broken` closes it. */
export type Connection = { client: pg.PoolClient; release(broken?: Error): void };

/** The pools of one process over the servers of one address. */
export type Connections = {
  /** The database and its servers, without user and password. */
  place: string;
  pool(use: Use): Pool;
  /**
   * Returns the statements that begin a transaction. A pooler may give the next transaction another session, so it gets its
   * settings here; a session of its own has them already. `own`: settings of this transaction alone.
   */
  opening(client: pg.ClientBase, mode: string, own: Settings): string;
  /** Whether the session is shared with other clients of a pooler. It must then be left as it was found. */
  isShared(client: pg.ClientBase): boolean;
  /** Tells to which server the connections of the pools go; undefined where they go to several. */
  target(): ServerTarget | undefined;
  /** Gives up all connections after their present use: their server takes no writes any more. */
  renew(): void;
};

/** Connections for one use. */
export type Pool = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount' | 'end'> & {
  take(): Promise<Connection>;
};

const CONNECT_TIMEOUT_MS = 5_000;
/** The client's limit, for a server that disappeared. Longer than the server's own. */
const MORE_THAN_SERVER_MS = 5_000;

/** A server of the address, and what it must be. */
type Candidate = { url: string; kind: Exclude<ServerKind, 'prefer-standby'> };

/**
 * `limits`: settings of the server that end statements which take too long, among them `statement_timeout`. With several
 * servers and no word about which one, `readOnly` decides whether it must take writes.
 */
export function createConnections(
  { urls, kind, settings }: PostgresAddress,
  { limits, readOnly }: { limits: Settings; readOnly: boolean },
): Connections {
  const candidates = candidatesOf(urls, kind ?? (urls.length > 1 && !readOnly ? 'read-write' : 'any'));
  // The last server that could be used stays the first one that is tried.
  let current = 0;
  let generation = 0;
  /** The server of each connection of the pools; undefined where that is not known. */
  const servers = new Map<pg.ClientBase, string | undefined>();
  let lastServer: string | undefined;
  let changes = 0;
  /** The settings of the transactions of a connection whose session is shared. */
  const shared = new WeakMap<pg.ClientBase, Settings>();

  const config: pg.ClientConfig = {
    application_name: 'arx',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: { getTypeParser },
    // So that the last statement of a transaction and its commit are sent together.
    pipeline: true,
  };
  class ServerClient extends pg.Client {
    readonly candidate = candidates[current]!;
    readonly generation = generation;
    constructor(options: pg.ClientConfig) {
      super({ ...options, connectionString: candidates[current]!.url });
      // A connection that ends between two statements fails the next one. Without a listener it would end the process.
      this.on('error', () => {});
    }
  }

  const noteServer = (client: pg.ClientBase, server: string | undefined): void => {
    servers.set(client, server);
    client.once('end', () => servers.delete(client));
    if (server !== lastServer) changes += 1;
    lastServer = server;
  };
  const prepare = async (client: pg.ClientBase, own: Settings): Promise<void> => {
    // Both are sent at once.
    const [isShared, server] = await Promise.all([isSessionShared(client), serverOf(client)]);
    noteServer(client, isShared ? undefined : server);
    await checkKind(client, (client as ServerClient).candidate.kind);
    if (isShared) shared.set(client, own);
    else
      await client.query(setText({ ...own, ...(readOnly ? { default_transaction_read_only: 'on' } : {}) }));
  };

  /** Tries all servers once, beginning with the current one. */
  const connected = async <T>(connect: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      const tried = current;
      try {
        return await connect().catch(throwAccessError);
      } catch (error) {
        if (!(error instanceof DatabaseAccessError)) throw error;
        const { kind: failure, code, cause } = error;
        if (!MAY_DIFFER.has(failure))
          throw new DatabaseAccessError(failure, code, cause, placeOf([candidates[tried]!.url]));
        // Another connection may have gone on to the next server meanwhile.
        if (tried === current) current = (current + 1) % candidates.length;
        if (tries >= candidates.length) throw new DatabaseAccessError(failure, code, cause, placeOf(urls));
      }
    }
  };

  return {
    place: placeOf(urls),
    pool({ max, isForPages = false, hasLimits = true, maxUses = Infinity }) {
      const pool = new pg.Pool({
        ...config,
        ...(hasLimits ? { query_timeout: Number(limits['statement_timeout']) + MORE_THAN_SERVER_MS } : {}),
        max,
        maxUses,
        Client: ServerClient as unknown as new () => pg.ClientBase,
        onConnect: (client) =>
          prepare(client, {
            ...(hasLimits ? limits : {}),
            ...settings,
            ...(isForPages ? PAGE_SETTINGS : {}),
          }),
      });
      pool.on('error', () => {});
      // A connection that was closed may leave room for another one.
      pool.on('remove', () => void (pool.options.max = max));
      /** Where the server gives no further connection, waits for one of those that the pool has. */
      const connect = async (): Promise<pg.PoolClient> =>
        connected(() => pool.connect()).catch(async (error: unknown) => {
          const isLimited = error instanceof DatabaseAccessError && error.kind === 'no_connection_left';
          if (!isLimited || pool.totalCount === 0) throw error;
          pool.options.max = pool.totalCount;
          return connect();
        });
      const take = async (): Promise<Connection> => {
        // Each old connection is met once.
        for (;;) {
          const client = await connect();
          const isOld = () => (client as unknown as ServerClient).generation !== generation;
          if (!isOld()) return { client, release: (broken) => client.release(broken ?? isOld()) };
          client.release(true);
        }
      };
      return Object.assign(pool, { take });
    },
    opening: (client, mode, own) => {
      const session = shared.get(client);
      if (session === undefined)
        return `BEGIN ${mode}${Object.keys(own).length === 0 ? '' : `; ${setText(own, 'LOCAL')}`}`;
      const all = { ...session, ...own };
      const access = readOnly && !mode.includes('READ ONLY') ? ' READ ONLY' : '';
      // Another client of the pooler may have left a search path behind.
      const path = all['search_path'] === undefined ? '; SET LOCAL search_path TO DEFAULT' : '';
      return `BEGIN ${mode}${access}${path}; ${setText(all, 'LOCAL')}`;
    },
    isShared: (client) => shared.has(client),
    target() {
      const [server, ...others] = new Set(servers.values());
      return others.length > 0 ? undefined : { changes, isShared: servers.size > 0 && server === undefined };
    },
    renew: () => void (generation += 1),
  };
}

/** Failures that another server may not have. A wrong password is one of the user's, whom all servers know. */
const MAY_DIFFER = new Set<DatabaseAccessError['kind']>([
  'unreachable',
  'untrusted',
  'other_name',
  'no_connection_left',
  'standby',
  'no_writable',
  'no_standby',
]);

/** Returns the database and its servers as `archive at db.example:5432`, without user and password. */
function placeOf(urls: readonly string[]): string {
  const each = urls.map((url) => new pg.Client({ connectionString: url }));
  const servers = each.map(({ host, port }) => `${host}:${port}`);
  return `${each[0]?.database} at ${servers.join(', ')}`;
}

function candidatesOf(urls: readonly string[], kind: ServerKind): Candidate[] {
  const of = (each: Candidate['kind']) => urls.map((url) => ({ url, kind: each }));
  return kind === 'prefer-standby' ? [...of('standby'), ...of('any')] : of(kind);
}

/**
 * Returns whether a pooler stands between: the process of the session is not the one that the connection was told. A database
 * that cannot tell counts as one, since settings of single transactions are right everywhere.
 */
async function isSessionShared(client: pg.ClientBase): Promise<boolean> {
  const { processID } = client as pg.ClientBase & { processID: number | null };
  const row = await client
    .query<{ pid: unknown }>('SELECT pg_backend_pid() AS pid')
    .catch((error: unknown) => {
      if (error instanceof pg.DatabaseError && /^(?:0A|42)/.test(error.code ?? '')) return undefined;
      throw error;
    });
  return row === undefined || Number(row.rows[0]?.pid) !== processID;
}

/** Returns what tells a server from others and from itself before a restart; undefined where it cannot tell. */
async function serverOf(client: pg.ClientBase): Promise<string | undefined> {
  const asked = `SELECT CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) AS TEXT) AS started,
    CAST(inet_server_addr() AS TEXT) AS address, current_setting('port') AS port`;
  const answer = await client.query(asked).catch((error: unknown) => {
    if (error instanceof pg.DatabaseError) return undefined;
    throw error;
  });
  return answer === undefined ? undefined : JSON.stringify(answer.rows[0]);
}

const STATE = `SELECT current_setting('transaction_read_only') AS read_only`;
const IN_RECOVERY = 'SELECT pg_is_in_recovery() AS standby';

/** Throws DatabaseAccessError where the server is not what the address asks for. */
async function checkKind(client: pg.ClientBase, kind: Candidate['kind']): Promise<void> {
  if (kind === 'any') return;
  const isAbout = kind === 'read-write' || kind === 'read-only' ? STATE : IN_RECOVERY;
  const [row] = (await query(client, isAbout)).rows as Record<string, unknown>[];
  const takesNoWrites = row?.['read_only'] === 'on' || row?.['standby'] === true;
  const wantsNoWrites = kind === 'read-only' || kind === 'standby';
  if (takesNoWrites !== wantsNoWrites)
    throw new DatabaseAccessError(wantsNoWrites ? 'no_standby' : 'no_writable', undefined, undefined);
}

/** Returns the statement that changes settings: of the session, or of the transaction alone. */
export function setText(settings: Settings, scope: 'SESSION' | 'LOCAL' = 'SESSION'): string {
  const each = Object.entries(settings).map(
    ([name, value]) =>
      `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, ${scope === 'LOCAL'})`,
  );
  return each.length === 0 ? '' : `SELECT ${each.join(', ')}`;
}
