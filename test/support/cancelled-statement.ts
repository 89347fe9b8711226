// A long read of PostgreSQL whose reader does not wait for it any more.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Database } from '../../src/service/store/sql/database.ts';
import { until } from './held-connections.ts';

/** Expects that the statement ends long before its time, and that the next one is another's. */
export async function expectCancelled(database: Database): Promise<void> {
  const gone = new AbortController();
  const reads = database.longReads.until(gone.signal);
  // Its own mark: other tests may let the same server sleep.
  const mark = randomUUID();
  const active = async (expected: number) =>
    (
      await database.get<{ n: number }>(
        `SELECT COUNT(*) AS n FROM pg_stat_activity WHERE query LIKE '%/* ' || '${mark}%' AND state = 'active'`,
      )
    )?.n === expected;
  const asleep = reads.get(`SELECT pg_sleep(25) /* ${mark} */`).catch((error: Error) => error.message);
  expect(await until(() => active(1))).toBe(true);
  gone.abort(new Error('gone'));
  expect(await asleep).toBe('gone');
  // The server is asked over another connection, which it may answer later.
  expect(await until(() => active(0))).toBe(true);
  await expect(reads.get('SELECT 1 AS n')).rejects.toThrow('gone');
  expect(await database.longReads.get('SELECT 1 AS n')).toEqual({ n: 1 });
}
