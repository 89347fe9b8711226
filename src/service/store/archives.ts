// The archives of one PostgreSQL database, each in a schema of its own: their names, what each has, upgrades, and how one is dropped.
import { namesOfArchives } from './engines/archive-names.ts';
import type { PostgresOptions, PostgresServer } from './engines/postgres.ts';
import { migrate, NEWEST_VERSION } from './schema/migrate.ts';
import { TABLES } from './schema/migrations.ts';
import { DatabaseAccessError } from './sql/database-error.ts';
import type { Database, Statements } from './sql/database.ts';
import { NoArchive, UnusableArchive } from './sql/unusable-archive.ts';

/**
 * `older`: this arx brings it up to date. `newer`: a newer arx wrote it. `unfinished_copy`: nothing but the copy opens it.
 * `damaged`: tables of an archive are missing.
 */
export const ARCHIVE_STATES = ['ready', 'older', 'newer', 'unfinished_copy', 'damaged'] as const;

/** One archive of a database. `schema` is the version of its tables. Unknown values are null. */
export type ArchiveEntry = {
  name: string;
  state: (typeof ARCHIVE_STATES)[number];
  schema: number | null;
  messages: number | null;
  attachments: number | null;
};

/**
 * PostgreSQL keeps what it knows of every table that a connection has used, until it ends: 150 MiB for a thousand archives.
 */
const MAX_USES = 1_000;

/**
 * Returns connections to the database of an address, which its archives share. The first statement connects. Throws a TypeError
 * for a wrong address.
 */
export async function connectServer(
  options: Pick<PostgresOptions, 'url' | 'readOnly'>,
): Promise<PostgresServer> {
  const postgres = await import('./engines/postgres.ts');
  return postgres.connectServer({ ...options, maxUses: MAX_USES });
}

/** Returns the names of all archives in order. Schemas whose name no archive may have are left out. */
export async function archiveNames({ catalogue }: PostgresServer): Promise<string[]> {
  return namesOfArchives(catalogue);
}

/** Returns what one archive has, by one statement about its schema alone. Throws DatabaseAccessError. */
export async function describeArchive({ catalogue }: PostgresServer, name: string): Promise<ArchiveEntry> {
  const own = (table: string): string => `"${name}".${table}`;
  const found = await catalogue
    .get<{ schema: number | null; messages: number; attachments: number; copy: string | null }>(
      `SELECT (SELECT MAX(version) FROM ${own('migrations')}) AS schema,
        (SELECT COALESCE(MAX(n), 0) FROM ${own('messages')}) AS messages,
        (SELECT COALESCE(MAX(n), 0) FROM ${own('attachments')}) AS attachments,
        (SELECT value FROM ${own('meta')} WHERE key = 'copy') AS copy`,
    )
    .catch((error: unknown) => {
      if (error instanceof DatabaseAccessError) throw error;
      return undefined;
    });
  if (found?.schema == null)
    return { name, state: 'damaged', schema: null, messages: null, attachments: null };
  const { schema, messages, attachments, copy } = found;
  return { name, state: stateOf(schema, copy), schema, messages, attachments };
}

/**
 * Returns the bytes that the tables of an archive take in the database, with their indexes; null where the database cannot tell.
 */
export async function archiveBytes({ catalogue }: PostgresServer, name: string): Promise<number | null> {
  const sizes = TABLES.map(
    (table) => `COALESCE(pg_total_relation_size(to_regclass('"${name}".${table}')), 0)`,
  );
  const row = await catalogue
    .get<{ bytes: number }>(`SELECT CAST(${sizes.join(' + ')} AS BIGINT) AS bytes`)
    .catch((error: unknown) => {
      if (error instanceof DatabaseAccessError) throw error;
      return undefined;
    });
  return row?.bytes ?? null;
}

function stateOf(schema: number, copy: string | null): ArchiveEntry['state'] {
  if (copy !== null) return 'unfinished_copy';
  if (schema === NEWEST_VERSION) return 'ready';
  return schema < NEWEST_VERSION ? 'older' : 'newer';
}

/** Returns whether the database has a schema of this name that its user may not use. Archives in it are not listed. */
export async function isSchemaDenied({ catalogue }: PostgresServer, name: string): Promise<boolean> {
  const found = await catalogue.get(
    `SELECT 1 AS one FROM pg_catalog.pg_namespace n WHERE n.nspname = $1 AND NOT has_schema_privilege(n.oid, 'USAGE')`,
    [name],
  );
  return found !== undefined;
}

/** Throws {@link UnusableArchive} where no archive can be made in the database: another encoding, or this user may make no schema. */
export async function checkMayCreate({ catalogue }: PostgresServer): Promise<void> {
  const found = await catalogue.get<{ encoding: string; may: number }>(
    `SELECT current_setting('server_encoding') AS encoding,
      CAST(has_database_privilege(current_database(), 'CREATE') AS INTEGER) AS may`,
  );
  const refused = (why: string) => new UnusableArchive(why, { isDamaged: false });
  if (found?.encoding !== 'UTF8') throw refused('its encoding is not UTF8');
  if (found.may !== 1)
    throw refused('this user may make no schema in it: the right CREATE on the database is missing');
}

/** Returns whether events of an archive are still to be applied. */
export async function hasQueuedEvents({ catalogue }: PostgresServer, name: string): Promise<boolean> {
  const row = await catalogue.get(`SELECT 1 AS one FROM "${name}".events WHERE effect = 'queued' LIMIT 1`);
  return row !== undefined;
}

/** How one archive of a database is opened for work on its tables. `url` names its schema. */
export type TablesWork = {
  server: PostgresServer;
  url: string;
  name: string;
  sleep(ms: number): Promise<void>;
};

async function withTables<T>(archive: TablesWork, work: (database: Database) => Promise<T>): Promise<T> {
  const { openPostgres } = await import('./engines/postgres.ts');
  const database = await openPostgres(archive);
  return work(database).finally(() => database.close());
}

/**
 * Brings the tables of one archive to the newest version. Resolves to whether anything was changed. Throws as `openArchive`.
 */
export async function upgradeArchive(archive: TablesWork): Promise<boolean> {
  return withTables(archive, (database) => migrate(database));
}

const OTHERS_DEPEND = '2BP01';

/** Objects of a schema. Indexes and TOAST tables belong to a table. */
const OBJECTS = `
  SELECT CAST(c.relname AS TEXT) AS name FROM pg_catalog.pg_class c
  WHERE c.relnamespace = CAST($1 AS regnamespace) AND c.relkind NOT IN ('i', 'I', 't')`;

/**
 * Drops an archive with its schema; of the schema `public` only its tables. Files in a folder or a bucket stay. It waits for the
 * writer of the archive. Throws {@link NoArchive}, {@link UnusableArchive} where the schema has other objects too, and
 * DatabaseAccessError.
 */
export async function dropArchive(archive: TablesWork): Promise<void> {
  const { server, name } = archive;
  if (!(await archiveNames(server)).includes(name))
    throw new NoArchive(`there is no archive ${name} in the database`);
  await withTables(archive, (database) => database.transaction((statements) => dropTables(statements, name)));
}

/** Returns the tables of an archive. Throws {@link UnusableArchive} where the schema has other objects too, so that it is not dropped. */
export async function checkDroppable(statements: Pick<Statements, 'all'>, name: string): Promise<string[]> {
  const rows = await statements.all<{ name: string }>(OBJECTS, [`"${name}"`]);
  const names = rows.map((row) => row.name);
  const own = new Set([...TABLES, 'writer', 'migrations']);
  if (names.some((each) => !own.has(each)))
    throw new UnusableArchive('its schema has tables of something else too', { isDamaged: false });
  return names;
}

/**
 * Drops the tables of an archive and its schema, in the transaction of its writer. Throws {@link UnusableArchive} where the schema has
 * other objects too, or something depends on it.
 */
export async function dropTables(statements: Statements, name: string): Promise<void> {
  const names = await checkDroppable(statements, name);
  try {
    await statements.run(`DROP TABLE ${names.map((each) => `"${name}"."${each}"`).join(', ')}`);
    if (name !== 'public') await statements.run(`DROP SCHEMA "${name}"`);
  } catch (error) {
    if ((error as { code?: unknown }).code !== OTHERS_DEPEND) throw error;
    const text = 'something else depends on its tables or its schema';
    throw new UnusableArchive(text, { isDamaged: false, cause: error });
  }
}
