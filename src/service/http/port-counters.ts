// What one port has done so far, as numbers under so few names that they never grow with what is asked.
import { BUCKETS } from './metrics.ts';
import type { Answered, PortWatch } from './port-observer.ts';

export type PortCounts = {
  connections: number;
  taken: number;
  inFlight: number;
  bytes: number;
  /** By reason. */
  away: Map<string, number>;
  answers: Map<string, { labels: { method: string; route: string; status: string }; count: number }>;
  /** By route: how many fell into each bucket, in all, and their seconds together. */
  durations: Map<string, { buckets: number[]; count: number; sum: number }>;
};

/** Methods that routes know; the parser lets some thirty through, which share one name. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

export function countsOf(monotonic: () => number): { counts: PortCounts; watch: PortWatch } {
  const counts: PortCounts = {
    connections: 0,
    taken: 0,
    inFlight: 0,
    bytes: 0,
    away: new Map(),
    answers: new Map(),
    durations: new Map(),
  };
  return {
    counts,
    watch: {
      monotonic,
      connected() {
        counts.connections += 1;
        counts.taken += 1;
      },
      disconnected: () => void (counts.connections -= 1),
      turnedAway: (reason) => void counts.away.set(reason, (counts.away.get(reason) ?? 0) + 1),
      began: () => void (counts.inFlight += 1),
      answered: (answer) => add(counts, answer),
    },
  };
}

function add(counts: PortCounts, { method: asked, route: named, status: code, ms, bytes }: Answered): void {
  const route = named ?? 'none';
  counts.inFlight -= 1;
  counts.bytes += bytes;
  const method = METHODS.has(asked) ? asked : 'other';
  const status = String(code);
  const key = `${method} ${route} ${status}`;
  const answer = counts.answers.get(key) ?? { labels: { method, route, status }, count: 0 };
  answer.count += 1;
  counts.answers.set(key, answer);
  const seconds = ms / 1000;
  const duration = counts.durations.get(route) ?? { buckets: BUCKETS.map(() => 0), count: 0, sum: 0 };
  const bucket = BUCKETS.findIndex((limit) => seconds <= limit);
  if (bucket >= 0) duration.buckets[bucket]! += 1;
  duration.count += 1;
  duration.sum += seconds;
  counts.durations.set(route, duration);
}
