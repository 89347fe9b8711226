// The SQLite dialect: WAL, synchronous=FULL, prepared statements kept, one writer at a time within the process.
import { DatabaseSync } from '@photostructure/sqlite';
import type { Database, Row, Statements, Value } from './database.ts';

/** Opens (and creates) the file. Another process's write is waited for up to five seconds. */
export function openSqlite(path: string): Database {
  // Two connections: readers never see a transaction before its commit.
  const reader = connect(path);
  let writer: Connection | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    const turn = last.then(() => work((writer ??= connect(path))));
    last = turn.catch(() => {});
    return turn;
  };

  return {
    engine: 'sqlite',
    all: reader.statements.all,
    get: reader.statements.get,
    run: (sql, parameters) => inTurn((connection) => connection.statements.run(sql, parameters)),
    transaction: (work) =>
      inTurn(async ({ handle, statements }) => {
        handle.exec('BEGIN IMMEDIATE');
        try {
          const result = await work(statements);
          handle.exec('COMMIT');
          return result;
        } catch (error) {
          if (handle.isTransaction) handle.exec('ROLLBACK');
          throw error;
        }
      }),
    script: (sql) => inTurn(async ({ handle }) => handle.exec(sql)),
    async close() {
      await last;
      writer?.handle.close();
      reader.handle.close();
    },
  };
}

type Connection = { handle: InstanceType<typeof DatabaseSync>; statements: Statements };

function connect(path: string): Connection {
  const handle = new DatabaseSync(path, { timeout: 5000 });
  // FULL: with NORMAL a power loss takes commits that were already acknowledged.
  handle.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const kept = new Map<string, ReturnType<typeof handle.prepare>>();
  const prepare = (sql: string) => {
    let statement = kept.get(sql);
    if (statement === undefined) {
      // `?n` binds by number; `$n` would bind by order of appearance.
      statement = handle.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'));
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
