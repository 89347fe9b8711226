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
export type Window<T> = { rows: T[]; has_more: boolean };

/** `limit` rows at most, and whether the window holds more in the direction it was read. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the row type is the statement’s, which the caller knows
export async function readSpan<T extends Row>(
  statements: Statements,
  read: Read,
  span: Span,
): Promise<Window<T>> {
  const { tail, values } = tailOf(read, span);
  return inOrder(await statements.all<T>(read.select + tail, values), span);
}

/** Stands between the rows of a page in one text: JSON has this character only as an escape. */
const BETWEEN = '\u0002';

/** As {@link readSpan}, of rows that are one column `json` of text: they come as one, which costs a fraction. */
export async function readTexts(statements: Statements, read: Read, span: Span): Promise<Window<string>> {
  const { tail, values } = tailOf(read, span);
  const page = await statements.get<{ rows: string | null }>(wholeText(read.select, tail), values);
  return inOrder(page?.rows?.split(BETWEEN) ?? [], span);
}

/** Statements by their two parts: one of thousands of characters is put together once, and found by its identity from then on. */
const WHOLE = new Map<string, Map<string, string>>();

function wholeText(select: string, tail: string): string {
  const known = WHOLE.get(select) ?? new Map<string, string>();
  if (known.size === 0) WHOLE.set(select, known);
  let whole = known.get(tail);
  if (whole === undefined) {
    // The rows come in the order of the inner statement: nothing stands between it and the aggregate.
    whole = `SELECT string_agg(json, '${BETWEEN}') AS rows FROM (${select}${tail}) AS page`;
    known.set(tail, whole);
  }
  return whole;
}

function tailOf({ key, where }: Read, span: Span): { tail: string; values: Value[] } {
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
  return { tail: `${clause} ORDER BY ${by} LIMIT $${values.length}`, values };
}

function inOrder<T>(rows: T[], { limit, direction }: Span): Window<T> {
  const has_more = rows.length > limit;
  if (has_more) rows.pop();
  if (direction === 'backward') rows.reverse();
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
