// The search index in its tables: one for each tier, so that no figure about a row that a reader sees depends on others.
import { COLUMNS, type SearchText } from '../../../contract/search/match.ts';
import { TIERS, type Tier } from '../../../contract/tier.ts';
import { foldedTextsOf, searchWordsOf } from '../../records/search-words.ts';
import { chunksOf, insertRows, parameterList, selectIn } from '../sql/bulk-statements.ts';
import type { Statements } from '../sql/database.ts';
import { lexemesOf } from './tsvector.ts';

/** Returns the table of the messages with this tier. */
export function searchTable(tier: Tier): string {
  return `search_${tier}`;
}

/** A message that is indexed. `readText` is called once, just before its words are stored, so that few texts are in memory. */
export type SearchRow = {
  n: number;
  date_ms: number | null;
  tier: Tier;
  readText: () => SearchText | Promise<SearchText>;
};

const DAY_MS = 86_400_000;
/** So that a key is a safe integer: until the year 4840. */
export const MAX_DAY = 2 ** 20 - 1;
/** In SQLite the key of a row is its day, then its number in this many units. */
export const DAY_UNIT = 2 ** 32;

/** Returns the day by which messages are ordered: since 1970 in UTC, 0 for an unknown one. */
export function dayOf(date_ms: number | null): number {
  return date_ms === null ? 0 : Math.max(0, Math.min(MAX_DAY, Math.floor(date_ms / DAY_MS)));
}

/**
 * Returns a parameter that is compared with a key. The engine binds a large number as one with a fraction, by which FTS5 finds
 * other rows than were asked for.
 */
export function keyParameter(parameter: string): string {
  return `CAST(${parameter} AS BIGINT)`;
}

/** Returns the key of a row in SQLite. */
export function keyOf({ n, date_ms }: Pick<SearchRow, 'n' | 'date_ms'>): number {
  return dayOf(date_ms) * DAY_UNIT + n;
}

/** Adds messages that the index does not have. */
export async function addToIndex(statements: Statements, rows: readonly SearchRow[]): Promise<void> {
  for (const tier of TIERS) {
    const own = rows.filter((row) => row.tier === tier);
    if (own.length === 0) continue;
    if (statements.engine === 'postgres') await addLexemes(statements, searchTable(tier), own);
    else await addTexts(statements, searchTable(tier), own);
  }
}

async function addTexts(statements: Statements, table: string, rows: readonly SearchRow[]): Promise<void> {
  const insert = `INSERT INTO ${table} (rowid, ${COLUMNS.join(', ')}) VALUES (${parameterList(['n', ...COLUMNS], 1)})`;
  // Ascending: at each step back the engine would write what it has collected.
  const ordered = rows.map((row) => ({ key: keyOf(row), row })).toSorted((a, b) => a.key - b.key);
  for (const { key, row } of ordered) {
    const folded = foldedTextsOf(await row.readText());
    await statements.run(insert, [key, ...COLUMNS.map((column) => folded[column])]);
  }
}

async function addLexemes(statements: Statements, table: string, rows: readonly SearchRow[]): Promise<void> {
  const values: { n: number; day: number; is_long: number; words: Uint8Array }[] = [];
  for (const { n, date_ms, readText } of rows) {
    const { words, isLong } = lexemesOf(searchWordsOf(await readText()));
    values.push({ n, day: dayOf(date_ms), is_long: Number(isLong), words });
  }
  await insertRows(statements, { name: table, inserted: ['n', 'day', 'is_long', 'words'] }, values);
}

/**
 * Takes messages out of the index and marks them as due, because what readers see of them has changed. Call it in the
 * transaction of that change: from its commit on, nothing is found that was withheld by it.
 */
export async function withdraw(statements: Statements, messages: Iterable<number>): Promise<void> {
  const rows = await selectIn<{ n: number; date_ms: number | null }>(
    statements,
    'SELECT n, date_ms FROM messages WHERE n IN ?',
    messages,
  );
  await removeFromIndex(statements, rows);
  for (const some of chunksOf(rows)) {
    await statements.run(
      `INSERT INTO search_due (n) VALUES ${some.map((_, at) => `($${at + 1})`).join(', ')} ON CONFLICT DO NOTHING`,
      some.map(({ n }) => n),
    );
  }
}

/** Removes messages from all tables. */
export async function removeFromIndex(
  statements: Statements,
  rows: readonly Pick<SearchRow, 'n' | 'date_ms'>[],
): Promise<void> {
  const isSqlite = statements.engine === 'sqlite';
  for (const some of chunksOf(rows)) {
    const keys = some.map((row) => (isSqlite ? keyOf(row) : row.n));
    for (const tier of TIERS) {
      await statements.run(
        `DELETE FROM ${searchTable(tier)} WHERE ${isSqlite ? 'rowid' : 'n'} IN (${keys.map((_, at) => keyParameter(`$${at + 1}`)).join(', ')})`,
        keys,
      );
    }
  }
}

/** Empties the index. */
export async function clearIndex(statements: Statements): Promise<void> {
  for (const tier of TIERS) {
    const table = searchTable(tier);
    await statements.run(
      statements.engine === 'sqlite'
        ? `INSERT INTO ${table} (${table}) VALUES ('delete-all')`
        : `DELETE FROM ${table}`,
    );
  }
  await statements.run('DELETE FROM search_due');
}
