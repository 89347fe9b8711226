// The PostgreSQL engine: pools of connections, and one writer at a time among all processes.
import pg from 'pg';
import { DatabaseAccessError } from '../sql/database-error.ts';
import type { Database, Statements, Value } from '../sql/database.ts';
import { checkContents } from './postgres-contents.ts';
import { copyRows } from './postgres-copy.ts';
import { isConflict, isConnectionLost, throwAccessError } from './postgres-errors.ts';
import {
  createStatementNames,
  isGenuinePostgres,
  preparePageConnection,
  snapshotVersion,
  type Sending,
} from './postgres-plans.ts';
import { getTypeParser, query, statementsOver, type Answer } from './postgres-statements.ts';
import { createWriterRow, LOCK_WRITER } from './postgres-writer.ts';

/** How to open a PostgreSQL database. */
export type PostgresOptions = {
  /** `postgres://user@host:port/name?sslmode=…`. Missing parts come from PG* variables and ~/.pgpass. */
  url: string;
  /** Every transaction may only read, also on a standby. */
  readOnly?: boolean;
  /** Resolves after so many milliseconds: the pause before a transaction is repeated. */
  sleep(ms: number): Promise<void>;
};

/** A PostgreSQL database. */
export type PostgresDatabase = Database & {
  /** Runs `work` in a transaction without the writer's lock. Durable when it resolves, undone when it throws. */
  besideWriters<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
};

/** Connections of one process for all uses but pages. PostgreSQL allows 100 in total unless configured otherwise. */
const MAX_CONNECTIONS = 6;
/** Connections of one process that only read pages. */
const MAX_PAGE_CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 5_000;
/** How long another writer is waited for, as in sqlite.ts. */
const LOCK_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const TIMEOUTS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: 60_000,
  // The client's limit, for a server that disappeared. Longer than the server's own.
  query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
};

/** How often a transaction is tried that conflicts with others, and the first pause; each pause is twice the last. */
const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 10;

/**
 * Connects, and creates the row that writers lock where an archive is or may be created. Throws
 * {@link DatabaseAccessError} and the errors of {@link checkContents}; nothing was changed then.
 */
export async function openPostgres({
  url,
  readOnly = false,
  sleep,
}: PostgresOptions): Promise<PostgresDatabase> {
  const config: pg.PoolConfig = {
    connectionString: url,
    application_name: 'arx',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: { getTypeParser },
    // So that the last statement of a transaction and its commit are sent together.
    pipeline: true,
  };
  const poolOf = (max: number, onConnect: (client: pg.ClientBase) => Promise<void>): pg.Pool => {
    const created = new pg.Pool({ ...config, ...TIMEOUTS, max, onConnect });
    // A connection that ends between two statements fails the next one. Without listeners it would end the process.
    created.on('error', () => {});
    created.on('connect', (client) => void client.on('error', () => {}));
    return created;
  };
  const pool = poolOf(MAX_CONNECTIONS, async (client) => {
    if (readOnly) await setReadOnly(client);
  });
  const pages = poolOf(MAX_PAGE_CONNECTIONS, async (client) => {
    if (readOnly) await setReadOnly(client);
    await preparePageConnection(client);
  });
  let sendingOf: (sql: string) => Sending = () => ({ isPage: false, name: undefined });
  const read = (sql: string, parameters?: readonly Value[]) => {
    const { isPage, name } = sendingOf(sql);
    return query(isPage ? pages : pool, sql, parameters, name);
  };
  // A read is repeated on another connection: a restarted server ends all the old ones.
  const reader = statementsOver((sql, parameters) =>
    read(sql, parameters).catch((error: unknown) => {
      if (!isConnectionLost(error)) throw error;
      return read(sql, parameters);
    }),
  );

  /** `opening`: statements that are sent together. `work` learns whether the last one returned a row. */
  const within = async <T>(
    client: pg.ClientBase,
    opening: string,
    work: (statements: Statements, hasRow: boolean) => Promise<T>,
    done: (broken?: Error) => void,
  ): Promise<T> => {
    let broken: Error | undefined;
    try {
      const opened: Answer | Answer[] = await query(client, opening);
      const final: Parameters<NonNullable<Statements['last']>>[] = [];
      const statements: Statements = {
        ...statementsOver((sql, parameters) => query(client, sql, parameters)),
        last: (...statement) => void final.push(statement),
        copy: (table, columns, rows) => copyRows(client, table, columns, rows).catch(throwAccessError),
      };
      const result = await work(statements, [opened].flat().at(-1)?.rows.length === 1);
      // When one of these fails, the server rolls back at COMMIT.
      const pending = final.map(([sql, parameters]) => query(client, sql, parameters));
      await Promise.all([...pending, query(client, 'COMMIT')]);
      return result;
    } catch (error) {
      await query(client, 'ROLLBACK').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      done(broken);
    }
  };
  /** Runs a transaction, and repeats it after a conflict with another one. */
  const attempt = async <T>(
    opening: string,
    work: (statements: Statements, hasRow: boolean) => Promise<T>,
  ): Promise<T> => {
    for (let tries = 1, pause = FIRST_PAUSE_MS; ; tries += 1, pause *= 2) {
      const client = await pool.connect().catch(throwAccessError);
      try {
        return await within(client, opening, work, (broken) => client.release(broken));
      } catch (error) {
        if (!isConflict(error) || tries === MAX_ATTEMPTS) throw error;
      }
      await sleep(pause);
    }
  };

  // Writers of one process wait for each other here, so that they do not occupy the connections that reads need.
  let last: Promise<unknown> = Promise.resolve();
  let writing = 0;
  const asNextWriter = <T>(work: () => Promise<T>): Promise<T> => {
    const timeout = AbortSignal.timeout(LOCK_TIMEOUT_MS);
    writing += 1;
    const done = last
      .then(() => {
        // The writer before this one gave up waiting for the lock, and this one has waited as long.
        if (timeout.aborted) throw new DatabaseAccessError('busy', 'lock', undefined);
        return work();
      })
      .finally(() => (writing -= 1));
    last = done.catch(() => {});
    return done;
  };

  /** Runs a transaction without a time limit, on a connection of its own. */
  const alone = async <T>(opening: string, work: (statements: Statements) => Promise<T>): Promise<T> => {
    const client = new pg.Client(config);
    client.on('error', () => {});
    await client.connect().catch(throwAccessError);
    return within(client, opening, work, () => void client.end().catch(() => {}));
  };

  const database: PostgresDatabase = {
    ...reader,
    run: async (sql, parameters) => (await query(pool, sql, parameters)).rowCount ?? 0,
    besideWriters: (work) => attempt(BEGIN, work),
    transaction: (work) => asNextWriter(() => attempt(`${BEGIN}; ${LOCK_WRITER}`, work)),
    tryTransaction: async (work) => {
      if (writing > 0) return undefined;
      return asNextWriter(() =>
        attempt(`${BEGIN}; ${LOCK_WRITER} SKIP LOCKED`, async (statements, isWriter) =>
          isWriter ? work(statements) : undefined,
        ),
      );
    },
    migration: (work) => alone(`${BEGIN}; ${LOCK_WRITER}`, work),
    snapshot: (work) => alone(BEGIN_SNAPSHOT, work),
    pool: () => ({
      busy: pool.totalCount - pool.idleCount + pages.totalCount - pages.idleCount,
      idle: pool.idleCount + pages.idleCount,
      waiting: pool.waitingCount + pages.waitingCount,
    }),
    async close() {
      await last;
      await Promise.all([pool.end(), pages.end()]);
    },
  };
  try {
    await checkContents(reader, { readOnly });
    if (!readOnly) await createWriterRow(database);
    if (!(await isGenuinePostgres(reader))) return database;
  } catch (error) {
    await pool.end();
    throw error;
  }
  sendingOf = createStatementNames();
  return { ...database, dataVersion: () => snapshotVersion(reader) };
}

async function setReadOnly(client: pg.ClientBase): Promise<void> {
  await client.query('SET default_transaction_read_only = on');
}

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
/** The state is that of the first statement that reads. Limits of the user's role would end a long copy. */
const BEGIN_SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT 1`;
