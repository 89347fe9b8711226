// The PostgreSQL dialect: a pool of connections, and one writer at a time among all processes by a locked row.
import pg from 'pg';
import { copyRows } from './postgres-copy.ts';
import type { Database, Row, Statements, Value } from '../sql/database.ts';
import {
  createStatementNames,
  isGenuinePostgres,
  preparePageConnection,
  snapshotVersion,
} from './postgres-plans.ts';
import { checkContents } from './postgres-contents.ts';
import { DatabaseAccessError, type AccessErrorKind } from '../sql/database-error.ts';

export type PostgresOptions = {
  /** `postgres://user@host:port/name?sslmode=…`; what it lacks comes from PG* variables and ~/.pgpass. */
  url: string;
  /** Every transaction may only read, also on a standby. */
  readOnly?: boolean;
  /** Resolves after so many milliseconds: the pause before a transaction is tried again. */
  sleep(ms: number): Promise<void>;
};

export type PostgresDatabase = Database & {
  /** Runs `work` in a transaction beside other writers; durable when it resolves, undone when it throws. */
  beside<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
};

/** Connections of one process: one of them writes, the others read, some of them pages. PostgreSQL itself allows 100 unless told otherwise. */
const MOST_CONNECTIONS = 6;
const MOST_FOR_PAGES = 4;
const CONNECT_MS = 5_000;
/** How long another writer is waited for, as in sqlite.ts. */
const LOCK_MS = 5_000;
const STATEMENT_MS = 30_000;
const LIMITS = {
  statement_timeout: STATEMENT_MS,
  lock_timeout: LOCK_MS,
  idle_in_transaction_session_timeout: 60_000,
  // Later than the server's own limit: it ends what waits for a server that is gone without a word.
  query_timeout: STATEMENT_MS + 5_000,
};

/** Times a transaction is tried that others ran into, and the first pause between two. */
const TRIES = 5;
const FIRST_PAUSE_MS = 10;

/**
 * Connects, and makes sure that there is a writer's row where an archive is or may be made. Throws {@link DatabaseAccessError},
 * and what {@link checkContents} throws; nothing is changed then.
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
    connectionTimeoutMillis: CONNECT_MS,
    types: { getTypeParser },
    // The last statement of a transaction and its end are sent together.
    pipeline: true,
  };
  const poolOf = (max: number, onConnect: (client: pg.ClientBase) => Promise<void>): pg.Pool => {
    const made = new pg.Pool({ ...config, ...LIMITS, max, onConnect });
    // A connection that ends between two statements fails the next one; without listeners it would end the process.
    made.on('error', () => {});
    made.on('connect', (client) => void client.on('error', () => {}));
    return made;
  };
  const pool = poolOf(MOST_CONNECTIONS, async (client) => {
    if (readOnly) await onlyRead(client);
  });
  const pages = poolOf(MOST_FOR_PAGES, async (client) => {
    if (readOnly) await onlyRead(client);
    await preparePageConnection(client);
  });
  let nameOf: (sql: string) => string | undefined = () => undefined;
  const read = (sql: string, parameters?: readonly Value[]) => {
    const name = nameOf(sql);
    return ask(name === undefined ? pool : pages, sql, parameters, name);
  };
  // Reads may be asked again, on another connection: a restarted server ends all the old ones.
  const reader = statementsOf((sql, parameters) =>
    read(sql, parameters).catch((error: unknown) => {
      if (!isLost(error)) throw error;
      return read(sql, parameters);
    }),
  );

  /** `opening` is one message, however many statements; whether the last found a row is told to the work. */
  const within = async <T>(
    client: pg.ClientBase,
    opening: string,
    work: (statements: Statements, hasFound: boolean) => Promise<T>,
    done: (broken?: Error) => void,
  ): Promise<T> => {
    let broken: Error | undefined;
    try {
      const begun: Answer | Answer[] = await ask(client, opening);
      const last: Parameters<NonNullable<Statements['last']>>[] = [];
      const statements: Statements = {
        ...statementsOf((sql, parameters) => ask(client, sql, parameters)),
        last: (...statement) => void last.push(statement),
        copy: (table, columns, rows) => copyRows(client, table, columns, rows).catch(fail),
      };
      const result = await work(statements, [begun].flat().at(-1)?.rows.length === 1);
      // Where one of these fails the engine answers COMMIT with a rollback.
      const ends = last.map(([sql, parameters]) => ask(client, sql, parameters));
      await Promise.all([...ends, ask(client, 'COMMIT')]);
      return result;
    } catch (error) {
      await ask(client, 'ROLLBACK').catch((lost: Error) => (broken = lost));
      throw error;
    } finally {
      done(broken);
    }
  };
  /** One transaction, again from its beginning where it ran into another. */
  const attempt = async <T>(
    opening: string,
    work: (statements: Statements, hasFound: boolean) => Promise<T>,
  ): Promise<T> => {
    for (let tries = 1, pause = FIRST_PAUSE_MS; ; tries += 1, pause *= 2) {
      const client = await pool.connect().catch(fail);
      try {
        return await within(client, opening, work, (broken) => client.release(broken));
      } catch (error) {
        if (!ranIntoAnother(error) || tries === TRIES) throw error;
      }
      await sleep(pause);
    }
  };

  // Writers of one process wait for each other here and not on the connections that reads need.
  let last: Promise<unknown> = Promise.resolve();
  let writing = 0;
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const patience = AbortSignal.timeout(LOCK_MS);
    writing += 1;
    const turn = last
      .then(() => {
        // Who waited behind one that waited gives up with it.
        if (patience.aborted) throw new DatabaseAccessError('busy', 'lock', undefined);
        return work();
      })
      .finally(() => (writing -= 1));
    last = turn.catch(() => {});
    return turn;
  };

  const database: PostgresDatabase = {
    engine: 'postgres',
    ...reader,
    run: async (sql, parameters) => (await ask(pool, sql, parameters)).rowCount ?? 0,
    beside: (work) => attempt(BEGIN, work),
    transaction: (work) => inTurn(() => attempt(`${BEGIN}; ${WRITER}`, work)),
    tryTransaction: async (work) => {
      if (writing > 0) return undefined;
      return inTurn(() =>
        attempt(`${BEGIN}; ${WRITER} SKIP LOCKED`, async (statements, isFree) =>
          isFree ? work(statements) : undefined,
        ),
      );
    },
    migration: async (work) => {
      const client = new pg.Client(config);
      client.on('error', () => {});
      await client.connect().catch(fail);
      return within(client, `${BEGIN}; ${WRITER}`, work, () => void client.end().catch(() => {}));
    },
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
    if (!readOnly) await makeWriter(database);
    if (!(await isGenuinePostgres(reader))) return database;
  } catch (error) {
    await pool.end();
    throw error;
  }
  nameOf = createStatementNames();
  return { ...database, dataVersion: () => snapshotVersion(reader) };
}

async function onlyRead(client: pg.ClientBase): Promise<void> {
  await client.query('SET default_transaction_read_only = on');
}

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** The lock of this one row is the right to write: plain SQL, where advisory locks are not known to every relative. */
const WRITER = 'SELECT n FROM writer FOR UPDATE';

/** What several get that make one table at once: a double name, or a row of the catalogue changed under them. */
const RACED = new Set(['23505', '42P07', '42710', 'XX000']);

/** Makes the writer's row. Several may: all but one fail, or do nothing, and find it the next time. */
async function makeWriter(database: Database): Promise<void> {
  const codeOf = (error: unknown) => String((error as { code?: unknown }).code);
  for (let attempt = 1; ; attempt += 1) {
    try {
      if ((await database.get('SELECT n FROM writer')) !== undefined) return;
      await database.run('INSERT INTO writer VALUES (1) ON CONFLICT (n) DO NOTHING');
    } catch (error) {
      if (codeOf(error) !== '42P01' || attempt === TRIES) throw error;
      const made = database.run('CREATE TABLE IF NOT EXISTS writer (n BIGINT PRIMARY KEY)');
      await made.catch((raced: unknown) => {
        if (!RACED.has(codeOf(raced))) throw raced;
      });
    }
  }
}

type Answer = { rows: Row[]; rowCount: number | null };

function statementsOf(asked: (sql: string, parameters?: readonly Value[]) => Promise<Answer>): Statements {
  return {
    all: async <T extends Row>(sql: string, parameters?: readonly Value[]) =>
      (await asked(sql, parameters)).rows as T[],
    get: async <T extends Row>(sql: string, parameters?: readonly Value[]) =>
      (await asked(sql, parameters)).rows[0] as T | undefined,
    run: async (sql, parameters) => (await asked(sql, parameters)).rowCount ?? 0,
    allIn: async <T extends Row>(sql: string, values: readonly Value[]) =>
      (await asked(sql.replace('IN ?', '= ANY($1)'), [arrayOf(values)])).rows as T[],
  };
}

/** An array as PostgreSQL writes it, of integers or texts. */
function arrayOf(values: readonly Value[]): string {
  return `{${values.map((value) => `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

async function ask(
  client: pg.Pool | pg.ClientBase,
  sql: string,
  parameters: readonly Value[] = [],
  name?: string,
): Promise<Answer> {
  try {
    const asked = { text: spoken(sql), values: [...parameters] };
    return await client.query<Row>(name === undefined ? asked : { ...asked, name });
  } catch (error) {
    return fail(error);
  }
}

/** Texts of hundreds of words; the rest needs no translation. */
const SPOKEN = new Map<string, string>();

/**
 * The statement in this engine's words: two functions that the engines do not call alike write the same JSON of a text,
 * and give the elements of an array. Other statements than those of kept-plans.ts are not prepared under names: a
 * connection would keep the plan that was right for an empty table.
 */
function spoken(sql: string): string {
  if (!/json_(?:quote|each)\(/.test(sql)) return sql;
  let text = SPOKEN.get(sql);
  if (text === undefined) {
    text = sql
      .replaceAll(/json_quote\(([\w.]+)\)/g, 'CAST(to_json($1) AS TEXT)')
      .replaceAll('json_each(', 'jsonb_array_elements(');
    SPOKEN.set(sql, text);
  }
  return text;
}

/** By SQLSTATE or its class; of the rest none is for the service to get over. */
const KINDS: Record<string, AccessErrorKind> = {
  '08': 'unreachable',
  '28': 'refused',
  '40': 'busy',
  '53': 'busy',
  53100: 'full',
  53300: 'unreachable',
  '55P03': 'busy',
  '57': 'unreachable',
  57014: 'busy',
  25006: 'busy',
  42501: 'denied',
  58030: 'busy',
};

/** By the words of the client's own errors, which have no code. */
const SAID: readonly [text: RegExp, kind: AccessErrorKind][] = [
  [/^SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a (?:non-empty )?string$/, 'unproven'],
  [/^The server does not support SSL connections$/, 'open'],
];

function fail(error: unknown): never {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    const kind = KINDS[code] ?? KINDS[code.slice(0, 2)];
    throw kind === undefined ? error : new DatabaseAccessError(kind, code, error);
  }
  // The client's own errors are those of its connection, but for mistakes of ours.
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
  const said = SAID.find(([text]) => text.test(error.message))?.[1];
  if (said !== undefined) throw new DatabaseAccessError(said, undefined, error);
  const { code } = error as NodeJS.ErrnoException;
  const slow = error.message === 'Query read timeout';
  throw new DatabaseAccessError(slow ? 'busy' : 'unreachable', code ?? (slow ? 'timeout' : 'lost'), error);
}

function isLost(error: unknown): boolean {
  return error instanceof DatabaseAccessError && error.kind === 'unreachable';
}

/** A serialization failure or a deadlock: nothing was done, and the same may go through now. */
function ranIntoAnother(error: unknown): boolean {
  return error instanceof DatabaseAccessError && (error.code === '40001' || error.code === '40P01');
}

/** The number of the type whose values the client would give as text. */
const INT8 = 20;

function getTypeParser(type: number): (text: string) => unknown {
  return type === INT8 ? safeInteger : (pg.types.getTypeParser(type) as (text: string) => unknown);
}

function safeInteger(text: string): number {
  const whole = Number(text);
  if (!Number.isSafeInteger(whole)) throw new RangeError('a stored integer is beyond 2^53');
  return whole;
}
