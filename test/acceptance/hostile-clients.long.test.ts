// Hostile clients against a real service on an open port: honest ones are answered, memory is bounded, no descriptor is lost.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { attack, ATTACKS } from '../support/hostile-clients.ts';
import { latencies, until, usageOf } from '../support/held-connections.ts';
import { withOpenService } from '../support/open-service.ts';

const MAX_RSS_BYTES = 300 * 1024 * 1024;
const SECONDS = 8;

test.skipIf(!existsSync('/proc/self/fd'))(
  'hostile clients of every kind take at most 300 MiB, and leave nothing behind',
  async () => {
    await withOpenService(async ({ victim, pid, headers }) => {
      const honest = (seconds: number) =>
        latencies(victim.port, '/v1/conversations?limit=20', { seconds, headers });
      await honest(0.5);
      const before = usageOf(pid).descriptors;
      let maxRss = 0;
      let isOver = false;
      const attacks = attack(victim, 2, () => {
        maxRss = Math.max(maxRss, usageOf(pid).rss);
        return isOver;
      });
      const { requests, failed } = await honest(SECONDS);
      isOver = true;
      const counts = await attacks;
      expect(Object.keys(counts).sort()).toEqual(Object.keys(ATTACKS).sort());
      expect([requests > 0, failed]).toEqual([true, 0]);
      expect(maxRss).toBeLessThan(MAX_RSS_BYTES);
      // Kept connections of the honest clients end after five idle seconds.
      expect(await until(() => usageOf(pid).descriptors <= before)).toBe(true);
    });
  },
);
