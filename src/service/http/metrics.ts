// Figures of a running service in the text format of Prometheus (0.0.4): counters, gauges and one histogram, of bounded number.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Service } from '../../contract/exchange.ts';
import { newRequestId } from '../handlers/error-response.ts';
import { createPortCounters, type PortCounters } from './port-counters.ts';
import type { PortObserver } from './port-observer.ts';

type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];
type Read = () => number | readonly Sample[] | Promise<number | readonly Sample[]>;

export type Metrics = {
  /** Counts what happens on the port of this name. */
  observePort(port: string): PortObserver;
  /** A figure that is asked for whenever it is read, and left out where that fails. */
  gauge(name: string, help: string, read: Read): void;
  /** As {@link Metrics.gauge}, for a figure that only grows; its name ends with `_total`. */
  counter(name: string, help: string, read: Read): void;
  /** Everything, as text. */
  text(): Promise<string>;
  close(): void;
};

/** Seconds; what is slower falls into +Inf. */
export const DURATION_BUCKETS_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

export function createMetrics(monotonic: () => number): Metrics {
  const ports = new Map<string, PortCounters>();
  const figures: { name: string; help: string; type: 'gauge' | 'counter'; read: Read }[] = [];
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();

  const gauge: Metrics['gauge'] = (name, help, read) =>
    void figures.push({ name, help, type: 'gauge', read });
  const counter: Metrics['counter'] = (name, help, read) =>
    void figures.push({ name, help, type: 'counter', read });
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
    ofPorts(({ responses: answers }) =>
      [...answers.values()].map(({ labels, count }): Sample => [labels, count]),
    ),
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
    ofPorts(({ accepted: taken }) => taken),
  );
  counter(
    'arx_turned_away_total',
    'Connections and requests over a limit, and failures to accept.',
    ofPorts(({ rejections: away }) => [...away].map(([reason, count]): Sample => [{ reason }, count])),
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
      const { counts, observer: watch } = createPortCounters(monotonic);
      ports.set(name, counts);
      return watch;
    },
    gauge,
    counter,
    async text() {
      const families: string[] = [];
      for (const { name, help, type, read } of figures) {
        const value = await Promise.resolve()
          .then(read)
          .catch((): Sample[] => []);
        const samples: readonly Sample[] = typeof value === 'number' ? [[{}, value]] : value;
        if (samples.length > 0) families.push(familyOf(name, help, type, samples));
      }
      return families.join('') + durationsOf(ports);
    },
    close: () => void delay.disable(),
  };
}

/** `GET /metrics` for a port of its own: nothing else is there, and nobody is asked for a token. */
export function createMetricsService(metrics: Metrics, randomBytes: (count: number) => Uint8Array): Service {
  return async ({ method, target }) => {
    const isRead = method === 'GET' || method === 'HEAD';
    const isThere = target.split('?', 1)[0] === '/metrics';
    const status = !isThere ? 404 : isRead ? 200 : 405;
    const body = status === 200 ? await metrics.text() : '';
    return {
      status,
      headers: {
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
        'content-length': String(Buffer.byteLength(body)),
        'x-request-id': newRequestId(randomBytes),
        ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
      },
      body: method === 'HEAD' ? '' : body,
      logContext: { route: 'metrics' },
    };
  };
}

function familyOf(name: string, help: string, type: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labelled(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function durationsOf(ports: ReadonlyMap<string, PortCounters>): string {
  const name = 'arx_request_duration_seconds';
  const lines: string[] = [];
  for (const [port, { durations }] of ports) {
    for (const [route, { buckets, count, sum }] of durations) {
      let below = 0;
      for (const [index, limit] of DURATION_BUCKETS_S.entries()) {
        below += buckets[index]!;
        lines.push(`${name}_bucket${labelled({ port, route, le: String(limit) })} ${below}\n`);
      }
      lines.push(`${name}_bucket${labelled({ port, route, le: '+Inf' })} ${count}\n`);
      lines.push(`${name}_sum${labelled({ port, route })} ${sum}\n`);
      lines.push(`${name}_count${labelled({ port, route })} ${count}\n`);
    }
  }
  const help = 'From the head of a request to the end of its answer.';
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${lines.join('')}`;
}

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
