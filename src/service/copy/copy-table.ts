// Copies one table into another archive, in transactions of bounded size. After an interruption equal rows stay as they are.
import { readAhead } from '../../concurrency/read-ahead.ts';
import { withdraw } from '../store/search/search-tables.ts';
import { insertRows } from '../store/sql/bulk-statements.ts';
import type { Database, Row, Statements } from '../store/sql/database.ts';
import {
  batchesOf,
  betweenKeys,
  lastKey,
  rowsBetween,
  rowText,
  tableDigest,
  type CopiedTable,
} from './tables.ts';

/** How a table is copied. */
type TableCopy = {
  /** Some of the rows may be in the target. */
  isResumed: boolean;
  /** Runs `work` in a transaction of the target, if this process may still write there. */
  write<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** Called with the rows of the source that were dealt with. */
  progress(rows: number, bytes: number): void;
  /** Called in the transaction that stored the rows. */
  stored?(statements: Statements, rows: readonly Row[]): Promise<void>;
};

/**
 * Makes a table of the target equal to that of the source. Resolves to the rows that were stored, and the SHA-256 of the
 * table of the source; null for an append-only table, whose first rows may not have been read.
 */
export async function copyTable(
  source: Statements,
  target: Database,
  table: CopiedTable,
  { isResumed, write, progress, stored }: TableCopy,
): Promise<{ copied: number; sha256: string | null }> {
  const isAppendOnly = table.isAppendOnly === true;
  const digest = tableDigest(table);
  let copied = 0;
  let last = isAppendOnly && isResumed ? await lastKey(target, table) : undefined;
  for await (const batch of readAhead(batchesOf(source, table, last), 1)) {
    const after = last;
    const texts = isAppendOnly ? [] : batch.rows.map((row) => rowText(table, row));
    digest.add(texts);
    copied += await write(async (statements) => {
      if (isResumed && !isAppendOnly) {
        const there = await rowsBetween(statements, table, after, batch.last);
        const known = there.map((row) => rowText(table, row));
        if (known.length === texts.length && known.every((text, at) => text === texts[at])) return 0;
        await withdrawChanged(statements, table, [there, known], [batch.rows, texts]);
        const { where, values } = betweenKeys(table, after, batch.last);
        if (there.length > 0) await statements.run(`DELETE FROM ${table.name}${where}`, values);
      }
      await insertRows(statements, { name: table.name, inserted: table.columns }, batch.rows);
      await stored?.(statements, batch.rows);
      return batch.rows.length;
    });
    last = batch.last;
    progress(batch.rows.length, table.large === undefined ? 0 : bytesOf(batch.rows, table.large));
  }
  if (isResumed && !isAppendOnly) {
    const { where, values } = betweenKeys(table, last, undefined);
    await write((statements) => statements.run(`DELETE FROM ${table.name}${where}`, values));
  }
  return { copied, sha256: isAppendOnly ? null : digest.end() };
}

type RowsWithTexts = readonly [rows: readonly Row[], texts: readonly string[]];

/** The column with the number of the message whose words depend on a row. */
const MESSAGE_OF: Readonly<Record<string, string>> = { messages: 'n', attachments: 'message' };

/** Takes messages out of the search index whose row, or a file of which, is another than that of an earlier attempt. */
async function withdrawChanged(
  statements: Statements,
  { name }: CopiedTable,
  old: RowsWithTexts,
  fresh: RowsWithTexts,
): Promise<void> {
  const column = MESSAGE_OF[name];
  if (column === undefined || old[0].length === 0) return;
  const changed = (
    [
      [old, new Set(fresh[1])],
      [fresh, new Set(old[1])],
    ] as const
  ).flatMap(([[rows, texts], others]) =>
    rows.filter((_, at) => !others.has(texts[at]!)).map((row) => row[column] as number),
  );
  if (changed.length > 0) await withdraw(statements, new Set(changed));
}

function bytesOf(rows: readonly Row[], column: string): number {
  return rows.reduce((sum, row) => {
    const value = row[column];
    return sum + (value instanceof Uint8Array ? value.byteLength : String(value).length);
  }, 0);
}
