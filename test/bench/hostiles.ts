// Hostile clients against a real `arx serve` on an open port, in numbers: latencies of honest ones, memory and descriptors.
import { setTimeout as sleep } from 'node:timers/promises';
import { attack, type Victim } from '../support/hostile-clients.ts';
import { latencies, usageOf } from '../support/held-connections.ts';
import { withOpenService } from '../support/open-service.ts';

type Row = Record<string, string | number>;

/** Connections at once of each kind of hostile client. */
const LANES = 2;

/** Attacks for so long. Returns the number of connections by kind. */
export function attackFor(victim: Victim, seconds: number): Promise<Record<string, number>> {
  const end = performance.now() + seconds * 1000;
  return attack(victim, LANES, () => performance.now() >= end);
}

const ms = (value: number): number => Math.round(value * 10) / 10;

/** Measures without hostile clients, beside those of `start` for so long, and afterwards. */
export async function measureHostile(
  seconds: number,
  start: (victim: Victim, seconds: number) => Promise<Record<string, number>[]>,
): Promise<{ rows: Row[]; attacks: Row[] }> {
  return withOpenService(async ({ victim, pid, headers }) => {
    const rows: Row[] = [];
    const look = async (beside: string, lookSeconds: number): Promise<void> => {
      let maxRss = 0;
      const timer = setInterval(() => (maxRss = Math.max(maxRss, usageOf(pid).rss)), 200);
      const seen = await latencies(victim.port, '/v1/conversations?limit=20', {
        seconds: lookSeconds,
        headers,
      });
      clearInterval(timer);
      const { requests, failed, p50, p99, max } = seen;
      const { descriptors } = usageOf(pid);
      const figures = { requests, failed, p50: ms(p50), p99: ms(p99), max: ms(max) };
      rows.push({ beside, ...figures, 'RSS at most, MiB': Math.round(maxRss / 1024 / 1024), descriptors });
    };
    await look('nobody', 5);
    const attacking = start(victim, seconds + 4);
    await sleep(2_000);
    await look('hostile clients', seconds);
    const [counts = {}] = await attacking;
    await sleep(2_000);
    await look('nobody, again', 5);
    return { rows, attacks: Object.entries(counts).map(([kind, connections]) => ({ kind, connections })) };
  });
}
