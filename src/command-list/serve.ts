// The command that runs the service on a port.
import {
  DRIFT_MODES,
  EXPLICIT_TRANSPORT_FAULTS,
  FAULTY_LISTS,
  TRANSPORT_FAULTS,
} from '../contract/injected-faults.ts';
import { TIERS } from '../contract/tier.ts';
import type { CommandSpec } from './command-spec.ts';
import { DATABASE_OPTIONS } from './shared-options.ts';

/** Names, arguments, options and examples of `serve`. */
export const SERVE_COMMANDS = [
  {
    words: 'serve',
    summary: 'run the archive service on a port',
    effect: 'service',
    options: [
      ['--host <address>', 'address to bind (default: 127.0.0.1)'],
      ['--port <port>', 'port of the interface, 0 for any free one (default: 4747)'],
      ['--asset-port <port>', 'port of the files (default: the next one)'],
      ['--allow-host <names>', 'host names to answer to besides localhost, comma-separated'],
      ...DATABASE_OPTIONS,
      [
        '--redirect-files <seconds>',
        'redirect readers of files above 1 MiB to the bucket of --blobs; an address is valid for this many seconds, also after its file is redacted',
      ],
      ['--archives <urls...>', 'serve all archives of these databases (postgres://…), each under /a/NAME'],
      [
        '--max-tier <tier>',
        'highest tier given to anyone (default: external; on loopback your own `arx login` gets internal)',
        TIERS,
      ],
      ['--read-only', 'never write to the archive; works beside a writing process'],
      [
        '--trust-proxy <addresses>',
        'addresses or networks whose X-Forwarded-For is believed, comma-separated',
      ],
      [
        '--max-connections <n>',
        'connections at once on each port (default: 12000, or what the system allows)',
      ],
      [
        '--max-connections-per-address <n>',
        'connections at once of one address, 0 for any number (default: 256)',
      ],
      ['--log <file>', 'append a line of JSON for each answer to FILE; - for standard error'],
      ['--log-level <level>', 'least urgent level to log (default: info)', ['error', 'warn', 'info']],
      [
        '--metrics-port <port>',
        'serve /metrics for Prometheus, and /dashboard.json for Grafana, on this port',
      ],
      ['--metrics-host <address>', 'address to bind for metrics (default: 127.0.0.1)'],
      [
        '--webhook-secret-file <file>',
        'accept only events signed with a secret in FILE, one per line; - is standard input',
      ],
      ['--drift <ratio>', 'inject drift, e.g. 0.13 or 0.13:0.21 (default: none)'],
      ['--drift-seed <seed>', 'seed of drift, faults and writes: the same seed, the same faults'],
      ['--drift-faults <kinds>', 'kinds of faulty reads, comma-separated; arx help drift-testing lists them'],
      ['--drift-mode <mode>', 'how faulty reads are correlated (default: each)', DRIFT_MODES],
      ['--drift-reported <ratio>', 'drift ratio that the service reports (default: the true one)'],
      ['--drift-writes <writes>', 'simulated writes, e.g. append:10:4,insert:3:9,delete:3:9'],
      ['--drift-latency <ms>', 'milliseconds added to every answer'],
      [
        '--drift-log <file>',
        'append the fault of each read to FILE, - for standard error; truth=true in a query then gives the true list',
      ],
      ['--transport-faults <share>', 'share of list requests that fail in transport, 0 to 1'],
      [
        '--transport-kinds <kinds>',
        `kinds of transport faults: ${TRANSPORT_FAULTS.join(',')} (default: these), ${EXPLICIT_TRANSPORT_FAULTS.join(',')}`,
      ],
      [
        '--list-variants <variants>',
        'change every list response, e.g. descending,strict,clamp-limit:50; arx help drift-testing explains them',
      ],
      [
        '--fault-lists <lists>',
        `lists with drift, transport faults and variants, comma-separated (default: ${FAULTY_LISTS.join(',')})`,
      ],
    ],
    examples: [
      'arx serve',
      'arx serve --port 0 --drift 0.13:0.21 --drift-seed 7 --json',
      'arx serve --database "postgres://arx@db.example/archive?sslmode=verify-full"',
      'arx serve --log serve.log --metrics-port 9100 --trust-proxy 127.0.0.1',
      'arx serve --read-only',
      'arx serve --archives postgres://arx@db.example/archives',
      'arx serve --drift 0.21 --drift-mode key --transport-faults 0.05 --drift-log drift.ndjson',
      'arx serve --drift 0.2 --drift-faults stale,phantom --list-variants descending,strict',
    ],
    topics: ['hosting', 'postgresql', 'drift-testing'],
  },
] as const satisfies readonly CommandSpec[];
