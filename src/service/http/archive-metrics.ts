// Metrics of an archive: its event queue, its size, its database and the service that keeps its files.
import { withTimeout } from '../handlers/store-timeout.ts';
import type { Archive } from '../store/archive.ts';
import type { Metrics, Sample } from './metrics.ts';
import { eventsByEffect } from '../store/events/by-effect.ts';

/** Adds the metrics of an archive. */
export function addArchiveMetrics(
  metrics: Metrics,
  archive: Pick<Archive, 'blobs' | 'database' | 'now'>,
): void {
  addQueueMetrics(metrics, archive);
  addSizeMetrics(metrics, archive);
  const { database, blobs } = archive;
  addPoolMetrics(metrics, () => database.pool?.() ?? {});
  metrics.gauge(
    'arx_database_takes_writes',
    '1 where the server of the database takes writes, 0 for a standby.',
    async () => (database.takesWrites === undefined ? [] : Number(await withTimeout(database.takesWrites()))),
  );
  metrics.counter(
    'arx_bucket_requests_total',
    'Requests to the bucket of the files: answered, sent again, given up.',
    () => Object.entries(blobs.requests ?? {}).map(([outcome, count]) => [{ outcome }, count] as const),
  );
}

/** Adds the numbers of connections by their state. */
export function addPoolMetrics(metrics: Metrics, pool: () => Record<string, number>): void {
  metrics.gauge(
    'arx_database_connections',
    'Connections to the database, and requests that wait for one.',
    () => Object.entries(pool()).map(([state, count]) => [{ state }, count] as const),
  );
}

/** Statements that give the bytes of a database. */
const DATABASE_BYTES = {
  sqlite: 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  postgres: 'SELECT pg_database_size(current_database()) AS bytes',
} as const satisfies Record<Archive['database']['engine'], string>;

function addSizeMetrics(metrics: Metrics, { database }: Pick<Archive, 'database'>): void {
  // Numbers are given without gaps, so the greatest one is the count, which an index knows.
  const count = async (kind: string): Promise<Sample> => {
    const row = await database.get<{ n: number | null }>(`SELECT MAX(n) AS n FROM ${kind}`);
    return [{ kind }, row?.n ?? 0];
  };
  metrics.gauge('arx_records', 'Messages, attachments and events of the archive.', () =>
    withTimeout(Promise.all(['messages', 'attachments', 'events'].map(count))),
  );
  metrics.gauge('arx_database_bytes', 'Size of the database.', async () => {
    const row = await withTimeout(database.get<{ bytes: number }>(DATABASE_BYTES[database.engine]));
    return row === undefined ? [] : row.bytes;
  });
}

/** Adds metrics that show a worker which does not keep up, or events that cannot be applied. */
function addQueueMetrics(metrics: Metrics, { database, now }: Pick<Archive, 'database' | 'now'>): void {
  // Each of these effects has an index over its rows alone, so counting is cheap.
  const count = async (effect: 'queued' | 'waiting' | 'dead'): Promise<Sample> => {
    const row = await database.get<{ n: number }>(
      `SELECT COUNT(*) AS n FROM ${eventsByEffect(effect, database.engine)} WHERE effect = '${effect}'`,
    );
    return [{ effect }, row?.n ?? 0];
  };
  metrics.gauge(
    'arx_events',
    'Events that are still to be applied, wait for their records, or could not be applied.',
    () => withTimeout(Promise.all((['queued', 'waiting', 'dead'] as const).map(count))),
  );
  metrics.gauge(
    'arx_events_oldest_queued_seconds',
    'Age of the oldest event still to be applied, or 0.',
    () => {
      const oldest = database.get<{ received_ms: number }>(
        `SELECT received_ms FROM ${eventsByEffect('queued', database.engine)} WHERE effect = 'queued' ORDER BY n LIMIT 1`,
      );
      return withTimeout(
        oldest.then((row) => (row === undefined ? 0 : Math.max(0, now() - row.received_ms) / 1000)),
      );
    },
  );
}
