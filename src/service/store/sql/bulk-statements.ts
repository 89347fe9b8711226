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

/** What columns are, which nothing else tells an engine that is given values in a text. */
export type Columns = Readonly<Record<string, 'BIGINT' | 'TEXT'>>;

/** Inserts rows in one statement, whose values stand in the order of `columns`. Texts must not hold NUL. */
export async function addRows(
  statements: Statements,
  table: string,
  columns: Columns,
  rows: readonly (readonly Value[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.keys(columns).join(', ');
  const insert = [`INSERT INTO ${table} (${names}) ${given(columns)}`, [JSON.stringify(rows)]] as const;
  if (statements.last === undefined) await statements.run(...insert);
  else statements.last(...insert);
}

/**
 * Sets columns of many rows in one statement: each of `rows` has its key `n` first and then the values of `columns`, in
 * their order. Texts must not hold NUL.
 */
export async function updateRows(
  statements: Statements,
  table: string,
  columns: Columns,
  rows: readonly (readonly Value[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const set = Object.keys(columns).map((name) => `${name} = v.${name}`);
  await statements.run(
    `WITH v AS (${given({ n: 'BIGINT', ...columns })})
      UPDATE ${table} SET ${set.join(', ')} FROM v WHERE ${table}.n = v.n`,
    [JSON.stringify(rows)],
  );
}

/** The rows of `$1`, an array of arrays: one text for however many. */
function given(columns: Columns): string {
  const fields = Object.entries(columns).map(
    ([name, type], at) => `CAST(value ->> ${at} AS ${type}) AS ${name}`,
  );
  return `SELECT ${fields.join(', ')} FROM json_each($1)`;
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
  if (statements.allIn !== undefined) return all.length === 0 ? [] : statements.allIn<T>(sql, all);
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
