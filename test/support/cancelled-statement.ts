// A long read of PostgreSQL whose reader does not wait for it any more.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Database } from '../../src/service/store/sql/database.ts';

const ACTIVE = `SELECT COUNT(*) AS n FROM pg_stat_activity WHERE query LIKE '%pg_sleep(' || '25)%' AND state = 'active'`;

/** Expects that the statement ends at once, and that the next one is another's. */
export async function expectCancelled(database: Database): Promise<void> {
  const gone = new AbortController();
  const reads = database.longReads.until(gone.signal);
  const count = async () => (await database.get<{ n: number }>(ACTIVE))?.n;
  const asleep = reads.get('SELECT pg_sleep(25)').catch((error: Error) => error.message);
  for (let tries = 0; tries < 1_000 && (await count()) === 0; tries += 1) await sleep(1);
  gone.abort(new Error('gone'));
  expect(await asleep).toBe('gone');
  expect(await count()).toBe(0);
  await expect(reads.get('SELECT 1 AS n')).rejects.toThrow('gone');
  expect(await database.longReads.get('SELECT 1 AS n')).toEqual({ n: 1 });
}
