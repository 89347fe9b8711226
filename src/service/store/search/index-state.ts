// How far the search index of an archive goes, in the table `meta`.
import type { Tier } from '../../../contract/tier.ts';
import { forReaders, isReadable } from '../../records/reader.ts';
import { SEARCH_VERSION } from '../../records/search-words.ts';
import type { Statements } from '../sql/database.ts';

/**
 * `of` is the greatest number of a message. `indexed` counts those up to it that the index has, and those above the reader's tier:
 * which of them wait tells what changed in them.
 */
export type IndexState = { of: number; indexed: number };

const KEY = 'search';
type Stored = { version: number; upto: number };

/** Returns up to which number messages are indexed, those that are due aside; 0 where the index is of another version. */
export async function indexedUpTo(statements: Statements): Promise<number> {
  const { version, upto } = await storedState(statements);
  return version === SEARCH_VERSION ? upto : 0;
}

/** Returns whether there is an index, and it was made in another way than this arx makes it. */
export async function isOutdated(statements: Statements): Promise<boolean> {
  const { version } = await storedState(statements);
  return version !== SEARCH_VERSION && version !== 0;
}

async function storedState(statements: Statements): Promise<Stored> {
  const row = await statements.get<{ value: string }>('SELECT value FROM meta WHERE key = $1', [KEY]);
  const stored = row === undefined ? null : parsed(row.value);
  return { version: Number(stored?.version) || 0, upto: Number(stored?.upto) || 0 };
}

function parsed(text: string): Partial<Stored> | null {
  try {
    return JSON.parse(text) as Partial<Stored> | null;
  } catch {
    // Damaged: the index is made again.
    return { version: -1 };
  }
}

const STATE = forReaders(
  (reader) => `SELECT (SELECT MAX(n) FROM messages) AS greatest,
    (SELECT COUNT(*) FROM search_due d CROSS JOIN messages m WHERE m.n = d.n AND d.n <= $1 AND ${isReadable('m.tier', reader)}) AS due`,
);

/** Stores up to which number messages are indexed. */
export async function setIndexedUpTo(statements: Statements, upto: number): Promise<void> {
  const value = JSON.stringify({ version: SEARCH_VERSION, upto } satisfies Stored);
  await statements.run(
    'INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    [KEY, value],
  );
}

/** Returns how far the index goes, as a reader of this tier may know it. */
export async function indexState(statements: Statements, reader: Tier): Promise<IndexState> {
  const upto = await indexedUpTo(statements);
  const row = await statements.get<{ greatest: number | null; due: number }>(STATE[reader], [upto]);
  const { greatest, due } = row ?? { greatest: 0, due: 0 };
  return { of: greatest ?? 0, indexed: upto - due };
}
