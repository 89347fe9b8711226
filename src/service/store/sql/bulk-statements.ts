// Inserts, updates and look-ups of many rows in few statements. There are few different texts, so they stay prepared.
import type { Columns, NewRow, StoredRow, Table } from '../../records/table.ts';
import type { Reads, Row, Statements, Value } from './database.ts';

/** Rows or values of one statement. */
const MAX_ROWS = 64;

/** COPY is faster from this number of rows on: it costs one more round trip than a statement. */
const MIN_COPIED_ROWS = 8;

/** Where rows are inserted: the table, and the columns that are set. */
export type Target = Pick<Table, 'name' | 'inserted'>;

/** Inserts rows in order: by COPY where the engine has it and there are enough rows, else 64 rows a statement. */
export async function insertRows<T extends Target>(
  statements: Statements,
  table: T,
  rows: readonly (T extends Table ? NewRow<T> : Row)[],
): Promise<void> {
  const columns = table.inserted;
  const values = (rows as readonly Row[]).map((row) => columns.map((column) => row[column]!));
  if (statements.copy !== undefined && rows.length >= MIN_COPIED_ROWS)
    return statements.copy(table.name, columns, values);
  for (const some of chunksOf(values)) {
    const tuples = some.map((_, row) => `(${parameterList(columns, row * columns.length + 1)})`);
    await statements.run(
      `INSERT INTO ${table.name} (${columns.join(',')}) VALUES ${tuples.join(',')}`,
      some.flat(),
    );
  }
}

/** Returns what runs statements at the end of a transaction: where the engine can, they are sent with the commit, in this order. */
export function atEnd(statements: Statements): Pick<Statements, 'run'> {
  const { last } = statements;
  if (last === undefined) return statements;
  return {
    async run(sql, parameters) {
      last(sql, parameters);
      return Number.NaN;
    },
  };
}

/** Inserts rows at the end of a transaction, see {@link atEnd}: there in one statement. Texts must not contain NUL. */
export async function appendRows<C extends Columns>(
  statements: Statements,
  table: Table<C>,
  rows: readonly NewRow<Table<C>>[],
): Promise<void> {
  if (statements.last === undefined) return insertRows<Target>(statements, table, rows as readonly Row[]);
  if (rows.length === 0) return;
  const names = table.inserted;
  await atEnd(statements).run(
    `INSERT INTO ${table.name} (${names.join(', ')}) ${selectGiven(table, names)}`,
    [given(rows as readonly Row[], names)],
  );
}

/** Sets the columns `changed` of many rows, found by `n`, in one statement. Texts must not contain NUL. */
export async function updateRows<C extends Columns, Changed extends keyof C & string>(
  statements: Pick<Statements, 'run'>,
  table: Table<C>,
  changed: readonly Changed[],
  rows: readonly Pick<StoredRow<Table<C>>, Changed | ('n' & keyof C)>[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = ['n', ...changed];
  const set = changed.map((name) => `${name} = v.${name}`);
  await statements.run(
    `WITH v AS (${selectGiven(table, names)})
      UPDATE ${table.name} SET ${set.join(', ')} FROM v WHERE ${table.name}.n = v.n`,
    [given(rows as readonly Row[], names)],
  );
}

/** Returns rows as JSON text, an array of arrays: one parameter for any number of rows. */
function given(rows: readonly Row[], names: readonly string[]): string {
  return JSON.stringify(rows.map((row) => names.map((name) => row[name])));
}

/** Returns the SELECT that reads such a parameter, `$1`, as rows with these columns. */
function selectGiven({ columns }: Pick<Table, 'columns'>, names: readonly string[]): string {
  const fields = names.map((name, at) => `CAST(value ->> ${at} AS ${columns[name]!.type.sql}) AS ${name}`);
  return `SELECT ${fields.join(', ')} FROM json_each($1)`;
}

/**
 * Yields parts of at most 64 rows. So a statement has at most 64 texts. Parts with power-of-two sizes would need fewer
 * texts but six statements for the last rows.
 */
export function* chunksOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += MAX_ROWS) yield rows.slice(at, at + MAX_ROWS);
}

/** Returns the rows of a statement whose only `IN ?` stands for `IN (…)` with any number of values. */
export async function selectIn<T extends Row>(
  statements: Reads,
  sql: string,
  values: Iterable<Value>,
): Promise<T[]> {
  const all = [...values];
  if (statements.allIn !== undefined) return all.length === 0 ? [] : statements.allIn<T>(sql, all);
  const found: T[] = [];
  for (let at = 0; at < all.length; at += MAX_ROWS) {
    const some = all.slice(at, at + MAX_ROWS);
    found.push(
      ...(await statements.all<T>(
        sql.replace('IN ?', `IN (${parameterList(padToPowerOfTwo(some), 1)})`),
        some,
      )),
    );
  }
  return found;
}

/** Repeats the last value until the length is a power of two, so that there are few different statement texts. */
export function padToPowerOfTwo<T>(values: T[]): T[] {
  while (!Number.isInteger(Math.log2(values.length))) values.push(values.at(-1)!);
  return values;
}

/** Returns `$first,…` with one parameter for each value. */
export function parameterList(values: readonly unknown[], first: number): string {
  return values.map((_, index) => `$${first + index}`).join(',');
}
