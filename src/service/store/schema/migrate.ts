// Brings the tables of an archive to the newest version, and refuses versions that this arx does not know.
import type { Database, Statements } from '../sql/database.ts';
import { isStoreDamaged } from '../sql/database-error.ts';
import { primaryCode, SQLITE } from '../sql/sqlite-result-codes.ts';
import { NoArchive, UnusableArchive } from '../sql/unusable-archive.ts';
import { MIGRATIONS } from './migrations.ts';
import { statementsOf } from './statements.ts';

/** The version that this arx reads and writes. */
export const NEWEST_VERSION = MIGRATIONS.length;

/**
 * Brings a database to the newest version. A new archive is made in one transaction, in which `fill` writes what it has; an
 * older one is changed version by version, so that an interrupted upgrade continues where it was. Resolves to whether
 * anything was changed. Throws {@link NewerSchema} for an archive of a newer arx, {@link UnusableArchive} for tables that
 * are not those of their version, and {@link NoArchive} without `fill` where there is none: it was dropped meanwhile.
 */
export async function migrate(
  database: Database,
  fill: (statements: Statements) => Promise<void> = refuse,
): Promise<boolean> {
  return migrateTo(database, NEWEST_VERSION, fill);
}

const refuse = (): Promise<never> => Promise.reject(new NoArchive('there is no archive'));

/** As {@link migrate}, to an older version, and also without `fill`. Tests create archives of an older arx with it. */
export async function migrateTo(
  database: Database,
  newest: number,
  fill?: (statements: Statements) => Promise<void>,
): Promise<boolean> {
  // Mostly there is nothing to do, and this costs one read. It fails where the table is missing; that is created below.
  const before = await versionOf(database).catch(() => undefined);
  if (before === newest) return false;
  if (before === 0) throw versionsLost();
  for (let version = 0; version < newest;) {
    version = await database.migration(async (statements) => {
      await statements.run('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY)');
      // Read again: another process may have migrated while this one waited for the lock.
      const there = await versionOf(statements);
      if (there > NEWEST_VERSION) throw new NewerSchema(there);
      const next = there === 0 ? newest : Math.min(there + 1, newest);
      for (let step = there; step < next; step += 1) await change(statements, database.engine, step);
      if (there === 0) await fill?.(statements);
      return Math.max(there, next);
    });
  }
  return true;
}

/** Makes the version after `version`. */
async function change(statements: Statements, engine: Database['engine'], version: number): Promise<void> {
  for (const statement of statementsOf(MIGRATIONS[version]!, engine)) {
    await statements.run(statement).catch((error: unknown) => {
      throw isNameConflict(error) ? otherTables(version, error) : error;
    });
  }
  await statements.run('INSERT INTO migrations VALUES ($1)', [version + 1]);
}

/** Tables and their versions are created in one transaction, so an empty table of versions has lost its rows. */
const versionsLost = (): UnusableArchive =>
  new UnusableArchive('the versions of its tables are lost', { isDamaged: true });

/** Whether a name exists already or does not exist: SQLSTATE 42P.. and 427.., in SQLite the general error code. */
function isNameConflict(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return primaryCode(error) === SQLITE.ERROR || (typeof code === 'string' && /^42[7P]/.test(code));
}

/** Returns the error of a database whose tables are not those of an archive of this version; 0 is none. */
export function otherTables(version: number, cause?: unknown): UnusableArchive {
  return version === 0
    ? new UnusableArchive('it contains tables of something else', { isDamaged: false, cause })
    : new UnusableArchive('its tables are not those of its version', { isDamaged: true, cause });
}

/** Returns the version of the tables, and whether it is the newest. */
export async function schemaOf(statements: Statements): Promise<{ version: number; isNewest: boolean }> {
  const version = await versionOf(statements);
  return { version, isNewest: version === NEWEST_VERSION };
}

/** Throws {@link NewerSchema}, {@link OlderSchema} or {@link UnusableArchive} unless the version is the newest. */
export async function checkSchema(database: Database): Promise<void> {
  const version = await versionOf(database);
  if (version === 0) throw versionsLost();
  if (version > NEWEST_VERSION) throw new NewerSchema(version);
  if (version < NEWEST_VERSION) throw new OlderSchema(version);
}

/**
 * Returns the error of a statement as {@link NewerSchema} where a newer arx changed the tables since this process opened the archive:
 * a table, column or index that is missing then is no damage. Any other error comes back as it is.
 */
export async function withNewerSchema(database: Statements, error: unknown): Promise<unknown> {
  if (!isStoreDamaged(error)) return error;
  const version = await versionOf(database).catch(() => 0);
  return version > NEWEST_VERSION ? new NewerSchema(version) : error;
}

/**
 * Returns the same database, whose transactions throw {@link NewerSchema} once a newer arx has changed the tables: this one would leave out
 * what they have by then. Call it when the tables are there.
 */
export function refusingNewer<T extends Database>(database: T): T {
  const checked =
    <R>(work: (statements: Statements) => Promise<R>) =>
    async (statements: Statements): Promise<R> => {
      const version = statements.version ?? (await versionOf(statements));
      if (version > NEWEST_VERSION) throw new NewerSchema(version);
      return work(statements);
    };
  return {
    ...database,
    transaction: (work) => database.transaction(checked(work), { readsVersion: true }),
    tryTransaction: (work) => database.tryTransaction(checked(work), { readsVersion: true }),
  };
}

/** Reads the version of the tables. */
export const VERSION = 'SELECT MAX(version) AS version FROM migrations';

async function versionOf(statements: Statements): Promise<number> {
  return (await statements.get<{ version: number | null }>(VERSION))?.version ?? 0;
}

/** The archive was written by a newer arx. */
export class NewerSchema extends Error {
  readonly hint = 'a newer version of arx wrote it; use that version';

  constructor(version: number) {
    super(`the archive has schema ${version}, this arx knows ${NEWEST_VERSION}`);
  }
}

/** The archive was written by an older arx, and may not be changed now. */
export class OlderSchema extends Error {
  constructor(version: number) {
    super(`the archive has schema ${version}, this arx reads ${NEWEST_VERSION}`);
  }
}
