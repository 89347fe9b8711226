// Looks at what a PostgreSQL database contains before anything is changed: an archive, nothing, or other tables.
import { Fault, NOTHING_CHANGED } from '../../../faults.ts';
import { FIRST_TABLES, TABLES } from '../schema/migrations.ts';
import { DatabaseAccessError } from '../sql/database-error.ts';
import type { Statements } from '../sql/database.ts';
import { namesOfArchives } from './archive-names.ts';
import { isCreatedByAnother } from './postgres-writer.ts';
import { NoArchive, NoSchema, UnusableArchive } from '../sql/unusable-archive.ts';

/** The table that writers lock. It is created before all others, outside the transaction that creates them. */
const WRITER = 'writer';
/** The table of schema versions. */
const VERSIONS = 'migrations';
const OWN_TABLES = new Set([...TABLES, WRITER, VERSIONS]);

/**
 * Returns the statement that selects the encoding, and the tables and views that a statement could name, those of extensions left out:
 * all of them, or those with these names, which the index of names finds among the tables of thousands of schemas. `counts` is 1
 * for a table in the current schema.
 */
const contentsOf = (names?: readonly string[]): string => `
  SELECT place.encoding, place.current, seen.* FROM (
    SELECT current_setting('server_encoding') AS encoding, CAST(current_schema() AS TEXT) AS current
  ) AS place LEFT JOIN (
    SELECT c.relname AS name, CAST(c.relkind IN ('r', 'p', 'f') AND c.relnamespace = (
        SELECT n.oid FROM pg_namespace n WHERE n.nspname = current_schema()
      ) AS INTEGER) AS counts,
      CAST(has_table_privilege(c.oid, 'INSERT') AS INTEGER) AS insertable,
      CAST(has_table_privilege(c.oid, 'UPDATE') AS INTEGER) AS updatable
    FROM pg_class c
    WHERE c.relnamespace = ANY (ARRAY (SELECT n.oid FROM pg_namespace n WHERE n.nspname = ANY (current_schemas(false))))
      ${names === undefined ? '' : `AND c.relname IN (${names.map((name) => `'${name}'`).join(', ')})`}
      AND c.relkind IN ('r', 'p', 'f', 'v', 'm') AND pg_table_is_visible(c.oid)
      AND NOT EXISTS (
        SELECT 1 FROM pg_depend d WHERE d.classid = CAST('pg_class' AS regclass) AND d.objid = c.oid AND d.deptype = 'e'
      )
  ) AS seen ON TRUE`;
const OWN_CONTENTS = contentsOf([...OWN_TABLES]);
const CONTENTS = contentsOf();
type ContentsRow = {
  encoding: string;
  current: string | null;
  name: string | null;
  counts: number;
  insertable: number;
  updatable: number;
};

/**
 * Resolves when the database contains an archive that this user may write, or nothing. With `readOnly`: when it contains
 * an archive, also with `mustExist`. `schema`: the one that must exist. `isNamed`: the address says which schema is meant. Throws
 * {@link UnusableArchive}, {@link NoArchive}, {@link DatabaseAccessError} `unwritable`, or Fault 'usage' where a name is missing: the schema
 * `public` contains no archive, and others do.
 */
export async function checkContents(
  statements: Pick<Statements, 'all'>,
  {
    readOnly,
    mustExist = readOnly,
    schema,
    isNamed = schema !== undefined,
  }: { readOnly: boolean; mustExist?: boolean; schema?: string | undefined; isNamed?: boolean },
): Promise<void> {
  const select = (sql: string): Promise<ContentsRow[] | undefined> =>
    statements.all<ContentsRow>(sql).catch((error: unknown) => {
      if (error instanceof DatabaseAccessError) throw error;
      return undefined;
    });
  const rows = await select(OWN_CONTENTS);
  // A compatible database without these catalogues is not checked.
  if (rows === undefined) return;
  if (rows[0]?.encoding !== 'UTF8')
    throw new UnusableArchive('its encoding is not UTF8', { isDamaged: false });
  if (schema !== undefined && rows[0].current === null)
    throw new NoSchema(`there is no archive ${schema} in the database`);
  const own = new Map(rows.map((row) => [row.name, row]));
  const missing = [...FIRST_TABLES, VERSIONS].filter((name) => !own.has(name));
  if (missing.length === 0) {
    if (!readOnly && !isWritable([...own.values()]))
      throw new DatabaseAccessError('unwritable', undefined, undefined);
    return;
  }
  const all = (await select(CONTENTS)) ?? [];
  const tables = all.flatMap((row) => (row.name === null ? [] : [{ ...row, name: row.name }]));
  const isEmpty = tables.every(
    ({ name, counts }) => name === WRITER || (counts === 0 && !OWN_TABLES.has(name)),
  );
  if (isEmpty) {
    if (!isNamed && rows[0].current === 'public') await refuseWithoutName(statements);
    if (mustExist) throw new NoArchive('there is no archive in the database');
    return;
  }
  if (missing.length < FIRST_TABLES.length / 2 && own.has(WRITER)) {
    throw new UnusableArchive('it is damaged: tables of the archive are missing', { isDamaged: true });
  }
  throw new UnusableArchive(
    'it contains tables of something else; an archive needs a database or schema of its own',
    { isDamaged: false },
  );
}

/** How many archives a message names. */
const MAX_NAMES = 5;

/** A database with named archives gets no other one because a name was forgotten. */
async function refuseWithoutName(statements: Pick<Statements, 'all'>): Promise<void> {
  const names = await namesOfArchives(statements);
  // A process that failed may have left the row of the writer in this schema.
  const others = names.filter((name) => name !== 'public');
  if (others.length === 0) return;
  const shown = others.slice(0, MAX_NAMES).join(', ') + (others.length > MAX_NAMES ? ', …' : '');
  throw new Fault('usage', `the database has named archives (${shown}), and the address names none`, {
    kept: NOTHING_CHANGED,
    hint: 'add ?schema=NAME to the address; ?schema=public is the archive without a name of its own',
  });
}

/** Makes a schema where it is missing. Several processes may do so at once. */
export async function createSchema(statements: Statements, schema: string): Promise<void> {
  await statements.run(`CREATE SCHEMA IF NOT EXISTS "${schema}"`).catch((error: unknown) => {
    if (!isCreatedByAnother(error)) throw error;
  });
}

/** Rows are inserted into each table but that of the versions. Locking the writer's row needs the right to update it. */
function isWritable(own: readonly { name: string | null; insertable: number; updatable: number }[]): boolean {
  return own.every(
    ({ name, insertable, updatable }) =>
      name === VERSIONS || (name === WRITER ? updatable : insertable) === 1,
  );
}
