// Finds values that their column cannot hold. Only damage of the file puts them there, and checks of rows may fail over them.
import { ATTACHMENTS } from '../records/attachment.ts';
import { CONVERSATIONS, THREADS } from '../records/conversation.ts';
import { EVENTS } from '../records/event.ts';
import { MESSAGES, ORPHANS, RAWS } from '../records/message.ts';
import type { Column, ColumnType, Table } from '../records/table.ts';
import type { Statements } from '../store/sql/database.ts';
import type { CheckName, Findings } from './findings.ts';

/** A table with the column of integers by which it is read in ranges, and the prefix that makes such a number an id. */
export type TypedTable = {
  check: CheckName;
  table: string;
  column: string;
  columns: Readonly<Record<string, Column>>;
  prefix: string;
};

const typed = (
  { name, columns }: Pick<Table, 'name' | 'columns'>,
  rest: Pick<TypedTable, 'check' | 'column' | 'prefix'>,
): TypedTable => ({ table: name, columns, ...rest });

/** The tables whose values are checked. */
export const TYPED_TABLES: readonly TypedTable[] = [
  typed(MESSAGES, { check: 'messages', column: 'n', prefix: 'msg_' }),
  typed(RAWS, { check: 'stored messages', column: 'n', prefix: 'msg_' }),
  typed(CONVERSATIONS, { check: 'conversations', column: 'n', prefix: 'conv_' }),
  typed(THREADS, { check: 'threads', column: 'conversation', prefix: 'conv_' }),
  typed(ORPHANS, { check: 'threads', column: 'message', prefix: 'msg_' }),
  typed(ATTACHMENTS, { check: 'attachments', column: 'n', prefix: 'att_' }),
  typed(EVENTS, { check: 'events', column: 'n', prefix: 'event ' }),
];

const NAMES: Record<ColumnType['sql'], string> = { BIGINT: 'integer', TEXT: 'text', BLOB: 'blob' };

/**
 * Adds each value of another type than that of its column, and each integer that JavaScript cannot hold. For SQLite; PostgreSQL
 * refuses such values itself.
 */
export async function checkValueTypes(
  statements: Statements,
  { check, table, column, columns, prefix }: TypedTable,
  range: { after: number; to: number } | 'outside',
  findings: Findings,
): Promise<void> {
  const tests = Object.entries(columns).map(([name, { type }]) => ({ name, ...testOf(name, type) }));
  // Rows whose number is none lie in no range.
  const where = range === 'outside' ? `typeof(${column}) <> 'integer'` : `${column} > $1 AND ${column} <= $2`;
  const rows = await statements.all(
    `SELECT CAST(${column} AS TEXT) AS subject, ${tests.map(({ holds }, at) => `${holds} AS c${at}`).join(', ')}
      FROM ${table} WHERE ${where} AND (${tests.map(({ isWrong }) => isWrong).join(' OR ')})`,
    range === 'outside' ? [] : [range.after, range.to],
  );
  for (const row of rows)
    for (const [at, { name, expected }] of tests.entries()) {
      const holds = row[`c${at}`];
      if (holds === null || holds === undefined) continue;
      findings.addWrongValue(
        check,
        `${table}.${name} holds ${String(holds)} in place of ${expected}`,
        `${prefix}${String(row['subject'])}`,
      );
    }
}

/** The greatest integer that is read as a number. */
const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

function testOf(
  name: string,
  { sql, nullable }: ColumnType,
): { isWrong: string; holds: string; expected: string } {
  const expected = NAMES[sql];
  const isOther = `typeof(${name}) NOT IN ('${expected}'${nullable ? `, 'null'` : ''})`;
  const isTooLarge = `typeof(${name}) = 'integer' AND (${name} > ${MAX_INTEGER} OR ${name} < -${MAX_INTEGER})`;
  if (sql !== 'BIGINT')
    return { isWrong: isOther, holds: `CASE WHEN ${isOther} THEN typeof(${name}) END`, expected };
  return {
    isWrong: `${isOther} OR ${isTooLarge}`,
    holds: `CASE WHEN ${isTooLarge} THEN 'a number beyond 2^53' WHEN ${isOther} THEN typeof(${name}) END`,
    expected,
  };
}
