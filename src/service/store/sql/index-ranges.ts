// Reads a window of a list as ranges of an index, by statements that no statistics can turn into a read of the whole table.
import type { PageRows } from '../../records/page-json.ts';
import type { Statements, Value } from './database.ts';
import { readPageStatement, renumbered, type Condition, type Edge, type Span } from './keyset.ts';
import { FILTERED_PAGE_SELECT } from './prepared-texts.ts';

/**
 * The rows of an index whose first columns have these values; its last column is `n`, in whose order the rows are read.
 * `condition`: that of a partial index, word for word. A text in `fixed` is part of the statement; `given` are parameters.
 */
export type IndexRange = {
  index: string;
  condition?: string;
  fixed: readonly (readonly [column: string, text: string])[];
  given: readonly string[];
};

/**
 * A list in the order of `n`: the rows of all ranges, which have no row in common. `select`: `SELECT … AS json FROM table`.
 * `given`: the values of the columns `given` of each range. `where`: more conditions; every row of the ranges may be read for them.
 */
export type RangesQuery = {
  table: string;
  select: string;
  ranges: readonly IndexRange[];
  given: readonly Value[];
  where?: readonly Condition[];
};

/** Returns at most `limit` rows in ascending order, and whether there are more in the direction of the span. */
export async function readRanges(statements: Statements, query: RangesQuery, span: Span): Promise<PageRows> {
  const { given, where = [] } = query;
  const row = rowOf(span.after) ?? rowOf(span.before);
  const values: Value[] = [...given, numberOf(span.after, 0), numberOf(span.before, MAX_NUMBER)];
  // One row more than the limit tells whether there are more. No row has the number 0.
  values.push(span.limit + 1, row ?? 0);
  const further = where.map((condition) => renumbered(condition, values));
  const sql = statementOf(statements.engine, query, further, span.direction);
  return readPageStatement(statements, sql, values, { ...span, hasCursor: row !== undefined });
}

/** Above the number of every row. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

function rowOf(edge: Edge | null): number | undefined {
  return edge !== null && 'row' in edge ? edge.row : undefined;
}

function numberOf(edge: Edge | null, none: number): number {
  if (edge === null) return none;
  return 'row' in edge ? edge.row : edge[0]!;
}

/** Statements by their `select`, then by the rest: the engines find a prepared statement by the identity of its text. */
const STATEMENTS = new Map<string, Map<string, string>>();

function statementOf(
  engine: Statements['engine'],
  { table, select, ranges, given }: RangesQuery,
  further: readonly string[],
  direction: Span['direction'],
): string {
  const known = STATEMENTS.get(select) ?? new Map<string, string>();
  if (known.size === 0) STATEMENTS.set(select, known);
  const order = direction === 'forward' ? 'ASC' : 'DESC';
  const [after, before, limit, row] = [1, 2, 3, 4].map((at) => `$${given.length + at}`) as [
    string,
    string,
    string,
    string,
  ];
  const partOf = (range: IndexRange) => engineRange(engine, range, { after, before, order }, further);
  const [first] = ranges;
  const key = `${engine} ${order} ${ranges.map((range) => JSON.stringify(range)).join()} ${further.join()}`;
  let statement = known.get(key);
  if (statement === undefined) {
    let rows: string;
    if (ranges.length === 1) {
      const part = partOf(first!);
      rows = `${select.replace(/ FROM \w+$/, '')} FROM ${part.from(table)} ORDER BY ${part.order} LIMIT ${limit}`;
    } else {
      // Only the numbers are merged; a row is read when it is known to be in the page. PostgreSQL reads up to a page of
      // each range, SQLite merges the ranges while it reads them.
      const numbers = ranges.map((range) => {
        const part = partOf(range);
        const all = `SELECT n FROM ${part.from(table)}`;
        return engine === 'sqlite' ? all : `(${all} ORDER BY ${part.order} LIMIT ${limit})`;
      });
      const merged = `${numbers.join(' UNION ALL ')} ORDER BY n ${order} LIMIT ${limit}`;
      rows = `SELECT (${select} WHERE ${table}.n = found.n) AS json FROM (${merged}) AS found`;
    }
    // The aggregate gets the rows in the order of the inner statement, because there is nothing between the two.
    statement = `${FILTERED_PAGE_SELECT}, (SELECT n FROM ${table} WHERE n = ${row}) AS there FROM (${rows}) AS page`;
    known.set(key, statement);
  }
  return statement;
}

/**
 * A range in the words of an engine. SQLite is told its index. PostgreSQL cannot be told one. With equal signs alone it would take
 * the primary key for the order where its statistics speak for it, and then read every row. Rows whose last column and number
 * are between two pairs, in the order of both, are in this order in that index alone or in one with another condition, and pages may
 * not be sorted (engines/postgres-plans.ts). Only the last column is in the pair: PostgreSQL ends a scan where the first column of a pair
 * differs, and reads to the end of the index where only a later one does.
 */
function engineRange(
  engine: Statements['engine'],
  { index, condition, fixed, given }: IndexRange,
  { after, before, order }: { after: string; before: string; order: string },
  further: readonly string[],
): { from(table: string): string; order: string } {
  const equal = [...fixed, ...given.map((column, at) => [column, `$${at + 1}`] as const)];
  const together = engine === 'sqlite' ? [] : equal.slice(-1);
  const alone = equal.slice(0, equal.length - together.length);
  const columns = [...together.map(([column]) => column), 'n'];
  const bound = (n: string) => [...together.map(([, text]) => text), n].join(', ');
  const range = [
    ...alone.map(([column, text]) => `${column} = ${text}`),
    `(${columns.join(', ')}) > (${bound(after)})`,
    `(${columns.join(', ')}) < (${bound(before)})`,
  ];
  const conditions = [...(condition === undefined ? [] : [condition]), ...range, ...further].join(' AND ');
  return {
    from: (table) => `${table}${engine === 'sqlite' ? ` INDEXED BY ${index}` : ''} WHERE ${conditions}`,
    order: columns.map((column) => `${column} ${order}`).join(', '),
  };
}
