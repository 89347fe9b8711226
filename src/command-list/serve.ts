// The command that runs the service on a port.
import { TIERS } from '../contract/token.ts';
import type { CommandSpec } from './command-spec.ts';
import { DATABASE_OPTIONS } from './shared-options.ts';

export const SERVE_COMMANDS = [
  {
    words: 'serve',
    summary: 'run the service on a port',
    options: [
      ['--host <address>', 'address to bind (default: 127.0.0.1)'],
      ['--port <port>', 'port of the interface, 0 for any free one (default: 4747)'],
      ['--asset-port <port>', 'port of the files (default: the next one)'],
      ['--allow-host <names>', 'names, with commas, to answer to besides localhost'],
      ...DATABASE_OPTIONS,
      [
        '--max-tier <tier>',
        'highest tier given to anyone (default: internal on loopback, else external)',
        TIERS,
      ],
      [
        '--read-only',
        'change nothing of the archive: beside a writing process, or on a read-only file system',
      ],
      ['--trust-proxy <addresses>', 'addresses or networks, with commas, whose X-Forwarded-For is believed'],
      [
        '--max-connections <count>',
        'connections at once on each port (default: 12000, less where the system allows less)',
      ],
      [
        '--max-connections-per-address <count>',
        'of one address, but for this machine and proxies; 0: any (default: 256)',
      ],
      ['--log <file>', 'append a line of JSON for each answer to FILE, - for stderr (also with -v)'],
      ['--log-level <level>', 'the least urgent that is logged (default: info)', ['error', 'warn', 'info']],
      ['--metrics-port <port>', 'figures for Prometheus on this port, under /metrics'],
      ['--metrics-host <address>', 'address to bind for them (default: 127.0.0.1)'],
      ['--webhook-secret-file <file>', 'events must be signed with one of these secrets, one a line'],
      ['--drift <ratio>', 'inject drift, e.g. 0.13 or 0.13:0.21 (default: none)'],
      ['--drift-seed <seed>', 'the same seed, the same drift, faults and writes'],
      [
        '--drift-faults <kinds>',
        'shift,boundary,later,permute,missing,dup,stale (default: all); only if named: scramble,empty,loop,oversize',
      ],
      [
        '--drift-mode <mode>',
        'how lies hang together (default: each)',
        ['each', 'key', 'sticky', 'burst', 'collude'],
      ],
      ['--drift-reported <ratio>', 'ratio the service reports of itself (default: the true one)'],
      ['--drift-writes <writes>', 'rows that come and go, e.g. append:10:4,insert:3:9,delete:3:9'],
      ['--drift-latency <ms>', 'milliseconds added to every answer'],
      [
        '--drift-log <file>',
        'append what was done to each read to FILE; truth=true then reads the true list',
      ],
      ['--transport-faults <share>', 'share of list requests that fail on the line, 0 to 1'],
      ['--transport-kinds <kinds>', '429,503,reset,cut,slow (default: all)'],
    ],
    examples: [
      'arx serve',
      'arx serve --port 0 --drift 0.13:0.21 --drift-seed 7 --json',
      'arx serve --database postgres://arx@db.example/archive?sslmode=verify-full',
      'arx serve --log serve.log --metrics-port 9100 --trust-proxy 127.0.0.1',
      'arx serve --read-only',
      'arx serve --drift 0.21 --drift-mode key --transport-faults 0.05 --drift-log drift.ndjson',
    ],
  },
] as const satisfies readonly CommandSpec[];
