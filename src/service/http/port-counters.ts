// What one port has done so far, as numbers under so few names that they never grow with what is asked.
import { DURATION_BUCKETS_S } from './metrics.ts';
import type { CompletedRequest, PortObserver } from './port-observer.ts';

export type PortCounters = {
  connections: number;
  accepted: number;
  inFlight: number;
  bytes: number;
  /** By reason. */
  rejections: Map<string, number>;
  responses: Map<string, { labels: { method: string; route: string; status: string }; count: number }>;
  /** By route: how many fell into each bucket, in all, and their seconds together. */
  durations: Map<string, { buckets: number[]; count: number; sum: number }>;
};

/** Methods that routes know; the parser lets some thirty through, which share one name. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

export function createPortCounters(monotonic: () => number): {
  counts: PortCounters;
  observer: PortObserver;
} {
  const counts: PortCounters = {
    connections: 0,
    accepted: 0,
    inFlight: 0,
    bytes: 0,
    rejections: new Map(),
    responses: new Map(),
    durations: new Map(),
  };
  return {
    counts,
    observer: {
      monotonic,
      connected() {
        counts.connections += 1;
        counts.accepted += 1;
      },
      disconnected: () => void (counts.connections -= 1),
      rejected: (reason) => void counts.rejections.set(reason, (counts.rejections.get(reason) ?? 0) + 1),
      requestStarted: () => void (counts.inFlight += 1),
      requestCompleted: (answer) => add(counts, answer),
    },
  };
}

function add(
  counts: PortCounters,
  { method: asked, route: named, status: code, ms, bytes }: CompletedRequest,
): void {
  const route = named ?? 'none';
  counts.inFlight -= 1;
  counts.bytes += bytes;
  const method = METHODS.has(asked) ? asked : 'other';
  const status = String(code);
  const key = `${method} ${route} ${status}`;
  const answer = counts.responses.get(key) ?? { labels: { method, route, status }, count: 0 };
  answer.count += 1;
  counts.responses.set(key, answer);
  const seconds = ms / 1000;
  const duration = counts.durations.get(route) ?? {
    buckets: DURATION_BUCKETS_S.map(() => 0),
    count: 0,
    sum: 0,
  };
  const bucket = DURATION_BUCKETS_S.findIndex((limit) => seconds <= limit);
  if (bucket >= 0) duration.buckets[bucket]! += 1;
  duration.count += 1;
  duration.sum += seconds;
  counts.durations.set(route, duration);
}
