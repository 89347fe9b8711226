// Reads a window of a list by keys: the rows strictly between two keys. The cost does not depend on the depth of the window.
import { rowsInOrder, type PageRows } from '../../records/page-json.ts';
import type { Row, Statements, Value } from './database.ts';
import { readRows } from './json-rows.ts';
import { PAGE_SELECT } from './prepared-texts.ts';

/** Part of a WHERE clause. Its parameters are numbered from $1 in the order of `values`. */
export type Condition = { sql: string; values: readonly Value[] };

/** An end of a window: a key, compared column by column, or the number of a row whose key the statement looks up. */
export type Edge = readonly number[] | { row: number };

/** A window of a list; null is the end of the list. */
export type Span = {
  after: Edge | null;
  before: Edge | null;
  limit: number;
  direction: 'forward' | 'backward';
};

/**
 * A list. `key`: the columns of its order. `rows`: the table in which an {@link Edge} with a row is looked up, and the
 * columns there that are the key; the column `n` is the number itself.
 */
export type ListQuery = {
  select: string;
  key: readonly string[];
  where: readonly Condition[];
  /** The column before the key in the index of the list, and its value: only these rows are read, whatever the statistics say. */
  within?: { column: string; value: number } | undefined;
  rows?: { table: string; key: readonly string[] };
};
/** Rows in ascending order, and whether there are more in the direction of reading. */
export type Window<T> = { rows: T[]; has_more: boolean };

/**
 * Returns at most `limit` rows in ascending order, and whether there are more in the direction of the span. `columns`: those of the
 * rows, as for {@link readRows}.
 */
export async function readSpan<T extends Row>(
  statements: Statements,
  query: ListQuery & { columns: readonly (keyof T & string)[] },
  span: Span,
): Promise<Window<T>> {
  const { tail, values } = tailOf(query, span, statements.engine);
  const rows = await readRows<T>(statements, query.columns, query.select + tail, values);
  const has_more = rows.length > span.limit;
  if (has_more) rows.pop();
  if (span.direction === 'backward') rows.reverse();
  return { rows, has_more };
}

/**
 * As {@link readSpan}, for a list whose only column is `json`, a row as text. All rows come as one text, which costs a
 * fraction of reading them one by one.
 */
export async function readPageRows(statements: Statements, query: ListQuery, span: Span): Promise<PageRows> {
  const { tail, values, cursor } = tailOf(query, span, statements.engine);
  return readPageStatement(statements, pageStatement(query.select, tail, cursor), values, {
    ...span,
    hasCursor: cursor !== '',
  });
}

/** Runs the statement of a page, which gives one row: `rows`, `count` and, with a cursor, `there`; NULL where its row is missing. */
export async function readPageStatement(
  statements: Statements,
  sql: string,
  values: readonly Value[],
  { limit, direction, hasCursor }: Pick<Span, 'limit' | 'direction'> & { hasCursor: boolean },
): Promise<PageRows> {
  const page = await statements.get<{ rows: string | null; count: number; there: number | null }>(
    sql,
    values,
  );
  const { rows, count, there } = page ?? { rows: null, count: 0, there: null };
  const has_more = count > limit;
  return {
    text: rows === null ? '' : rowsInOrder(rows, has_more, direction),
    count: has_more ? limit : count,
    has_more,
    cursorFound: !hasCursor || there !== null,
  };
}

/**
 * Statements by their `select`, then by the rest. A text of thousands of characters is built once; the engines then find their
 * prepared statement by the identity of the string.
 */
const STATEMENTS = new Map<string, Map<string, string>>();

function pageStatement(select: string, tail: string, cursor: string): string {
  const known = STATEMENTS.get(select) ?? new Map<string, string>();
  if (known.size === 0) STATEMENTS.set(select, known);
  const end = cursor + tail;
  let statement = known.get(end);
  if (statement === undefined) {
    // The aggregate gets the rows in the order of the inner statement, because there is nothing between the two.
    statement = `${PAGE_SELECT}${cursor} FROM (${select}${tail}) AS page`;
    known.set(end, statement);
  }
  return statement;
}

/** Returns the end of a statement and its values; `cursor` is a column that is NULL where the row of an edge is missing. */
function tailOf(
  query: ListQuery,
  span: Span,
  engine: Statements['engine'],
): { tail: string; values: Value[]; cursor: string } {
  const { where, within } = query;
  const conditions = [...where];
  // With an equal sign PostgreSQL would take another index for the order where its statistics speak for it (index-ranges.ts).
  const isBounded = within !== undefined && engine === 'postgres';
  if (within !== undefined && !isBounded)
    conditions.push({ sql: `${within.column} = $1`, values: [within.value] });
  const key = isBounded ? [within.column, ...query.key] : query.key;
  const first = isBounded ? within.value : undefined;
  if (span.after !== null || isBounded) conditions.push(comparison(query, key, '>', span.after, first));
  if (span.before !== null || isBounded) conditions.push(comparison(query, key, '<', span.before, first));

  const values: Value[] = [];
  const clauses = conditions.map((condition) => renumbered(condition, values));
  const clause = clauses.length === 0 ? '' : ` WHERE ${clauses.join(' AND ')}`;
  const row = [span.after, span.before].find((edge) => edge !== null && 'row' in edge);
  if (row !== undefined) values.push(row.row);
  const cursor =
    row === undefined ? '' : `, (SELECT n FROM ${query.rows!.table} WHERE n = $${values.length}) AS there`;
  const order = span.direction === 'forward' ? 'ASC' : 'DESC';
  const by = key.map((column) => `${column} ${order}`).join(', ');
  // One row more than the limit tells whether there are more.
  values.push(span.limit + 1);
  return { tail: `${clause} ORDER BY ${by} LIMIT $${values.length}`, values, cursor };
}

/** Compares the columns of the key with an edge. `first`: the value of the first of these columns, where the edge does not tell it. */
function comparison(
  { rows }: ListQuery,
  key: readonly string[],
  operator: '<' | '>',
  edge: Edge | null,
  first: number | undefined,
): Condition {
  const shift = first === undefined ? 0 : 1;
  const own = first === undefined ? [] : [first];
  if (edge === null) return { sql: `${key[0]!} ${operator}= $1`, values: own };
  const at = (index: number) => `$${index + 1 + shift}`;
  const [parts, values] =
    'row' in edge
      ? [
          rows!.key.map((part) =>
            part === 'n' ? at(0) : `(SELECT ${part} FROM ${rows!.table} WHERE n = ${at(0)})`,
          ),
          [edge.row],
        ]
      : [edge.map((_, index) => at(index)), edge];
  const right = [...own.map(() => '$1'), ...parts];
  const row = (columns: readonly string[]) =>
    columns.length === 1 ? columns[0]! : `(${columns.join(', ')})`;
  return { sql: `${row(key)} ${operator} ${row(right)}`, values: [...own, ...values] };
}

/** Appends the values of a condition to `all`, and returns its SQL with the numbers that they have there. */
export function renumbered({ sql, values }: Condition, all: Value[]): string {
  const start = all.length;
  all.push(...values);
  return sql.replaceAll(/\$(\d+)/g, (_, digits: string) => `$${start + Number(digits)}`);
}
