// Looks at what a SQLite file contains before anything is read from its tables: programs of somebody else.
import type { DatabaseSync } from '@photostructure/sqlite';
import { UnusableArchive } from '../sql/unusable-archive.ts';

/**
 * Throws {@link UnusableArchive} for a file with a trigger, a view, or an archive with an expression in a table or an index, which none of
 * ours has. A trigger of somebody else would change what is stored. A view in place of a table, a computed column and a CHECK need not
 * end, while nothing else runs in this process.
 */
export function refusePrograms(handle: InstanceType<typeof DatabaseSync>): void {
  handle.exec('PRAGMA trusted_schema = OFF');
  const made = handle.prepare('SELECT type, name, sql FROM sqlite_master').all() as Made[];
  // The tables of another program are not read.
  const isArchive = made.some(({ name }) => name === 'migrations');
  for (const { type, sql } of made) {
    const isProgram = type === 'trigger' || type === 'view';
    if (!isProgram && (!isArchive || sql === null || hasOnlyColumns(sql))) continue;
    const what = isProgram ? type : `${type} with an expression`;
    throw new UnusableArchive(`it has a ${what} that arx did not make`, { isDamaged: true });
  }
}

/** A row of `sqlite_master`. The index of a primary key has no statement. */
type Made = { type: string; name: string; sql: string | null };

const COLUMNS =
  /^CREATE (?:TABLE [^()]+|VIRTUAL TABLE \w+ USING fts5|(?:UNIQUE )?INDEX \w+ ON \w+ ?)\([^()]*\)[\w\s,]*$/;
const CONDITION = /^\sWHERE(?:[^()]*|\s\([^()]*\) IS TRUE)$/;

/**
 * Returns whether a statement makes a table of plain columns, or an index of columns of some of its rows. An expression that takes long
 * has a function, a SELECT or a pattern, or stands in parentheses after CHECK, AS or DEFAULT.
 */
function hasOnlyColumns(sql: string): boolean {
  // Only the first: to try each of a hostile statement would not end.
  const where = sql.search(/\sWHERE/);
  const isPartial = where >= 0 && CONDITION.test(sql.slice(where));
  const rest = (isPartial ? sql.slice(0, where) : sql).replace(/\bPRIMARY KEY ?\([\w\s,]*\)/, '');
  return COLUMNS.test(rest) && !/--|\/\*|\b(?:LIKE|GLOB|REGEXP|MATCH)\b/i.test(sql);
}
