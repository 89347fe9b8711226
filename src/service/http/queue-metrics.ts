// Metrics of the event queue: how many events wait, and for how long.
import { withTimeout } from '../handlers/store-timeout.ts';
import type { Archive } from '../store/archive.ts';
import type { Metrics, Sample } from './metrics.ts';

/** Adds metrics that show a worker which does not keep up, or events that cannot be applied. */
export function addQueueMetrics(
  metrics: Metrics,
  { database, now }: Pick<Archive, 'database' | 'now'>,
): void {
  // Each of these effects has an index over its rows alone, so counting is cheap.
  const count = async (effect: string): Promise<Sample> => {
    const row = await database.get<{ n: number }>(
      `SELECT COUNT(*) AS n FROM events WHERE effect = '${effect}'`,
    );
    return [{ effect }, row?.n ?? 0];
  };
  metrics.gauge(
    'arx_events',
    'Events that are still to be applied, wait for their records, or could not be applied.',
    () => withTimeout(Promise.all(['queued', 'waiting', 'dead'].map(count))),
  );
  metrics.gauge(
    'arx_events_oldest_queued_seconds',
    'Age of the oldest event still to be applied, or 0.',
    () => {
      const oldest = database.get<{ received_ms: number }>(
        `SELECT received_ms FROM events WHERE effect = 'queued' ORDER BY n LIMIT 1`,
      );
      return withTimeout(
        oldest.then((row) => (row === undefined ? 0 : Math.max(0, now() - row.received_ms) / 1000)),
      );
    },
  );
}
