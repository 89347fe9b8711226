// Keyset reading of one window: the rows strictly between two keys, in ascending order, at a cost that depth does not change.
import { rowsInOrder, type PageRows } from '../../records/page-json.ts';
import type { Row, Statements, Value } from './database.ts';

/** Part of a WHERE clause; its parameters are numbered from $1 in the order of `values`. */
export type Condition = { sql: string; values: readonly Value[] };

/** A place in a list: a key, compared column by column, or the row of this number, looked up by the statement itself. */
export type Edge = readonly number[] | { row: number };

/** null is the open edge of the list. */
export type Span = {
  after: Edge | null;
  before: Edge | null;
  limit: number;
  direction: 'forward' | 'backward';
};

/** `rows` is where an edge that is a row is found by its `n`, and the key it has there: columns, or `n` itself. */
export type ListQuery = {
  select: string;
  key: readonly string[];
  where: readonly Condition[];
  rows?: { table: string; key: readonly string[] };
};
export type Window<T> = { rows: T[]; has_more: boolean };

/** `limit` rows at most, and whether the window holds more in the direction it was read. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the row type is the statement’s, which the caller knows
export async function readSpan<T extends Row>(
  statements: Statements,
  read: ListQuery,
  span: Span,
): Promise<Window<T>> {
  const { tail, values } = tailOf(read, span);
  return inOrder(await statements.all<T>(read.select + tail, values), span);
}

/** As {@link readSpan}, of rows that are one column `json` of text: they come as one, which costs a fraction. */
export async function readPageRows(statements: Statements, read: ListQuery, span: Span): Promise<PageRows> {
  const { tail, values, found } = tailOf(read, span);
  const whole = wholeText(read.select, tail, found);
  const page = await statements.get<{ rows: string | null; count: number; there: number | null }>(
    whole,
    values,
  );
  const { rows, count, there } = page ?? { rows: null, count: 0, there: null };
  const has_more = count > span.limit;
  return {
    text: rows === null ? '' : rowsInOrder(rows, has_more, span.direction),
    count: has_more ? span.limit : count,
    has_more,
    cursorFound: found === '' || there !== null,
  };
}

/** How every statement of a page begins. */
export const PAGE_SELECT = `SELECT string_agg(json, ',') AS rows, COUNT(*) AS count`;

/** Statements by their parts: one of thousands of characters is put together once, and found by its identity from then on. */
const WHOLE = new Map<string, Map<string, string>>();

function wholeText(select: string, tail: string, found: string): string {
  const known = WHOLE.get(select) ?? new Map<string, string>();
  if (known.size === 0) WHOLE.set(select, known);
  const parts = found + tail;
  let whole = known.get(parts);
  if (whole === undefined) {
    // The rows come in the order of the inner statement: nothing stands between it and the aggregate.
    whole = `${PAGE_SELECT}${found} FROM (${select}${tail}) AS page`;
    known.set(parts, whole);
  }
  return whole;
}

function tailOf(read: ListQuery, span: Span): { tail: string; values: Value[]; found: string } {
  const { key, where } = read;
  const conditions = [...where];
  const columns = key.length === 1 ? key[0]! : `(${key.join(', ')})`;
  if (span.after !== null) conditions.push(compared(read, columns, '>', span.after));
  if (span.before !== null) conditions.push(compared(read, columns, '<', span.before));

  const values: Value[] = [];
  const clauses = conditions.map((condition) => numbered(condition, values));
  const clause = clauses.length === 0 ? '' : ` WHERE ${clauses.join(' AND ')}`;
  // Its value was the last, since there is one edge at most that is a row.
  const isByRow = [span.after, span.before].some((edge) => edge !== null && 'row' in edge);
  const found = isByRow ? `, (SELECT n FROM ${read.rows!.table} WHERE n = $${values.length}) AS there` : '';
  const order = span.direction === 'forward' ? 'ASC' : 'DESC';
  const by = key.map((column) => `${column} ${order}`).join(', ');
  // One row more than asked tells whether there is more.
  values.push(span.limit + 1);
  return { tail: `${clause} ORDER BY ${by} LIMIT $${values.length}`, values, found };
}

function inOrder<T>(rows: T[], { limit, direction }: Span): Window<T> {
  const has_more = rows.length > limit;
  if (has_more) rows.pop();
  if (direction === 'backward') rows.reverse();
  return { rows, has_more };
}

function compared({ rows }: ListQuery, columns: string, operator: '<' | '>', edge: Edge): Condition {
  const [marks, values] =
    'row' in edge
      ? [
          rows!.key.map((part) =>
            part === 'n' ? '$1' : `(SELECT ${part} FROM ${rows!.table} WHERE n = $1)`,
          ),
          [edge.row],
        ]
      : [edge.map((_, index) => `$${index + 1}`), edge];
  const right = marks.join(', ');
  return { sql: `${columns} ${operator} ${marks.length === 1 ? right : `(${right})`}`, values };
}

/** The condition with its parameters moved behind those already there. */
function numbered({ sql, values }: Condition, all: Value[]): string {
  const start = all.length;
  all.push(...values);
  return sql.replaceAll(/\$(\d+)/g, (_, digits: string) => `$${start + Number(digits)}`);
}
