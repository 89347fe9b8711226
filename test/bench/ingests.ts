// Measures durable ingest beside raw durable commits of the same engine, in turn; bundled by ingest.mjs.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Listening } from '../../src/contract/reports/command.ts';
import { load } from '../support/load.ts';
import { ownCluster } from '../support/own-cluster.ts';
import { withClient } from '../support/postgres.ts';
import { outside, startProcess } from '../support/program.ts';
import { CONNECTIONS, PAYLOAD, pgbench, rawSqlite, TYPE } from './raw-commits.ts';
import { shares, spending, type Spent } from './spent.ts';
import { tempFolder } from '../support/temp-folder.ts';

type Row = Record<string, string>;

/** Events of a batch. */
const BATCH = 500;

export type Sizes = {
  launcher: string;
  /** Path of ingest-peer.mjs. */
  peer: string;
  /** Rounds, and milliseconds of each measurement in a round. */
  rounds: number;
  ms: number;
  /** Events of the file that is sent. */
  events: number;
};

/** Rows of a table: medians of rates a second, and their ratio. */
export async function measureIngest({ launcher, peer, rounds, ms, events }: Sizes): Promise<Row[]> {
  const dir = tempFolder('ingest');
  const cluster = await ownCluster();
  try {
    const file = join(dir, 'events.ndjson');
    writeEvents(file, events);
    const rows = await measureEngine('sqlite', join(dir, 'peer.db'), ({ size }) => rawSqlite(dir, ms, size));
    if (cluster === undefined) return rows;
    await withClient((client) => client.query('CREATE SCHEMA archive'), cluster.url);
    return [
      ...rows,
      ...(await measureEngine('postgres', cluster.url, (raw) => pgbench(cluster, dir, { ...raw, ms }))),
    ];

    async function measureEngine(
      engine: string,
      database: string,
      raw: (inserts: { size: number; rows?: 'whole' }) => number,
    ): Promise<Row[]> {
      // Beside the tables of the others, an archive wants a schema of its own; one of the role's name would be everybody's.
      const flags =
        engine === 'postgres' ? ['--database', `${database}&options=-csearch_path%3Darchive`] : [];
      const spent = {
        single: [] as Spent[],
        peer: [] as Spent[],
        batch: [] as Spent[],
        peerBatch: [] as Spent[],
      };
      const rates = {
        raw: [] as number[],
        rawBatch: [] as number[],
        wholeBatch: [] as number[],
        peer: [] as number[],
        peerBatch: [] as number[],
        single: [] as number[],
        batch: [] as number[],
        file: [] as number[],
        reconcile: [] as number[],
      };
      const peaks = { file: 0, reconcile: 0 };
      const offerOne = async (name: keyof typeof spent, served: Target) => {
        const spentOn = spending([served.pid], engine === 'postgres' ? cluster : undefined);
        const { rate, accepted } = await offer(
          served,
          ms,
          name === 'batch' || name === 'peerBatch' ? BATCH : 1,
        );
        rates[name].push(rate);
        spent[name].push(spentOn(accepted));
      };
      for (let round = 0; round < rounds; round += 1) {
        const home = join(dir, `${engine}-${round}`);
        execFileSync('mkdir', ['-p', home]);
        rates.raw.push(raw({ size: 1 }));
        const least = await servePeer(peer, home, database);
        await offerOne('peer', least);
        await offerOne('peerBatch', least);
        await least.close();
        const served = await serve(launcher, home, flags);
        await offerOne('single', served);
        await served.idle();
        rates.raw.push(raw({ size: 1 }));
        rates.rawBatch.push(raw({ size: BATCH }));
        if (engine === 'postgres') rates.wholeBatch.push(raw({ size: BATCH, rows: 'whole' }));
        await offerOne('batch', served);
        await served.idle();
        const input = join(home, 'events.ndjson');
        execFileSync('sed', [`s/"evt_/"evt_${engine}${round}_/`, file], {
          stdio: ['ignore', openSync(input, 'w'), 'inherit'],
        });
        const sent = await runOn(launcher, home, served, ['events', 'send', '--file', input, '-o', 'ndjson']);
        await served.idle();
        const held = await runOn(launcher, home, served, ['events', 'reconcile', '--json']);
        for (const [name, { seconds, mib }] of Object.entries({ file: sent, reconcile: held })) {
          rates[name as keyof typeof peaks].push(events / seconds);
          peaks[name as keyof typeof peaks] = Math.max(peaks[name as keyof typeof peaks], mib);
        }
        await served.close();
      }
      const of = (name: keyof typeof rates) => median(rates[name]);
      const isBatch = (name: keyof typeof rates) => name === 'batch' || name === 'peerBatch';
      const row = (
        what: string,
        name: Exclude<keyof typeof rates, 'raw' | 'rawBatch' | 'wholeBatch'>,
      ): Row => ({
        engine,
        what,
        'events/s': Math.round(of(name)).toLocaleString('en'),
        'raw commits/s': Math.round(of('raw')).toLocaleString('en'),
        ratio: name === 'reconcile' ? '' : (of(name) / of('raw')).toFixed(2),
        'of raw batches': isBatch(name) ? (of(name) / of('rawBatch')).toFixed(2) : '',
        'with all fields and indexes':
          isBatch(name) && engine === 'postgres' ? (of(name) / of('wholeBatch')).toFixed(2) : '',
        'peak MiB': name === 'file' || name === 'reconcile' ? String(peaks[name]) : '',
        'µs an event': name === 'file' || name === 'reconcile' ? '' : shares(spent[name]),
        'of each round, events/s': rates[name].map((rate) => Math.round(rate)).join(' '),
      });
      return [
        row(`one event a request, ${CONNECTIONS} connections`, 'single'),
        row('the same, a node:http server that only inserts', 'peer'),
        row(`${BATCH} events a request, 4 connections`, 'batch'),
        row('the same, a node:http server that only inserts', 'peerBatch'),
        row(`arx events send --file, ${events.toLocaleString('en')} events`, 'file'),
        row('arx events reconcile of them', 'reconcile'),
      ];
    }
  } finally {
    await cluster?.close();
  }
}

/** Returns the middle one of some numbers. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

function writeEvents(path: string, count: number): void {
  const file = openSync(path, 'w');
  let text = '';
  for (let n = 0; n < count; n += 1) {
    text += `{"id":"evt_${n}","type":"${TYPE}","payload":${JSON.stringify(PAYLOAD)}}\n`;
    if (text.length < 1 << 20) continue;
    writeSync(file, text);
    text = '';
  }
  writeSync(file, text);
  closeSync(file);
}

type Target = { base_url: string; pid: number; token: string; close(): Promise<void> };
/** `arx serve` as a process. `idle` resolves when every event has its effect. */
export type Served = Listening & Target & { idle(): Promise<void> };

/** The least that a server does; see ingest-peer.mjs. */
async function servePeer(peer: string, home: string, database: string): Promise<Target> {
  const { child, pid, says, ended } = startProcess(process.execPath, [peer, database], { dir: home });
  const port = Number(await says('stdout', /\n/));
  return {
    base_url: `http://127.0.0.1:${port}`,
    pid,
    token: '',
    close: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Starts `arx serve` on free ports, and logs in. */
export async function serve(launcher: string, home: string, flags: readonly string[]): Promise<Served> {
  const words = [
    launcher,
    'serve',
    '--port',
    '0',
    '--asset-port',
    '0',
    '--json',
    '--max-tier',
    'mirror',
    ...flags,
  ];
  const running = startProcess(process.execPath, words, { dir: home });
  const line = JSON.parse(await running.says('stdout', /\n/)) as Listening;
  const response = await fetch(`${line.base_url}/api/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: 'bench', observer_tier: 'mirror', requested_tier: 'mirror' }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return {
    ...line,
    token,
    idle: async () => {
      for (;;) {
        const queued = await fetch(`${line.base_url}/api/webhooks/events?effect=queued&limit=1`, {
          headers: { authorization: `Bearer ${token}` },
        });
        if (((await queued.json()) as { data: unknown[] }).data.length === 0) return;
      }
    },
    close: async () => {
      running.child.kill('SIGTERM');
      await running.ended;
    },
  };
}

let serial = 0;

/** Acknowledged events, and how many a second. */
async function offer(
  { base_url: url, token, pid }: Target,
  ms: number,
  size: number,
): Promise<{ rate: number; accepted: number }> {
  const begun = performance.now();
  let accepted = 0;
  await load({
    url,
    token,
    connections: size === 1 ? CONNECTIONS : 4,
    contentType: size === 1 ? 'application/json' : 'application/x-ndjson',
    next: () => {
      if (performance.now() - begun > ms) return undefined;
      const lines = Array.from({ length: size }, () => {
        serial += 1;
        return JSON.stringify({ id: `b${pid}_${serial}`, type: TYPE, payload: PAYLOAD });
      });
      return { body: lines.join('\n'), ids: [] };
    },
    answered: (status, _ids, body) => {
      if (status !== 200) throw new Error(`answered with ${status}: ${body}`);
      accepted += size;
    },
  });
  return { rate: (accepted / (performance.now() - begun)) * 1000, accepted };
}

/** Seconds and peak of resident memory of a command that must end well. */
async function runOn(
  launcher: string,
  dir: string,
  { base_url, token }: Served,
  words: readonly string[],
): Promise<{ seconds: number; mib: number }> {
  const begun = performance.now();
  const child = spawn(process.execPath, [launcher, ...words, '--base-url', base_url], {
    env: { ...outside(dir), ARX_TOKEN: token },
    stdio: ['ignore', openSync(join(dir, 'out'), 'w'), 'inherit'],
  });
  let mib = 0;
  const look = setInterval(() => (mib = Math.max(mib, peakOf(child.pid!))), 50);
  const exit = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(look);
  if (exit !== 0) throw new Error(`${words.join(' ')} ended with ${String(exit)}`);
  return { seconds: (performance.now() - begun) / 1000, mib };
}

/** In MiB, by Linux; 0 where it does not tell. */
function peakOf(pid: number): number {
  try {
    const peakKb = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Math.round(Number(peakKb ?? 0) / 1024);
  } catch {
    return 0;
  }
}
