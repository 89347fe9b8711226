// Counters that all processes of an archive share: reads with injected faults, and requests of a peer per minute.
import { createCounter, type Counter } from '../rules/counter.ts';
import {
  createRateLimiter,
  MAX_PEERS,
  secondsLeft,
  WINDOW_MS,
  type RateLimiter,
} from '../rules/rate-limiter.ts';
import type { Database } from './sql/database.ts';

/** Counters and limiters by name. */
export type SharedCounters = {
  /** Returns the counter of this name. It continues where other processes left it. */
  counter(name: string): Counter;
  /** Returns a limiter of this many requests per minute and peer. */
  limiter(name: string, limit: number): RateLimiter;
};

/** Counters of one process. Nothing is stored, so the same seed gives the same faults after each start. */
export const PROCESS_COUNTERS: SharedCounters = {
  counter: () => createCounter(),
  limiter: (_name, limit) => createRateLimiter(limit),
};

/** Returns counters that are stored in the database. */
export function databaseCounters(database: Database): SharedCounters {
  return {
    counter(name) {
      const next = `INSERT INTO counters VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET value = counters.value + 1
        RETURNING value`;
      return {
        next: async () => (await database.get<{ value: number }>(next, [name]))!.value,
        current: async () =>
          (await database.get<{ value: number }>('SELECT value FROM counters WHERE name = $1', [name]))
            ?.value ?? 0,
      };
    },
    limiter: (name, limit) => limiterIn(database, name, limit),
  };
}

/** Counts a request. Clocks of machines differ a little, so a window that begins after now counts as the current one. */
const TAKE = `INSERT INTO peers VALUES ($1, $2, 1) ON CONFLICT (name) DO UPDATE SET
    count = CASE WHEN peers.start_ms > $3 AND peers.start_ms < $4 THEN peers.count + 1 ELSE 1 END,
    start_ms = CASE WHEN peers.start_ms > $3 AND peers.start_ms < $4 THEN peers.start_ms ELSE $2 END
  RETURNING start_ms, count`;

function limiterIn(database: Database, name: string, limit: number): RateLimiter {
  // A peer above the limit costs no statement until its window ends.
  const limitedSince = new Map<string, number>();
  return {
    async take(peer, now) {
      const since = limitedSince.get(peer);
      if (since !== undefined && Math.abs(now - since) < WINDOW_MS) return secondsLeft(since, now);
      limitedSince.delete(peer);
      const [least, greatest] = [now - WINDOW_MS, now + WINDOW_MS];
      const window = await database.get<{ start_ms: number; count: number }>(TAKE, [
        `${name}/${peer}`,
        now,
        least,
        greatest,
      ]);
      const { start_ms: start, count } = window!;
      if (count === 1) await deleteOldPeers(database, least);
      if (count <= limit) return 0;
      if (limitedSince.size === MAX_PEERS) limitedSince.delete(limitedSince.keys().next().value!);
      limitedSince.set(peer, start);
      return secondsLeft(start, now);
    },
  };
}

async function deleteOldPeers(database: Database, before: number): Promise<void> {
  // Other processes delete them too. A conflict with one of them means that it is done.
  await database.run('DELETE FROM peers WHERE start_ms <= $1', [before]).catch(() => {});
}
