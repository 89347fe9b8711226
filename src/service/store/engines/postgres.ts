// The PostgreSQL engine: pools of connections, and one writer at a time among all processes.
import type pg from 'pg';
import { createSemaphore, type Semaphore } from '../../../concurrency/semaphore.ts';
import { whenAborted } from '../../../concurrency/when-aborted.ts';
import { DatabaseAccessError, isMissing } from '../sql/database-error.ts';
import type { Database, Statements, Value, TransactionOptions } from '../sql/database.ts';
import { longReadsOver } from '../sql/long-reads.ts';
import { parseAddress, pathTo } from './postgres-address.ts';
import {
  createConnections,
  setText,
  type Connections,
  type Pool,
  type Settings,
} from './postgres-connections.ts';
import { checkContents, createSchema } from './postgres-contents.ts';
import { copyRows } from './postgres-copy.ts';
import { isConflict, isConnectionLost, throwAccessError } from './postgres-errors.ts';
import {
  createDataVersion,
  createStatementNames,
  isGenuinePostgres,
  type Sending,
} from './postgres-plans.ts';
import { VERSION } from '../schema/migrate.ts';
import { query, statementsOver, type Answer } from './postgres-statements.ts';
import { cancelStatement } from './postgres-cancel.ts';
import { createWriterRow, LOCK_WRITER } from './postgres-writer.ts';

/** How to open a PostgreSQL database. */
export type PostgresOptions = {
  /** `postgres://user@host:port/name?sslmode=…`. Missing parts come from PG* variables and ~/.pgpass. */
  url: string;
  /** Every transaction may only read, also on a standby. */
  readOnly?: boolean;
  /** Resolves after so many milliseconds: the pause before a transaction is repeated. */
  sleep(ms: number): Promise<void>;
  /** Connections to the database of the address, which several archives share. Default: connections of its own. */
  server?: PostgresServer | undefined;
  /** Makes the schema of the address where it is missing. */
  createSchema?: boolean;
  /** A database without an archive is refused. */
  mustExist?: boolean;
  /** Called when a table is missing: the archive may have been dropped. Must not throw. */
  onMissing?: (() => void) | undefined;
};

/** The connections of one process to one database. Archives in its schemas may share them. */
export type PostgresServer = {
  /** The database and its servers for messages, without user and password. */
  readonly place: string;
  readonly connections: Connections;
  readonly pool: Pool;
  readonly pages: Pool;
  readonly unlimited: Pool;
  /** Limits the connections of writers, so that reads find one. */
  readonly writers: Semaphore;
  readonly readOnly: boolean;
  /** Statements outside of any archive: about the catalogue alone. */
  readonly catalogue: Statements;
  /** Whether it is PostgreSQL itself. */
  isGenuine(): Promise<boolean>;
  /** Closes all connections. */
  end(): Promise<void>;
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
/** Transactions without a time limit begin within one another, so none may wait for a connection. An idle one is closed after ten seconds. */
const MAX_LONG = 1_000;
/** Each keeps what it knows of all tables that it has used. */
const MAX_LONG_USES = 100;
/** Connections that writers of different archives take at once. One archive has one writer at a time. */
const MAX_WRITERS = 4;
/** How long another writer is waited for, as in sqlite.ts. */
const LOCK_TIMEOUT_MS = 5_000;
/** Pause of a writer of an archive with shared connections, while another process writes. */
const LOCK_PAUSE_MS = 20;
/** Limits of the server for each statement of a pool. */
const LIMITS = {
  statement_timeout: '30000',
  lock_timeout: String(LOCK_TIMEOUT_MS),
  idle_in_transaction_session_timeout: '60000',
};

/** How often a transaction is tried that conflicts with others, and the first pause; each pause is twice the last. */
const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 10;

/**
 * Returns the connections to the database of an address, each for at most `maxUses` uses. The first statement connects. Throws a
 * TypeError for a wrong address.
 */
export function connectServer({
  url,
  readOnly = false,
  maxUses,
}: Pick<PostgresOptions, 'url' | 'readOnly'> & { maxUses?: number }): PostgresServer {
  const address = parseAddress(url);
  if (typeof address === 'string') throw new TypeError(address);
  const connections = createConnections(address, { limits: LIMITS, readOnly });
  const pool = connections.pool({ max: MAX_CONNECTIONS, maxUses });
  const pages = connections.pool({ max: MAX_PAGE_CONNECTIONS, isForPages: true, maxUses });
  const unlimited = connections.pool({ max: MAX_LONG, hasLimits: false, maxUses: MAX_LONG_USES });
  const catalogue = statementsOver(async (sql, parameters) => {
    const { client, release } = await pool.take();
    let broken: Error | undefined;
    try {
      return await query(client, sql, parameters);
    } catch (error) {
      broken = error as Error;
      throw error;
    } finally {
      release(broken);
    }
  });
  let genuine: Promise<boolean> | undefined;
  return {
    place: connections.place,
    connections,
    pool,
    pages,
    unlimited,
    writers: createSemaphore(MAX_WRITERS),
    readOnly,
    catalogue,
    isGenuine() {
      genuine ??= isGenuinePostgres(catalogue);
      genuine.catch(() => (genuine = undefined));
      return genuine;
    },
    async end() {
      await Promise.all([pool.end(), pages.end(), unlimited.end()]);
    },
  };
}

/**
 * Connects, and creates the row that writers lock where an archive is or may be created. Throws
 * {@link DatabaseAccessError} and the errors of {@link checkContents}; nothing was changed then.
 */
export async function openPostgres({
  url,
  readOnly = false,
  sleep,
  server,
  createSchema: mayCreate = false,
  mustExist = readOnly,
  onMissing = () => {},
}: PostgresOptions): Promise<PostgresDatabase> {
  const address = parseAddress(url);
  if (typeof address === 'string') throw new TypeError(address);
  const { schema } = address;
  const used = server ?? connectServer({ url, readOnly });
  const { connections, pool, pages, unlimited, writers } = used;
  // Connections that are shared have no schema of their own: each transaction names it.
  const own: Settings = server === undefined || schema === undefined ? {} : { search_path: pathTo(schema) };
  const hasOwn = own['search_path'] !== undefined;
  /** A lost right to write means for all connections that the server became a standby, and another one the primary. */
  const noteFailure = (error: unknown): void => {
    if (error instanceof DatabaseAccessError && error.kind === 'standby') connections.renew();
    if (isMissing(error)) onMissing();
  };
  let sendingOf: (sql: string) => Sending = () => ({ isPage: false, name: undefined });
  const read = async (sql: string, parameters?: readonly Value[], signal?: AbortSignal): Promise<Answer> => {
    const { isPage, name, settings } = sendingOf(sql);
    const { client, release } = await (isPage ? pages : pool).take();
    if (signal?.aborted === true) {
      release();
      throw signal.reason;
    }
    let broken: Error | undefined;
    const cancel = (): void => {
      // It may arrive after the end of the statement, and must meet no other one.
      broken = new Error('cancelled');
      cancelStatement(client);
    };
    const ignore = signal && whenAborted(signal, cancel);
    try {
      if (settings === undefined && !hasOwn && !connections.isShared(client))
        return await query(client, sql, parameters, name);
      const more = settings === undefined ? '' : `; ${setText(settings, 'LOCAL')}`;
      // The settings end with the transaction. A name would be known to one session of a pooler, and not to the next.
      const sent = [
        query(client, `${connections.opening(client, READ_COMMITTED, own)}${more}`),
        query(client, sql, parameters),
        query(client, 'COMMIT'),
      ];
      const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected');
      if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
      return await sent[1]!;
    } catch (error) {
      noteFailure(error);
      broken = error as Error;
      throw error;
    } finally {
      ignore?.();
      release(broken);
    }
  };
  // A read is repeated on another connection: a restarted server ends all the old ones.
  const readerUntil = (signal?: AbortSignal) =>
    statementsOver((sql, parameters) =>
      read(sql, parameters, signal).catch((error: unknown) => {
        signal?.throwIfAborted();
        if (!isConnectionLost(error)) throw error;
        return read(sql, parameters, signal);
      }),
    );
  const reader = readerUntil();

  /** `work` learns whether the last statement of `first` returned a row. */
  const within = async <T>(
    { client, release }: { client: pg.ClientBase; release(broken?: Error): void },
    { mode, first, readsVersion = false }: Opening,
    work: (statements: Statements, hasRow: boolean) => Promise<T>,
  ): Promise<T> => {
    let broken: Error | undefined;
    try {
      const opened: Answer | Answer[] = await query(
        client,
        `${connections.opening(client, mode, own)}; ${first}${readsVersion ? `; ${VERSION}` : ''}`,
      );
      const [answer, versions] = [opened].flat().slice(readsVersion ? -2 : -1);
      const final: Parameters<NonNullable<Statements['last']>>[] = [];
      const statements: Statements = {
        ...statementsOver((sql, parameters) => query(client, sql, parameters)),
        last: (...statement) => void final.push(statement),
        copy: (table, columns, rows) => copyRows(client, table, columns, rows).catch(throwAccessError),
        version: versions === undefined ? undefined : Number(versions.rows[0]?.['version']),
      };
      const result = await work(statements, answer?.rows.length === 1);
      // When one of these fails, the server rolls back at COMMIT.
      const canPrepare = !hasOwn && !connections.isShared(client);
      const pending = final.map(([sql, parameters]) =>
        query(client, sql, parameters, canPrepare ? sendingOf(sql).name : undefined),
      );
      await Promise.all([...pending, query(client, 'COMMIT')]);
      return result;
    } catch (error) {
      await query(client, 'ROLLBACK').catch((failure: Error) => (broken = failure));
      noteFailure(error);
      throw error;
    } finally {
      release(broken);
    }
  };
  /** Runs a transaction, and repeats it after a conflict with another one. */
  const attempt = async <T>(
    opening: Opening,
    work: (statements: Statements, hasRow: boolean) => Promise<T>,
  ): Promise<T> => {
    for (let tries = 1, pause = FIRST_PAUSE_MS; ; tries += 1, pause *= 2) {
      const connection = await pool.take();
      try {
        return await within(connection, opening, work);
      } catch (error) {
        if (!isConflict(error) || tries === MAX_ATTEMPTS) throw error;
      }
      await sleep(pause);
    }
  };

  // Writers of one process wait for each other here, so that they do not occupy the connections that reads need.
  let last: Promise<unknown> = Promise.resolve();
  let writing = 0;
  const asNextWriter = <T>(work: (timeout: AbortSignal) => Promise<T>): Promise<T> => {
    const timeout = AbortSignal.timeout(LOCK_TIMEOUT_MS);
    writing += 1;
    const done = last
      .then(() => {
        // The writer before this one gave up waiting for the lock, and this one has waited as long.
        if (timeout.aborted) throw lockBusy();
        return work(timeout);
      })
      .finally(() => (writing -= 1));
    last = done.catch(() => {});
    return done;
  };
  /** Runs `work` where no other process writes now; resolves to undefined where one does. */
  const attemptNow = async <T>(
    work: (statements: Statements) => Promise<T>,
    options: TransactionOptions,
  ): Promise<{ value: T } | undefined> => {
    const release = await writers.acquire();
    try {
      return await attempt({ ...WRITER_NOW, ...options }, async (statements, isWriter) =>
        isWriter ? { value: await work(statements) } : undefined,
      );
    } finally {
      release();
    }
  };
  /** Waits for the lock without a connection: connections that are shared must not wait for one archive. */
  const attemptPatiently = async <T>(
    work: (statements: Statements) => Promise<T>,
    timeout: AbortSignal,
    options: TransactionOptions,
  ): Promise<T> => {
    for (;;) {
      const done = await attemptNow(work, options);
      if (done !== undefined) return done.value;
      if (timeout.aborted) throw lockBusy();
      await sleep(LOCK_PAUSE_MS);
    }
  };

  /** Runs a transaction without a time limit, on a connection that no other work waits for. */
  const alone = async <T>(opening: Opening, work: (statements: Statements) => Promise<T>): Promise<T> =>
    within(await unlimited.take(), opening, work);

  const database: PostgresDatabase = {
    ...reader,
    longReads: longReadsOver(reader, readerUntil),
    run: async (sql, parameters) => (await read(sql, parameters)).rowCount ?? 0,
    besideWriters: (work) => attempt({ mode: READ_COMMITTED, first: '' }, work),
    transaction: (work, options = {}) =>
      asNextWriter((timeout) =>
        hasOwn ? attemptPatiently(work, timeout, options) : attempt({ ...WRITER, ...options }, work),
      ),
    tryTransaction: async (work, options = {}) => {
      if (writing > 0) return undefined;
      return asNextWriter(async () => (await attemptNow(work, options))?.value);
    },
    migration: (work) => alone(WRITER, work),
    snapshot: (work) => alone(SNAPSHOT, work),
    async takesWrites() {
      const state = await reader.get<{ read_only: string }>(
        `SELECT current_setting('transaction_read_only') AS read_only`,
      );
      if (state?.read_only !== 'on') return true;
      // The connections may be older than a change of the primary.
      connections.renew();
      return false;
    },
    pool: () => ({
      busy: pool.totalCount - pool.idleCount + pages.totalCount - pages.idleCount,
      idle: pool.idleCount + pages.idleCount,
      waiting: pool.waitingCount + pages.waitingCount,
    }),
    async close() {
      await last;
      if (server === undefined) await used.end();
    },
  };
  try {
    if (mayCreate && schema !== undefined && !readOnly) await createSchema(used.catalogue, schema);
    const isNamed = address.settings['search_path'] !== undefined;
    await checkContents(reader, { readOnly, mustExist, schema, isNamed });
    if (!readOnly) await createWriterRow(database);
    if (!(await used.isGenuine())) return database;
  } catch (error) {
    if (server === undefined) await pool.end();
    throw error;
  }
  sendingOf = createStatementNames();
  const dataVersion = createDataVersion(reader, () => connections.target(), { ofWriter: hasOwn });
  return { ...database, dataVersion };
}

function lockBusy(): DatabaseAccessError {
  return new DatabaseAccessError('busy', 'lock', undefined);
}

/** How a transaction begins: its mode, and the statements that are sent with its beginning. The version of the tables is read after them. */
type Opening = TransactionOptions & { mode: string; first: string };

const READ_COMMITTED = 'ISOLATION LEVEL READ COMMITTED';
const WRITER: Opening = { mode: READ_COMMITTED, first: LOCK_WRITER };
const WRITER_NOW: Opening = { ...WRITER, first: `${LOCK_WRITER} SKIP LOCKED` };
/** The state is that of the first statement that reads. Limits of the user's role would end a long copy. */
const SNAPSHOT: Opening = {
  mode: 'ISOLATION LEVEL REPEATABLE READ READ ONLY',
  first: 'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT 1',
};
