// Metrics: a foreign parser reads them, and their number does not grow with requests.
import parsePrometheus from 'parse-prometheus-text-format';
import { describe, expect, test } from 'vitest';
import { createMetrics } from '../../../src/service/http/metrics.ts';
import { COMPLETED_REQUEST } from '../../support/completed-request.ts';

describe('metrics', () => {
  test('are read by a foreign parser: counters, a histogram, and added gauges', async () => {
    const metrics = createMetrics(() => 0);
    const observer = metrics.observePort('api');
    observer.connected();
    observer.connected();
    observer.disconnected();
    for (const ms of [0.5, 3, 7, 60_000]) {
      observer.requestStarted();
      observer.requestCompleted({ ...COMPLETED_REQUEST, ms });
    }
    observer.requestStarted();
    observer.rejected('address');
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
    // The parser leaves these out where there are labels.
    expect(text).toContain('arx_request_duration_seconds_sum{port="api",route="attachments"} 60.0105\n');
    expect(text).toContain('arx_request_duration_seconds_count{port="api",route="attachments"} 4\n');
  });

  test('do not grow in number with requests', async () => {
    const metrics = createMetrics(() => 0);
    const observer = metrics.observePort('api');
    for (let n = 0; n < 10_000; n += 1) {
      observer.requestCompleted({
        ...COMPLETED_REQUEST,
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
