// Counters of one port. Their labels have few values, so that their number does not grow with the requests.
import type { CompletedRequest, PortObserver } from './port-observer.ts';

/** Upper bounds of the duration histogram in seconds; slower requests are counted under +Inf. */
export const DURATION_BUCKETS_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

/** The counters of one port since it was opened. */
export type PortCounters = {
  /** Open connections. */
  connections: number;
  /** Connections accepted so far. */
  accepted: number;
  inFlight: number;
  /** Bytes of response bodies. */
  bytes: number;
  /** By reason. */
  rejections: Map<string, number>;
  /** By method, route and status. */
  responses: Map<string, { labels: { method: string; route: string; status: string }; count: number }>;
  /** By route: requests in each bucket, requests in all, and the sum of their durations in seconds. */
  durations: Map<string, { buckets: number[]; count: number; sum: number }>;
};

/** Methods of our routes. The HTTP parser accepts about thirty others, which share one label. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

/** Returns counters at zero and the observer that increments them. */
export function createPortCounters(monotonic: () => number): {
  counters: PortCounters;
  observer: PortObserver;
} {
  const counters: PortCounters = {
    connections: 0,
    accepted: 0,
    inFlight: 0,
    bytes: 0,
    rejections: new Map(),
    responses: new Map(),
    durations: new Map(),
  };
  return {
    counters,
    observer: {
      monotonic,
      connected() {
        counters.connections += 1;
        counters.accepted += 1;
      },
      disconnected: () => void (counters.connections -= 1),
      rejected: (reason) => void counters.rejections.set(reason, (counters.rejections.get(reason) ?? 0) + 1),
      requestStarted: () => void (counters.inFlight += 1),
      requestCompleted: (request) => countRequest(counters, request),
    },
  };
}

function countRequest(counters: PortCounters, request: CompletedRequest): void {
  const { bytes, ms } = request;
  counters.inFlight -= 1;
  counters.bytes += bytes;
  const method = METHODS.has(request.method) ? request.method : 'other';
  const route = request.route ?? 'none';
  const status = String(request.status);
  const key = `${method} ${route} ${status}`;
  const response = counters.responses.get(key) ?? { labels: { method, route, status }, count: 0 };
  response.count += 1;
  counters.responses.set(key, response);
  const seconds = ms / 1000;
  const duration = counters.durations.get(route) ?? {
    buckets: DURATION_BUCKETS_S.map(() => 0),
    count: 0,
    sum: 0,
  };
  const bucket = DURATION_BUCKETS_S.findIndex((limit) => seconds <= limit);
  if (bucket >= 0) duration.buckets[bucket]! += 1;
  duration.count += 1;
  duration.sum += seconds;
  counters.durations.set(route, duration);
}
