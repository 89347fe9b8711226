// The log and the figures of a service: what they say, what they never say, and that a sink that fails stops nobody.
import parsePrometheus from 'parse-prometheus-text-format';
import { describe, expect, test } from 'vitest';
import { createAccessLog, createMetrics, type LogEntry } from '../../../src/service/http/index.ts';
import type { CompletedRequest } from '../../../src/service/http/port-observer.ts';
import { NOON } from '../../support/fake-world.ts';

const ANSWERED: CompletedRequest = {
  requestId: 'req_1',
  method: 'GET',
  route: 'attachments',
  status: 200,
  ms: 3.12345,
  bytes: 10,
  address: '127.0.0.1',
  tier: 'internal',
  aborted: false,
};

function journalOf(write: (text: string) => Promise<void>, level: 'error' | 'warn' | 'info' = 'info') {
  return createAccessLog({
    level,
    now: () => NOON,
    monotonic: () => 0,
    format: (entry) => `${JSON.stringify(entry)}\n`,
    write,
  });
}

describe('the log', () => {
  test('has one line for an answer, of these fields', async () => {
    const lines: string[] = [];
    const journal = journalOf(async (text) => void lines.push(text));
    journal.observePort('api').requestCompleted(ANSWERED);
    await journal.close();
    expect(JSON.parse(lines.join(''))).toEqual({
      time: '2026-01-02T03:04:05.678Z',
      level: 'info',
      event: 'answered',
      port: 'api',
      request_id: 'req_1',
      method: 'GET',
      route: 'attachments',
      status: 200,
      ms: 3.12,
      bytes: 10,
      address: '127.0.0.1',
      tier: 'internal',
    });
  });

  test.each([
    ['error', [500]],
    ['warn', [404, 500, 0]],
    ['info', [200, 206, 404, 500, 0]],
  ] as const)('%s', async (level, statuses) => {
    const entries: LogEntry[] = [];
    const journal = createAccessLog({
      level,
      now: () => NOON,
      monotonic: () => 0,
      format: (entry) => (entries.push(entry), ''),
      write: async () => {},
    });
    for (const status of [200, 206, 404, 500, 0])
      journal.observePort('api').requestCompleted({ ...ANSWERED, status });
    await journal.close();
    expect(entries.map(({ status }) => status)).toEqual(statuses);
  });

  test('of a sink that fails lines are lost and counted, and told when it takes some again', async () => {
    let isFull = true;
    const lines: string[] = [];
    const journal = journalOf(async (text) => {
      if (isFull) throw new Error('ENOSPC');
      lines.push(...text.split('\n').filter(Boolean));
    });
    for (let n = 0; n < 3; n += 1) {
      journal.note('info', `lost ${n}`);
      await journal.close();
    }
    expect(journal.lost()).toBe(3);
    isFull = false;
    journal.note('info', 'kept');
    await journal.close();
    expect(lines.map((line) => JSON.parse(line) as LogEntry)).toMatchObject([
      { event: 'kept' },
      { event: 'log lines lost', count: 3, level: 'warn' },
    ]);
  });

  test('behind a sink that never answers at most a megabyte waits', async () => {
    const taken: string[] = [];
    const journal = journalOf((text) => {
      taken.push(text);
      return new Promise(() => {});
    });
    const entry = 'x'.repeat(1000);
    for (let n = 0; n < 2000; n += 1) journal.note('info', entry);
    expect(taken).toHaveLength(1);
    expect(journal.lost()).toBeGreaterThan(900);
    expect(journal.lost()).toBeLessThan(1100);
  });
});

describe('the figures', () => {
  test('are what a foreign parser reads: counts, a histogram, and what others add', async () => {
    const metrics = createMetrics(() => 0);
    const watch = metrics.observePort('api');
    watch.connected();
    watch.connected();
    watch.disconnected();
    for (const ms of [0.5, 3, 7, 60_000]) {
      watch.requestStarted();
      watch.requestCompleted({ ...ANSWERED, ms });
    }
    watch.requestStarted();
    watch.rejected('address');
    metrics.gauge('arx_queue', 'With "quotes" and \\.', () => [[{ name: 'a "b" \\ c\nd' }, 7]]);
    metrics.gauge('arx_broken', 'Never shown.', () => Promise.reject(new Error('no')));
    const text = await metrics.text();
    const families = new Map(parsePrometheus(text).map((family) => [family.name, family]));
    metrics.close();
    expect(families.get('arx_requests_total')).toMatchObject({
      type: 'COUNTER',
      metrics: [{ value: '4', labels: { port: 'api', method: 'GET', route: 'attachments', status: '200' } }],
    });
    expect(families.get('arx_connections')!.metrics).toEqual([{ value: '1', labels: { port: 'api' } }]);
    expect(families.get('arx_requests_in_flight')!.metrics).toEqual([
      { value: '1', labels: { port: 'api' } },
    ]);
    expect(families.get('arx_turned_away_total')!.metrics).toEqual([
      { value: '1', labels: { port: 'api', reason: 'address' } },
    ]);
    expect(families.get('arx_queue')!.metrics).toEqual([{ value: '7', labels: { name: 'a "b" \\ c\nd' } }]);
    expect(families.has('arx_broken')).toBe(false);
    const [{ buckets }] = families.get('arx_request_duration_seconds')!.metrics as [
      { buckets: Record<string, string> },
    ];
    expect(buckets).toMatchObject({
      '0.001': '1',
      '0.0025': '1',
      '0.005': '2',
      '0.01': '3',
      '10': '3',
      '+Inf': '4',
    });
    // Which the parser leaves out where there are labels.
    expect(text).toContain('arx_request_duration_seconds_sum{port="api",route="attachments"} 60.0105\n');
    expect(text).toContain('arx_request_duration_seconds_count{port="api",route="attachments"} 4\n');
  });

  test('are of a number that no request can raise', async () => {
    const metrics = createMetrics(() => 0);
    const watch = metrics.observePort('api');
    for (let n = 0; n < 10_000; n += 1) {
      watch.requestCompleted({
        ...ANSWERED,
        requestId: `req_${n}`,
        method: `M${n}`,
        route: undefined,
        address: `10.0.${n >> 8}.${n % 256}`,
      });
    }
    const lines = (await metrics.text()).split('\n');
    metrics.close();
    expect(lines.length).toBeLessThan(60);
  });
});
