// Finds gaps in columns whose numbers are given without gaps.
import type { Statements } from '../store/sql/database.ts';

/** The numbers of a column above `after`, up to `to`. `last` is the greatest number before them. */
type NumberRange = { table: string; column: string; after: number; to: number; last: number };

/** Returns missing numbers of a range as text, such as `7` or `9 to 12`, and the greatest number that is there. */
export async function missingNumbers(
  statements: Statements,
  { table, column, after, to, last }: NumberRange,
): Promise<{ missing: string[]; greatest: number }> {
  const isInRange = `${column} > $1 AND ${column} <= $2`;
  const range = await statements.get<{ rows: number; greatest: number | null }>(
    `SELECT COUNT(*) AS rows, MAX(${column}) AS greatest FROM ${table} WHERE ${isInRange}`,
    [after, to],
  );
  if (range?.greatest == null) return { missing: [], greatest: last };
  if (range.greatest - last === range.rows) return { missing: [], greatest: range.greatest };
  const gaps = await statements.all<{ at: number; before: number }>(
    `SELECT at, before FROM
      (SELECT ${column} AS at, LAG(${column}) OVER (ORDER BY ${column}) AS before FROM ${table} WHERE ${isInRange}) near
      WHERE before IS NULL OR before <> at - 1 ORDER BY at`,
    [after, to],
  );
  const missing: string[] = [];
  for (const { at, before } of gaps) {
    const first = (before ?? last) + 1;
    if (first < at) missing.push(first === at - 1 ? `${first}` : `${first} to ${at - 1}`);
  }
  return { missing, greatest: range.greatest };
}
