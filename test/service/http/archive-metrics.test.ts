// Metrics of an archive whose database is a server, and whose files are in a bucket.
import parsePrometheus from 'parse-prometheus-text-format';
import { afterEach, expect, test } from 'vitest';
import { addArchiveMetrics } from '../../../src/service/http/archive-metrics.ts';
import { createMetrics } from '../../../src/service/http/metrics.ts';
import type { Archive } from '../../../src/service/store/archive.ts';
import { sampleArchive, type Sample } from '../../support/archive.ts';

let sample: Sample | undefined;
afterEach(() => sample?.close());

async function read(change: (archive: Archive) => Pick<Archive, 'blobs' | 'database' | 'now'>) {
  sample = await sampleArchive();
  const metrics = createMetrics(() => 0);
  addArchiveMetrics(metrics, change(sample.archive));
  metrics.cacheLookup(true);
  metrics.cacheLookup(false);
  metrics.cacheLookup(false);
  const families = new Map(parsePrometheus(await metrics.text()).map((one) => [one.name, one.metrics]));
  metrics.close();
  return families;
}

test('a server that is a standby, its connections, and requests to a bucket', async () => {
  const families = await read((archive) => ({
    ...archive,
    database: {
      ...archive.database,
      takesWrites: async () => false,
      pool: () => ({ busy: 2, idle: 1, waiting: 3 }),
    },
    blobs: { ...archive.blobs, requests: { answered: 5, repeated: 2, failed: 1 } },
  }));
  expect(families.get('arx_database_takes_writes')).toEqual([{ value: '0' }]);
  expect(families.get('arx_database_connections')).toEqual([
    { value: '2', labels: { state: 'busy' } },
    { value: '1', labels: { state: 'idle' } },
    { value: '3', labels: { state: 'waiting' } },
  ]);
  expect(families.get('arx_bucket_requests_total')).toEqual([
    { value: '5', labels: { outcome: 'answered' } },
    { value: '2', labels: { outcome: 'repeated' } },
    { value: '1', labels: { outcome: 'failed' } },
  ]);
  expect(families.get('arx_response_cache_total')).toEqual([
    { value: '1', labels: { result: 'hit' } },
    { value: '2', labels: { result: 'miss' } },
  ]);
});

test('the size of an archive; nothing about a server where there is none', async () => {
  const families = await read((archive) => archive);
  const { database } = sample!.archive;
  const count = async (table: string) =>
    String((await database.get(`SELECT COUNT(*) AS n FROM ${table}`))!['n']);
  expect(families.get('arx_records')).toEqual([
    { value: await count('messages'), labels: { kind: 'messages' } },
    { value: await count('attachments'), labels: { kind: 'attachments' } },
    { value: await count('events'), labels: { kind: 'events' } },
  ]);
  expect(Number(families.get('arx_database_bytes')![0]!.value)).toBeGreaterThan(100_000);
  for (const name of ['arx_database_takes_writes', 'arx_database_connections', 'arx_bucket_requests_total'])
    expect(families.has(name)).toBe(false);
});
