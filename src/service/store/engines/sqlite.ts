// The SQLite engine: write-ahead log, synchronous=FULL, cached prepared statements, one writer at a time.
import { existsSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Database, Reads, Row, Statements, Value } from '../sql/database.ts';
import { longReadsOver } from '../sql/long-reads.ts';
import { primaryCode, SQLITE } from '../sql/sqlite-result-codes.ts';
import { sizeOf } from '../archive-folder.ts';
import { refusePrograms } from './sqlite-contents.ts';
import { beginNumbers, immutableAddress, refuseForeignLog, transactionCounter } from './sqlite-log.ts';
import type { OwnProcess } from '../../../world.ts';

/** How to open a SQLite database. */
export type SqliteOptions = {
  path: string;
  /** Opened as it is: every write fails. */
  readOnly?: boolean;
  /** Resolves after so many milliseconds. Waiting for another process's lock must not block this process. */
  sleep(ms: number): Promise<void>;
  /** Called once, after {@link QUIET_WAIT_MS} of waiting for such a lock. */
  onLongWait?: (() => void) | undefined;
  /** Starts `reads-process.ts`, in which long reads run then. Otherwise they run in this process. */
  startReads?: (() => OwnProcess) | undefined;
};

/** How long the lock of another process is waited for, and the pauses between attempts. */
const LOCK_TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 200;
const QUIET_WAIT_MS = 500;

/** Memory for pages of one connection. */
const CACHE_KIB = 16 * 1024;
/** The log is moved into the file when it has so many pages of 4 KiB. */
const LOG_PAGES = 4_000;

/** Opens or creates the database file. Waits up to five seconds for a lock of another process, then throws its error. */
export async function openSqlite({
  path,
  readOnly = false,
  sleep,
  onLongWait,
  startReads,
}: SqliteOptions): Promise<Database> {
  // Total time slept, as a clock: whoever waits behind a waiting writer does not wait twice as long.
  let slept = 0;
  let isAnnounced = false;
  const retryWhileBusy = async <T>(
    work: () => T | Promise<T>,
    until = slept + LOCK_TIMEOUT_MS,
  ): Promise<T> => {
    for (let step = FIRST_PAUSE_MS; ; step = Math.min(step * 2, MAX_PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error) || slept >= until) throw error;
        await sleep(step);
        slept += step;
        if (!isAnnounced && until - slept < LOCK_TIMEOUT_MS - QUIET_WAIT_MS) {
          isAnnounced = true;
          onLongWait?.();
        }
      }
    }
  };

  refuseForeignLog(path);
  // Two connections, so that readers see a transaction only after its commit.
  const reader = await retryWhileBusy(() => (readOnly ? connectReading(path) : connect(path)));
  let writer: Connection | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let writing = 0;

  const asNextWriter = <T>(work: (connection: Connection, until: number) => Promise<T>): Promise<T> => {
    const until = slept + LOCK_TIMEOUT_MS;
    writing += 1;
    const turn = last
      .then(async () =>
        work((writer ??= readOnly ? reader : await retryWhileBusy(() => connect(path), until)), until),
      )
      .finally(() => (writing -= 1));
    last = turn.catch(() => {});
    return turn;
  };
  const within = async <T>(
    { handle, statements, countTransaction }: Connection,
    work: (statements: Statements) => Promise<T>,
  ): Promise<T> => {
    try {
      const result = await work(statements);
      countTransaction();
      handle.exec('COMMIT');
      return result;
    } catch (error) {
      if (handle.isTransaction) handle.exec('ROLLBACK');
      throw error;
    }
  };

  const transaction: Database['transaction'] = (work) =>
    asNextWriter(async (connection, until) => {
      await retryWhileBusy(() => connection.handle.exec('BEGIN IMMEDIATE'), until);
      return within(connection, work);
    });

  // Changes with commits of other connections. This connection only reads, so that is every commit.
  const versions = reader.handle.prepare('PRAGMA data_version');
  // Writers do not block readers, but recovery after a crash does for a moment.
  const reads: Reads = {
    engine: 'sqlite',
    all: <T extends Row>(sql: string, parameters?: readonly Value[]) =>
      retryWhileBusy(() => reader.statements.all<T>(sql, parameters)),
    get: <T extends Row>(sql: string, parameters?: readonly Value[]) =>
      retryWhileBusy(() => reader.statements.get<T>(sql, parameters)),
  };
  const elsewhere = startReads && (await import('./sqlite-reads.ts')).readsInProcess(path, startReads);

  return {
    ...reads,
    longReads: elsewhere?.reads ?? longReadsOver(reads),
    dataVersion: () => versionIn(versions),
    run: (sql, parameters) =>
      asNextWriter((connection, until) =>
        retryWhileBusy(() => connection.statements.run(sql, parameters), until),
      ),
    transaction,
    migration: transaction,
    tryTransaction: async (work) => {
      if (writing > 0) return undefined;
      return asNextWriter(async (connection) => {
        try {
          connection.handle.exec('BEGIN IMMEDIATE');
        } catch (error) {
          if (isBusy(error)) return undefined;
          throw error;
        }
        return within(connection, work);
      });
    },
    async snapshot(work) {
      const { handle, statements } = await retryWhileBusy(() => connectReading(path));
      try {
        handle.exec('BEGIN');
        // The state is that of the first read.
        await retryWhileBusy(() => statements.get('SELECT COUNT(*) FROM sqlite_master'));
        return await work(statements);
      } finally {
        // Its statements live until they are collected, and with them the connection and its transaction.
        if (handle.isTransaction) handle.exec('ROLLBACK');
        handle.close();
      }
    },
    async close() {
      elsewhere?.close();
      await last;
      if (writer !== undefined && writer !== reader) {
        checkpoint(writer.handle);
        writer.handle.close();
      }
      reader.handle.close();
    },
  };
}

/** Moves the write-ahead log into the file, so that the file is complete. At close the engine would do it too late. */
function checkpoint(handle: Connection['handle']): void {
  try {
    handle.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The commits stay in the log, where they are safe.
  }
}

/** Returns NaN, which equals nothing, while the engine is busy. */
function versionIn(statement: { get(): unknown }): number {
  try {
    return (statement.get() as { data_version: number }).data_version;
  } catch (error) {
    if (isBusy(error)) return Number.NaN;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE.BUSY;
}

type Connection = {
  handle: InstanceType<typeof DatabaseSync>;
  statements: Statements;
  /** Call it before the COMMIT of a transaction. */
  countTransaction(): void;
};

/**
 * Opens a connection that only reads. It reads the log of a writer as well. Where that is impossible, on a read-only file
 * system, and there is no log, the file is complete and opened as immutable.
 */
function connectReading(path: string): Connection {
  const read = (address: string): Connection => {
    const handle = new DatabaseSync(address, { timeout: 0, readOnly: true });
    // Opening does not read; this does.
    refusePrograms(handle);
    return connectionOf(handle);
  };
  try {
    return read(path);
  } catch (error) {
    if (!isUnopenable(error) || existsSync(`${path}-wal`)) throw error;
    return read(immutableAddress(path));
  }
}

/** Whether the files that reading a log needs cannot be created. */
function isUnopenable(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE.CANTOPEN || code === SQLITE.READONLY;
}

function connect(path: string): Connection {
  // No timeout: the engine would block the whole process while it waits.
  const handle = new DatabaseSync(path, { timeout: 0 });
  try {
    refusePrograms(handle);
    if (sizeOf(path) === 0) beginNumbers(handle);
    // FULL: with NORMAL a power loss can undo commits that were already acknowledged.
    // The other two: a transaction of an import does not write its pages twice, nor each commit the whole log.
    handle.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
        PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
    );
  } catch (error) {
    handle.close();
    throw error;
  }
  return connectionOf(handle);
}

function connectionOf(handle: Connection['handle']): Connection {
  const kept = new Map<string, ReturnType<typeof handle.prepare>>();
  const prepare = (sql: string) => {
    let statement = kept.get(sql);
    if (statement === undefined) {
      statement = handle.prepare(withSqliteParameters(sql));
      kept.set(sql, statement);
    }
    return statement;
  };
  const statements: Statements = {
    engine: 'sqlite',
    async all<T extends Row>(sql: string, parameters: readonly Value[] = []) {
      return prepare(sql).all(...parameters) as T[];
    },
    async get<T extends Row>(sql: string, parameters: readonly Value[] = []) {
      try {
        return prepare(sql).get(...parameters) as T | undefined;
      } catch (error) {
        throw withCode(error);
      }
    },
    async run(sql: string, parameters: readonly Value[] = []) {
      return prepare(sql).run(...parameters).changes;
    },
  };
  return { handle, statements, countTransaction: transactionCounter((sql) => handle.exec(sql), prepare) };
}

/** The engine gives `get` no code of its own for a value that is too large for JavaScript, where `all` has one. */
function withCode(error: unknown): unknown {
  if (!(error instanceof Error) || primaryCode(error) !== undefined) return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: 'ERR_SQLITE_ERROR' });
}

/**
 * Returns a statement with parameters as SQLite reads them. `?n` binds by number, `$n` by order of appearance. Where they appear in
 * order, each once, they are `?`: at each binding the engine would look through the names of all parameters. The plus sign changes
 * no value. Without it, the engine would plan a statement again for each value of a parameter that its statistics mention.
 */
function withSqliteParameters(sql: string): string {
  let last = 0;
  const isInOrder = [...sql.matchAll(/\$(\d+)/g)].every(([, n]) => Number(n) === (last += 1));
  return sql.replaceAll(/\$(\d+)/g, isInOrder ? '+?' : '+?$1');
}
