// The tables of the archive, as numbered migrations that both engines understand after `typed()`.
import type { Database, Statements } from '../sql/database.ts';
import { primaryCode, SQLITE } from '../sql/sqlite-result-codes.ts';
import { UnusableArchive } from '../sql/unusable-archive.ts';

/** Statements with types both engines know after {@link typed}; `postgres` for tables that only it needs. */
type Migration = { both: string; postgres?: string };

/**
 * `n` is the number in msg_<n>, entry_<n>, conv_<n>, att_<n>: order of arrival, never reused.
 * `sequence` is the reported position; it equals `n` until a message.reordered event moves the message.
 * Times are integer milliseconds since the epoch, booleans 0 or 1, hashes lower-case hex.
 * `failed` is a bit set of failed integrity checks (rules/integrity.ts), `tier` the lowest tier that may read the row.
 * `orphans` are the messages that name a better parent than they have, by the keys they wait for; lower ranks are better.
 * `moved_by`, `source_by` and `decorative_by` name the event that wrote the value last; `applied` is the ordinal in
 * which an event took effect, null while it waits; `message` and `attachment` are the number of the record it waits for.
 * A queued event is applied from `due_ms` on, 0 for at once; `failures` counts the times that went wrong, `error` the last.
 * A partial index serves one kind of reader; IS TRUE keeps SQLite from taking a wider one in its place.
 * `blobs` and `chunks` are the files of an archive that has no folder for them; `counters` and `peers` what several
 * processes count together, and one alone keeps in mind.
 */
const MIGRATIONS: readonly Migration[] = [
  {
    both: `
  CREATE TABLE conversations (
    n INTEGER PRIMARY KEY, subject TEXT, source TEXT NOT NULL, first_message INTEGER NOT NULL,
    message_count INTEGER NOT NULL, started_ms BIGINT, last_ms BIGINT, failed INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE messages (
    n INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, parent INTEGER, sequence BIGINT NOT NULL, moved_by TEXT,
    message_key TEXT, date_ms BIGINT, sender TEXT, subject TEXT,
    format TEXT NOT NULL, source TEXT NOT NULL, classification TEXT NOT NULL,
    raw_sha256 TEXT NOT NULL, raw_bytes BIGINT NOT NULL, attachments INTEGER NOT NULL,
    tier TEXT NOT NULL, failed INTEGER NOT NULL DEFAULT 0, path TEXT NOT NULL, position BIGINT NOT NULL
  );
  CREATE UNIQUE INDEX messages_by_raw ON messages (raw_sha256);
  CREATE INDEX messages_by_sequence ON messages (sequence, n);
  CREATE INDEX messages_by_conversation ON messages (conversation, sequence, n);
  CREATE INDEX messages_by_key ON messages (message_key);
  CREATE TABLE raws (n INTEGER PRIMARY KEY, content BLOB NOT NULL);
  CREATE TABLE threads (message_key TEXT PRIMARY KEY, conversation INTEGER NOT NULL);
  CREATE INDEX threads_by_conversation ON threads (conversation);
  CREATE TABLE attachments (
    n INTEGER PRIMARY KEY, message INTEGER NOT NULL, part INTEGER NOT NULL, filename TEXT NOT NULL,
    sha256 TEXT NOT NULL, bytes BIGINT NOT NULL, declared_type TEXT NOT NULL, detected_type TEXT,
    stored INTEGER NOT NULL, redacted INTEGER NOT NULL, redaction TEXT,
    decorative_layer INTEGER NOT NULL, first_visible INTEGER NOT NULL, origin_city TEXT,
    source TEXT NOT NULL, tier TEXT NOT NULL, trailing_bytes BIGINT NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    source_by TEXT, decorative_by TEXT
  );
  CREATE INDEX attachments_redacted ON attachments (n) WHERE redacted = 1;
  CREATE INDEX attachments_by_type ON attachments (declared_type, n);
  CREATE INDEX attachments_by_city ON attachments (origin_city, n);
  CREATE INDEX attachments_by_message ON attachments (message, part);
  CREATE INDEX attachments_by_hash ON attachments (sha256, n);
  CREATE TABLE events (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, payload TEXT NOT NULL, body_sha256 TEXT NOT NULL,
    received_ms BIGINT NOT NULL, deliveries INTEGER NOT NULL, effect TEXT NOT NULL, applied INTEGER,
    message BIGINT, attachment BIGINT
  );
  CREATE INDEX events_waiting ON events (n) WHERE effect = 'waiting';
  CREATE INDEX events_by_message ON events (message, n) WHERE message IS NOT NULL;
  CREATE INDEX events_by_attachment ON events (attachment, n) WHERE attachment IS NOT NULL;
  CREATE UNIQUE INDEX events_by_applied ON events (applied);
  CREATE TABLE tokens (
    sha256 TEXT PRIMARY KEY, client_id TEXT NOT NULL, tier TEXT NOT NULL, scope TEXT NOT NULL, expires_ms BIGINT NOT NULL
  );
  CREATE INDEX tokens_by_expiry ON tokens (expires_ms);
  CREATE TABLE orphans (
    message_key TEXT NOT NULL, message INTEGER NOT NULL, rank INTEGER NOT NULL, PRIMARY KEY (message_key, message)
  );
  CREATE INDEX orphans_by_message ON orphans (message, rank);
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
  `,
  },
  {
    both: `
  CREATE INDEX attachments_by_source ON attachments (source, n);
  CREATE INDEX attachments_closed_to_external ON attachments (n) WHERE (redacted = 1 OR tier <> 'external') IS TRUE;
  CREATE INDEX attachments_closed_to_internal ON attachments (n) WHERE (redacted = 1 OR tier = 'mirror') IS TRUE;
  CREATE INDEX messages_displaced ON messages (n) WHERE sequence <> n;
  CREATE INDEX events_displaced ON events (n) WHERE applied <> n;
  `,
    postgres: `
  CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, bytes BIGINT NOT NULL);
  CREATE TABLE chunks (sha256 TEXT NOT NULL, chunk INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (sha256, chunk));
  CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL);
  CREATE TABLE peers (name TEXT PRIMARY KEY, start_ms BIGINT NOT NULL, count BIGINT NOT NULL);
  CREATE INDEX peers_by_start ON peers (start_ms);
  `,
  },
  {
    both: `
  ALTER TABLE events ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN due_ms BIGINT NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN error TEXT;
  CREATE INDEX events_queued ON events (n) WHERE effect = 'queued';
  CREATE INDEX events_dead ON events (n) WHERE effect = 'dead';
  CREATE INDEX events_superseded ON events (n) WHERE effect = 'superseded';
  `,
  },
  {
    both: `
  CREATE INDEX messages_failing ON messages (failed) WHERE failed <> 0;
  CREATE INDEX attachments_failing ON attachments (failed) WHERE failed <> 0;
  `,
  },
];

const tablesOf = (text: string): string[] =>
  [...text.matchAll(/CREATE TABLE (\w+)/g)].map(([, name = '']) => name);

/** What every archive has, however old. */
export const FIRST_TABLES: readonly string[] = tablesOf(MIGRATIONS[0]?.both ?? '');

/** All tables that an archive may have. */
export const TABLES: readonly string[] = MIGRATIONS.flatMap(({ both, postgres = '' }) =>
  tablesOf(both + postgres),
);

/**
 * Brings a database to the newest schema, in one transaction. Throws {@link NewerSchema} where it comes from a newer arx,
 * {@link UnusableArchive} where its tables are not those of its version.
 * Resolves to whether there was anything to do.
 */
export async function migrate(database: Database): Promise<boolean> {
  return migrateTo(database, MIGRATIONS.length);
}

/** As {@link migrate}, to an older schema: what an older arx would have made. */
export async function migrateTo(database: Database, newest: number): Promise<boolean> {
  // The usual case costs one read: where the table is missing the read fails and the transaction makes it.
  const before = await versionOf(database).catch(() => undefined);
  if (before === newest) return false;
  if (before === 0) throw versionsLost();
  await database.migration(async (statements) => {
    await statements.run('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY)');
    // Read again: another process may have migrated while this one waited for its turn.
    const version = await versionOf(statements);
    if (version > MIGRATIONS.length) throw new NewerSchema(version);
    for (const [index, migration] of MIGRATIONS.slice(0, newest).entries()) {
      if (index < version) continue;
      for (const statement of statementsOf(migration, database.engine)) {
        await statements.run(statement).catch((error: unknown) => {
          throw doesNotFit(error) ? notOf(version, error) : error;
        });
      }
      await statements.run('INSERT INTO migrations VALUES ($1)', [index + 1]);
    }
  });
  return true;
}

/** Tables and versions are made in one transaction: a table of versions without any has lost them. */
const versionsLost = (): UnusableArchive =>
  new UnusableArchive('the versions of its tables are lost', { isDamaged: true });

/** Whether a name is there already, or is not there: SQLSTATE 42P.. and 427.., and what SQLite has no other code for. */
function doesNotFit(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return primaryCode(error) === SQLITE.ERROR || (typeof code === 'string' && /^42[7P]/.test(code));
}

/** A statement of a migration does not fit where the tables are not as the one before left them. */
function notOf(version: number, cause: unknown): UnusableArchive {
  return version === 0
    ? new UnusableArchive('it holds tables of something else', { isDamaged: false, cause })
    : new UnusableArchive('its tables are not those of its version', { isDamaged: true, cause });
}

/** The version of the tables, and whether this arx needs another. */
export async function schemaOf(statements: Statements): Promise<{ version: number; isNewest: boolean }> {
  const version = await versionOf(statements);
  return { version, isNewest: version === MIGRATIONS.length };
}

/** Throws unless the schema is the newest: for those who must not change it. */
export async function checkSchema(database: Database): Promise<void> {
  const version = await versionOf(database);
  if (version === 0) throw versionsLost();
  if (version > MIGRATIONS.length) throw new NewerSchema(version);
  if (version < MIGRATIONS.length) throw new OlderSchema(version);
}

async function versionOf(statements: Statements): Promise<number> {
  const found = await statements.get<{ version: number | null }>(
    'SELECT MAX(version) AS version FROM migrations',
  );
  return found?.version ?? 0;
}

/** The archive was written by a newer arx than this one. */
export class NewerSchema extends Error {
  constructor(version: number) {
    super(`the archive has schema ${version}, this arx knows ${MIGRATIONS.length}`);
  }
}

/** The archive was written by an older arx, and may not be changed now. */
export class OlderSchema extends Error {
  constructor(version: number) {
    super(`the archive has schema ${version}, this arx reads ${MIGRATIONS.length}`);
  }
}

/**
 * The indexes that the migrations make, as they stand there; for PostgreSQL those that stand for a key, too, which can
 * be dropped there.
 */
export function indexesFor(engine: Database['engine']): { name: string; statement: string }[] {
  const statements = MIGRATIONS.flatMap((migration) => statementsOf(migration, engine));
  const indexes = statements.flatMap((statement) => {
    const [, name] = /^CREATE (?:UNIQUE )?INDEX (\w+) /.exec(statement) ?? [];
    return name === undefined ? [] : [{ name, statement }];
  });
  return engine === 'sqlite' ? indexes : [...statements.flatMap(keysOf), ...indexes];
}

/** The indexes that stand for the keys in this statement, as PostgreSQL calls them. */
function keysOf(statement: string): { name: string; statement: string }[] {
  const [, table] = /^CREATE TABLE (\w+)/.exec(statement) ?? [];
  const keys = statement.matchAll(/(?:(\w+) [^,(]*)?\b(PRIMARY KEY|UNIQUE)(?: \(([^)]*)\))?/g);
  return table === undefined
    ? []
    : Array.from(keys, ([, column, kind, columns]) => {
        const name = kind === 'UNIQUE' ? `${table}_${column}_key` : `${table}_pkey`;
        return { name, statement: `CREATE UNIQUE INDEX ${name} ON ${table} (${columns ?? column})` };
      });
}

function statementsOf({ both, postgres = '' }: Migration, engine: Database['engine']): string[] {
  return (engine === 'postgres' ? both + postgres : both)
    .split(';')
    .map((statement) => typed(statement.trim(), engine))
    .filter((statement) => statement !== '');
}

/** SQLite: STRICT tables, whose integers are all of 64 bits. PostgreSQL: the same integers, text in the order of its bytes. */
function typed(statement: string, engine: Database['engine']): string {
  if (engine === 'postgres') {
    return statement
      .replaceAll(/\bINTEGER\b/g, 'BIGINT')
      .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
      .replaceAll(/\bBLOB\b/g, 'BYTEA');
  }
  return statement.replaceAll('BIGINT', 'INTEGER') + (statement.startsWith('CREATE TABLE') ? ' STRICT' : '');
}
