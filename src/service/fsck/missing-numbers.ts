// Finds gaps in columns whose numbers are given without gaps.
import type { Statements } from '../store/sql/database.ts';
import type { CheckName, Findings } from './findings.ts';

/** A column whose numbers have no gaps, with the prefix of its numbers in findings. */
type NumberedColumn = { check: CheckName; table: string; column: string; prefix: string };

/** Adds the missing numbers of a column above `after`, up to `to`, such as `7` or `9 to 12`. */
export async function checkMissingNumbers(
  statements: Statements,
  { check, table, column, prefix }: NumberedColumn,
  { after, to }: { after: number; to: number },
  findings: Findings,
): Promise<void> {
  const isInRange = `${column} > $1 AND ${column} <= $2`;
  const range = await statements.get<{ rows: number; greatest: number | null; last: number | null }>(
    `SELECT COUNT(*) AS rows, MAX(${column}) AS greatest,
        (SELECT MAX(${column}) FROM ${table} WHERE ${column} <= $1) AS last
      FROM ${table} WHERE ${isInRange}`,
    [after, to],
  );
  if (range?.greatest == null) return;
  const last = range.last ?? 0;
  if (range.greatest - last === range.rows) return;
  const gaps = await statements.all<{ at: number; before: number }>(
    `SELECT at, before FROM
      (SELECT ${column} AS at, LAG(${column}) OVER (ORDER BY ${column}) AS before FROM ${table} WHERE ${isInRange}) near
      WHERE before IS NULL OR before <> at - 1 ORDER BY at`,
    [after, to],
  );
  for (const { at, before } of gaps) {
    const first = (before ?? last) + 1;
    if (first < at)
      findings.add(
        check,
        'numbers missing',
        `${prefix}${first === at - 1 ? first : `${first} to ${at - 1}`}`,
      );
  }
}
