// The SQLite dialect: WAL, synchronous=FULL, prepared statements kept, one writer at a time within the process.
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Database, Row, Statements, Value } from '../sql/database.ts';
import { primaryCode, SQLITE } from '../sql/sqlite-result-codes.ts';

export type SqliteOptions = {
  path: string;
  /** Opened as it is: every write fails. */
  readOnly?: boolean;
  /** Resolves after so many milliseconds: how another process's write is waited for without stopping this one. */
  sleep(ms: number): Promise<void>;
};

/** How long another process's lock is waited for, and the steps of that wait, in milliseconds. */
const PATIENCE_MS = 5_000;
const FIRST_STEP_MS = 20;
const LONGEST_STEP_MS = 200;

/** Opens the file, made where it may be. A lock of another process is waited for up to five seconds, then the engine's error is thrown. */
export async function openSqlite({ path, readOnly = false, sleep }: SqliteOptions): Promise<Database> {
  // The sleeps of the one who waits are the clock of those who wait behind it, so that nobody waits twice as long.
  let slept = 0;
  const patiently = async <T>(work: () => T | Promise<T>, until = slept + PATIENCE_MS): Promise<T> => {
    for (let step = FIRST_STEP_MS; ; step = Math.min(step * 2, LONGEST_STEP_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error) || slept >= until) throw error;
        await sleep(step);
        slept += step;
      }
    }
  };

  // Two connections: readers never see a transaction before its commit.
  const reader = await patiently(() => (readOnly ? connectReading(path) : connect(path)));
  let writer: Connection | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let writing = 0;

  const inTurn = <T>(work: (connection: Connection, until: number) => Promise<T>): Promise<T> => {
    const until = slept + PATIENCE_MS;
    writing += 1;
    const turn = last
      .then(async () =>
        work((writer ??= readOnly ? reader : await patiently(() => connect(path), until)), until),
      )
      .finally(() => (writing -= 1));
    last = turn.catch(() => {});
    return turn;
  };
  const within = async <T>(
    { handle, statements }: Connection,
    work: (statements: Statements) => Promise<T>,
  ): Promise<T> => {
    try {
      const result = await work(statements);
      handle.exec('COMMIT');
      return result;
    } catch (error) {
      if (handle.isTransaction) handle.exec('ROLLBACK');
      throw error;
    }
  };

  const transaction: Database['transaction'] = (work) =>
    inTurn(async (connection, until) => {
      await patiently(() => connection.handle.exec('BEGIN IMMEDIATE'), until);
      return within(connection, work);
    });

  // It tells of the commits of other connections, and this one only reads.
  const versions = reader.handle.prepare('PRAGMA data_version');

  return {
    engine: 'sqlite',
    dataVersion: () => versionIn(versions),
    // WAL lets readers read; what stops one for a moment is the recovery after a crash.
    all: <T extends Row>(sql: string, parameters?: readonly Value[]) =>
      patiently(() => reader.statements.all<T>(sql, parameters)),
    get: <T extends Row>(sql: string, parameters?: readonly Value[]) =>
      patiently(() => reader.statements.get<T>(sql, parameters)),
    run: (sql, parameters) =>
      inTurn((connection, until) => patiently(() => connection.statements.run(sql, parameters), until)),
    transaction,
    migration: transaction,
    tryTransaction: async (work) => {
      if (writing > 0) return undefined;
      return inTurn(async (connection) => {
        try {
          connection.handle.exec('BEGIN IMMEDIATE');
        } catch (error) {
          if (isBusy(error)) return undefined;
          throw error;
        }
        return within(connection, work);
      });
    },
    async close() {
      await last;
      if (writer !== undefined && writer !== reader) {
        takeIn(writer.handle);
        writer.handle.close();
      }
      reader.handle.close();
    },
  };
}

/** The log is taken into the file, which then is all there is: the client closes too late for the engine to do it. */
function takeIn(handle: Connection['handle']): void {
  try {
    handle.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Commits are in the log, and safe there.
  }
}

/** Not equal to itself where it cannot be told at this moment. */
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

type Connection = { handle: InstanceType<typeof DatabaseSync>; statements: Statements };

/**
 * Beside a writer or after one, its log is read too. Where that cannot be, on a read-only file system, and no log is
 * left, the file is all there is, and nobody can change it.
 */
function connectReading(path: string): Connection {
  const read = (address: string): Connection => {
    const connection = connectionOf(new DatabaseSync(address, { timeout: 0, readOnly: true }));
    // Opening reads nothing yet.
    connection.handle.prepare('SELECT COUNT(*) FROM sqlite_master').get();
    return connection;
  };
  try {
    return read(path);
  } catch (error) {
    if (!isUnopenable(error) || existsSync(`${path}-wal`)) throw error;
    const address = pathToFileURL(path);
    address.search = 'immutable=1';
    return read(address.href);
  }
}

/** What reading a log needs beside it cannot be made. */
function isUnopenable(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE.CANTOPEN || code === SQLITE.READONLY;
}

function connect(path: string): Connection {
  // The engine's own waiting would stop the whole process.
  const handle = new DatabaseSync(path, { timeout: 0 });
  try {
    // FULL: with NORMAL a power loss takes commits that were already acknowledged.
    handle.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
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
      // `?n` binds by number; `$n` would bind by order of appearance. Without the sign, which changes no value, the
      // engine plans a statement anew for each value of a parameter that its statistics speak of.
      statement = handle.prepare(sql.replaceAll(/\$(\d+)/g, '+?$1'));
      kept.set(sql, statement);
    }
    return statement;
  };
  const statements: Statements = {
    async all<T extends Row>(sql: string, parameters: readonly Value[] = []) {
      return prepare(sql).all(...parameters) as T[];
    },
    async get<T extends Row>(sql: string, parameters: readonly Value[] = []) {
      return prepare(sql).get(...parameters) as T | undefined;
    },
    async run(sql: string, parameters: readonly Value[] = []) {
      return prepare(sql).run(...parameters).changes;
    },
  };
  return { handle, statements };
}
