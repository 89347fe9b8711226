// Keyset reading of one window: the rows strictly between two keys, in ascending order, at a cost that depth does not change.
import type { Row, Statements, Value } from './database.ts';

/** Part of a WHERE clause; its parameters are numbered from $1 in the order of `values`. */
export type Condition = { sql: string; values: readonly Value[] };

/** Keys are compared column by column; null is the open edge of the list. */
export type Span = {
  after: readonly number[] | null;
  before: readonly number[] | null;
  limit: number;
  direction: 'forward' | 'backward';
};

export type Read = { select: string; key: readonly string[]; where: readonly Condition[] };

/** `limit` rows at most, and whether the window holds more in the direction it was read. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the row type is the statement’s, which the caller knows
export async function readSpan<T extends Row>(
  statements: Statements,
  { select, key, where }: Read,
  span: Span,
): Promise<{ rows: T[]; has_more: boolean }> {
  const conditions = [...where];
  const columns = key.length === 1 ? key[0]! : `(${key.join(', ')})`;
  if (span.after !== null) conditions.push(compared(columns, '>', span.after));
  if (span.before !== null) conditions.push(compared(columns, '<', span.before));

  const values: Value[] = [];
  const clauses = conditions.map((condition) => numbered(condition, values));
  const clause = clauses.length === 0 ? '' : ` WHERE ${clauses.join(' AND ')}`;
  const order = span.direction === 'forward' ? 'ASC' : 'DESC';
  const by = key.map((column) => `${column} ${order}`).join(', ');
  // One row more than asked tells whether there is more.
  values.push(span.limit + 1);
  const rows = await statements.all<T>(`${select}${clause} ORDER BY ${by} LIMIT $${values.length}`, values);
  const has_more = rows.length > span.limit;
  if (has_more) rows.pop();
  if (span.direction === 'backward') rows.reverse();
  return { rows, has_more };
}

function compared(columns: string, operator: '<' | '>', key: readonly number[]): Condition {
  const marks = key.map((_, index) => `$${index + 1}`).join(', ');
  return { sql: `${columns} ${operator} ${key.length === 1 ? marks : `(${marks})`}`, values: key };
}

/** The condition with its parameters moved behind those already there. */
function numbered({ sql, values }: Condition, all: Value[]): string {
  const start = all.length;
  all.push(...values);
  return sql.replaceAll(/\$(\d+)/g, (_, digits: string) => `$${start + Number(digits)}`);
}
