// Metrics of a running service in the text format of Prometheus (0.0.4): counters, gauges and one histogram.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Service } from '../../contract/exchange.ts';
import { newRequestId } from '../handlers/error-response.ts';
import { DASHBOARD_JSON } from './dashboard.ts';
import { createPortCounters, DURATION_BUCKETS_S, type PortCounters } from './port-counters.ts';
import type { PortObserver } from './port-observer.ts';

type Labels = Readonly<Record<string, string>>;
/** One value of a metric, and the labels it has. */
export type Sample = readonly [labels: Labels, value: number];
type ReadValue = () => number | readonly Sample[] | Promise<number | readonly Sample[]>;

/** The metrics of one process. */
export type Metrics = {
  /** Returns the observer that counts what happens on the port with this name. */
  observePort(port: string): PortObserver;
  /** Adds a metric whose value is read for each output. It is left out where reading fails. */
  gauge(name: string, help: string, read: ReadValue): void;
  /** As {@link Metrics.gauge}, for a value that only grows. Its name ends with `_total`. */
  counter(name: string, help: string, read: ReadValue): void;
  /** Counts a response that may be cached. */
  cacheLookup(isCached: boolean): void;
  /** Returns all metrics as text. */
  text(): Promise<string>;
  close(): void;
};

/** Returns metrics with those of the ports and of the event loop. */
export function createMetrics(monotonic: () => number): Metrics {
  const ports = new Map<string, PortCounters>();
  const metrics: { name: string; help: string; type: 'gauge' | 'counter'; read: ReadValue }[] = [];
  const lookups = { hit: 0, miss: 0 };
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();

  const gauge: Metrics['gauge'] = (name, help, read) =>
    void metrics.push({ name, help, type: 'gauge', read });
  const counter: Metrics['counter'] = (name, help, read) =>
    void metrics.push({ name, help, type: 'counter', read });
  const ofPorts = (read: (port: PortCounters) => number | readonly Sample[]) => (): Sample[] =>
    [...ports].flatMap(([port, counts]): Sample[] => {
      const value = read(counts);
      return typeof value === 'number'
        ? [[{ port }, value]]
        : value.map(([labels, count]): Sample => [{ port, ...labels }, count]);
    });

  counter(
    'arx_requests_total',
    'Requests answered; status 0 is none.',
    ofPorts(({ responses }) => [...responses.values()].map(({ labels, count }): Sample => [labels, count])),
  );
  gauge(
    'arx_requests_in_flight',
    'Requests whose answer is not over.',
    ofPorts(({ inFlight }) => inFlight),
  );
  counter(
    'arx_response_bytes_total',
    'Bytes of bodies sent.',
    ofPorts(({ bytes }) => bytes),
  );
  gauge(
    'arx_connections',
    'Open connections.',
    ofPorts(({ connections }) => connections),
  );
  counter(
    'arx_connections_total',
    'Connections taken.',
    ofPorts(({ accepted }) => accepted),
  );
  counter(
    'arx_turned_away_total',
    'Connections and requests over a limit, and failures to accept.',
    ofPorts(({ rejections }) => [...rejections].map(([reason, count]): Sample => [{ reason }, count])),
  );
  counter('arx_response_cache_total', 'Responses that may be cached, by whether they were.', () =>
    Object.entries(lookups).map(([result, count]): Sample => [{ result }, count]),
  );
  gauge('nodejs_eventloop_lag_seconds', 'Delay of the event loop since it was last read.', () => {
    const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
    const samples: Sample[] = [
      [{ quantile: '0.5' }, seconds(delay.percentile(50))],
      [{ quantile: '0.99' }, seconds(delay.percentile(99))],
      [{ quantile: '1' }, seconds(delay.max)],
    ];
    delay.reset();
    return samples;
  });

  return {
    observePort(name) {
      const { counters, observer } = createPortCounters(monotonic);
      ports.set(name, counters);
      return observer;
    },
    gauge,
    counter,
    cacheLookup: (isCached) => void (lookups[isCached ? 'hit' : 'miss'] += 1),
    async text() {
      const texts: string[] = [];
      for (const { name, help, type, read } of metrics) {
        const value = await Promise.resolve()
          .then(read)
          .catch((): Sample[] => []);
        const samples: readonly Sample[] = typeof value === 'number' ? [[{}, value]] : value;
        if (samples.length > 0) texts.push(metricText(name, help, type, samples));
      }
      return texts.join('') + durationText(ports);
    },
    close: () => void delay.disable(),
  };
}

/** What the metrics port serves, without a token: the metrics, and a dashboard of Grafana for them. */
const PAGES: Readonly<Record<string, { type: string; text(metrics: Metrics): Promise<string> }>> = {
  '/metrics': { type: 'text/plain; version=0.0.4; charset=utf-8', text: (metrics) => metrics.text() },
  '/dashboard.json': { type: 'application/json', text: async () => DASHBOARD_JSON },
};

/** Returns the service of the metrics port. */
export function createMetricsService(metrics: Metrics, randomBytes: (count: number) => Uint8Array): Service {
  return async ({ method, target }) => {
    const isRead = method === 'GET' || method === 'HEAD';
    const page = PAGES[target.split('?', 1)[0]!];
    const status = page === undefined ? 404 : isRead ? 200 : 405;
    const body = page !== undefined && isRead ? await page.text(metrics) : '';
    return {
      status,
      headers: {
        'content-type': page?.type ?? 'text/plain; charset=utf-8',
        'content-length': String(Buffer.byteLength(body)),
        'x-request-id': newRequestId(randomBytes),
        ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
      },
      body: method === 'HEAD' ? '' : body,
      logContext: { route: 'metrics' },
    };
  };
}

function metricText(name: string, help: string, type: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labelText(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function durationText(ports: ReadonlyMap<string, PortCounters>): string {
  const name = 'arx_request_duration_seconds';
  const lines: string[] = [];
  for (const [port, { durations }] of ports) {
    for (const [route, { buckets, count, sum }] of durations) {
      let cumulative = 0;
      for (const [index, limit] of DURATION_BUCKETS_S.entries()) {
        cumulative += buckets[index]!;
        lines.push(`${name}_bucket${labelText({ port, route, le: String(limit) })} ${cumulative}\n`);
      }
      lines.push(`${name}_bucket${labelText({ port, route, le: '+Inf' })} ${count}\n`);
      lines.push(`${name}_sum${labelText({ port, route })} ${sum}\n`);
      lines.push(`${name}_count${labelText({ port, route })} ${count}\n`);
    }
  }
  const help = 'From the head of a request to the end of its answer.';
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${lines.join('')}`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
