// Many rows in few statements: inserts and look-ups whose texts are so few that they stay prepared.
import type { Row, Statements, Value } from './database.ts';

const MOST_ROWS = 64;

/** Inserts rows of the same columns, in order, as many a statement as a power of two up to 64 allows. */
export async function insertRows(statements: Statements, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  for (let at = 0; at < rows.length;) {
    const count = 2 ** Math.floor(Math.log2(Math.min(rows.length - at, MOST_ROWS)));
    const places = Array.from({ length: count }, (_, row) => {
      const first = row * columns.length + 1;
      return `(${columns.map((_name, column) => `$${first + column}`).join(',')})`;
    });
    await statements.run(
      `INSERT INTO ${table} (${columns.join(',')}) VALUES ${places.join(',')}`,
      rows.slice(at, at + count).flatMap((row) => Object.values(row)),
    );
    at += count;
  }
}

const MANY = Array.from({ length: MOST_ROWS }, (_, index) => `$${index + 1}`).join(',');

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
    // Filled up with its last value, so that the text is always the same.
    while (some.length < MOST_ROWS) some.push(some.at(-1) ?? null);
    found.push(...(await statements.all<T>(sql.replace('IN ?', `IN (${MANY})`), some)));
  }
  return found;
}
