// What lies in a PostgreSQL database, asked before anything is changed in it: an archive, nothing, or tables of something else.
import type { Statements } from '../sql/database.ts';
import { FIRST_TABLES, TABLES } from '../schema/migrate.ts';
import { DatabaseAccessError } from '../sql/database-error.ts';
import { NoArchive, UnusableArchive } from '../sql/unusable-archive.ts';

/** Made before all others, outside the transaction that makes them. */
const WRITER = 'writer';
const VERSIONS = 'migrations';
const OURS = new Set([...TABLES, WRITER, VERSIONS]);

/** What the names of statements stand for; tables that came with an extension are nobody's. */
const LOOK = `
  SELECT place.encoding, seen.* FROM (SELECT current_setting('server_encoding') AS encoding) AS place LEFT JOIN (
    SELECT c.relname AS name, CAST(c.relkind IN ('r', 'p', 'f') AND n.nspname = current_schema() AS INTEGER) AS counts,
      CAST(has_table_privilege(c.oid, 'INSERT') AS INTEGER) AS insertable,
      CAST(has_table_privilege(c.oid, 'UPDATE') AS INTEGER) AS updatable
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY (current_schemas(false)) AND c.relkind IN ('r', 'p', 'f', 'v', 'm') AND pg_table_is_visible(c.oid)
      AND NOT EXISTS (
        SELECT 1 FROM pg_depend d WHERE d.classid = CAST('pg_class' AS regclass) AND d.objid = c.oid AND d.deptype = 'e'
      )
  ) AS seen ON TRUE`;
type Seen = { encoding: string; name: string | null; counts: number; insertable: number; updatable: number };

/**
 * Returns where there is an archive that this user may write to, or may be made: nothing of others is there. `readOnly`,
 * where there is an archive. Throws {@link UnusableArchive}, {@link NoArchive}, or {@link DatabaseAccessError} of the kind `unwritable`.
 */
export async function checkContents(
  statements: Pick<Statements, 'all'>,
  { readOnly }: { readOnly: boolean },
): Promise<void> {
  const rows = await statements.all<Seen>(LOOK).catch((error: unknown) => {
    if (error instanceof DatabaseAccessError) throw error;
    return undefined;
  });
  // A relative of PostgreSQL that has not all of its catalogues is taken as it comes.
  if (rows === undefined) return;
  if (rows[0]?.encoding !== 'UTF8')
    throw new UnusableArchive('its encoding is not UTF8', { isDamaged: false });
  const seen = rows.flatMap((row) => (row.name === null ? [] : [{ ...row, name: row.name }]));
  const ours = new Map(seen.filter(({ name }) => OURS.has(name)).map((row) => [row.name, row]));
  const lost = [...FIRST_TABLES, VERSIONS].filter((name) => !ours.has(name));
  if (lost.length === 0) {
    if (!readOnly && !isWritable([...ours.values()]))
      throw new DatabaseAccessError('unwritable', undefined, undefined);
    return;
  }
  const isNone = seen.every(({ name, counts }) => name === WRITER || (counts === 0 && !OURS.has(name)));
  if (isNone) {
    if (readOnly) throw new NoArchive('there is no archive in the database');
    return;
  }
  if (lost.length < FIRST_TABLES.length / 2 && ours.has(WRITER)) {
    throw new UnusableArchive('it is damaged, tables of the archive are missing', { isDamaged: true });
  }
  const foreign = 'it holds tables of something else; an archive wants a database or a schema of its own';
  throw new UnusableArchive(foreign, { isDamaged: false });
}

/** Rows are added to each but that of the versions; the writer's is locked, for which the right to change it is needed. */
function isWritable(ours: readonly { name: string; insertable: number; updatable: number }[]): boolean {
  return ours.every(
    ({ name, insertable, updatable }) =>
      name === VERSIONS || (name === WRITER ? updatable : insertable) === 1,
  );
}
