// Many rows in few statements: inserts and look-ups whose texts are so few that they stay prepared.
import type { Row, Statements, Value } from './database.ts';

const MOST_ROWS = 64;

/** Rows from which on a copy is faster: it takes a round of messages more than a statement. */
const LEAST_COPIED = 8;

/** Inserts rows of the same columns, in order: by a copy where there is one, or some a statement. */
export async function insertRows(statements: Statements, table: string, rows: readonly Row[]): Promise<void> {
  if (statements.copy !== undefined && rows.length >= LEAST_COPIED) return statements.copy(table, rows);
  const columns = Object.keys(rows[0] ?? {});
  for (const some of chunksOf(rows)) {
    const tuples = some.map((_, row) => `(${places(columns, row * columns.length + 1)})`);
    await statements.run(
      `INSERT INTO ${table} (${columns.join(',')}) VALUES ${tuples.join(',')}`,
      some.flatMap((row) => Object.values(row)),
    );
  }
}

/**
 * Sets columns of many rows: each of `rows` has its key `n` first and then the values of `columns`, in their order.
 * What a column is is told by its type, since nothing else tells the engine what a parameter is.
 */
export async function updateRows(
  statements: Statements,
  table: string,
  columns: Readonly<Record<string, 'BIGINT' | 'TEXT'>>,
  rows: readonly (readonly Value[])[],
): Promise<void> {
  const names = Object.keys(columns);
  const types = ['BIGINT', ...Object.values(columns)];
  const set = names.map((name) => `${name} = v.${name}`).join(', ');
  for (const some of chunksOf(rows)) {
    const tuples = some.map((_, row) => {
      const first = row * types.length + 1;
      return `(${types.map((type, at) => `CAST($${first + at} AS ${type})`).join(',')})`;
    });
    await statements.run(
      `WITH v (n, ${names.join(', ')}) AS (VALUES ${tuples.join(',')})
        UPDATE ${table} SET ${set} FROM v WHERE ${table}.n = v.n`,
      some.flat(),
    );
  }
}

/** At most 64 at once: no more texts than that are made for a statement, and the last rows cost one and not six. */
export function* chunksOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += MOST_ROWS) yield rows.slice(at, at + MOST_ROWS);
}

/** Rows of a statement that has `IN (…)` in the place of its only `IN ?`, for values however many. */
export async function selectIn<T extends Row>(
  statements: Statements,
  sql: string,
  values: Iterable<Value>,
): Promise<T[]> {
  const all = [...values];
  const found: T[] = [];
  for (let at = 0; at < all.length; at += MOST_ROWS) {
    const some = all.slice(at, at + MOST_ROWS);
    found.push(...(await statements.all<T>(sql.replace('IN ?', `IN (${places(fill(some), 1)})`), some)));
  }
  return found;
}

/** Filled up with its last value to a power of two, so that texts made for it are few. */
export function fill<T>(values: T[]): T[] {
  while (!Number.isInteger(Math.log2(values.length))) values.push(values.at(-1)!);
  return values;
}

/** `$first,…`, one for each value. */
export function places(values: readonly unknown[], first: number): string {
  return values.map((_, index) => `$${first + index}`).join(',');
}
