// Measures the ingest of each kind of event, in turn; bundled by ingest-kinds.mjs.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleArchive } from '../support/archive.ts';
import { load } from '../support/load.ts';
import { ownCluster, type OwnCluster } from '../support/own-cluster.ts';
import { withClient } from '../support/postgres.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { median, serve, type Served } from './ingests.ts';
import { shares, spending, type Spent } from './spent.ts';
import { CONNECTIONS, PAYLOAD, TYPE } from './raw-commits.ts';

type Row = Record<string, string>;
export type Sizes = { launcher: string; rounds: number; events: number };

/** Messages of the archive. Each event of the kind `superseding` moves one of them. */
const MESSAGES = 500;
const BATCH = 500;

/** The kinds in the order in which they are sent: those of the second and third refer to events of the first. */
const KINDS = ['new', 'known', 'conflicting', 'superseding', 'mixed'] as const;
type Kind = (typeof KINDS)[number];

const flagged = (id: string, trust = PAYLOAD.trust) => ({ id, type: TYPE, payload: { ...PAYLOAD, trust } });
const moving = (id: string, n: number) => {
  const message = (n % MESSAGES) + 1;
  return {
    id,
    type: 'message.reordered',
    payload: { id: `msg_${message}`, entry: `entry_${message}`, sequence: (n * 7) % 1_000 },
  };
};

/** Returns event `n` of a kind. Events of one `run` have ids of their own. */
function eventOf(kind: Kind, run: string, n: number): object {
  if (kind === 'known') return flagged(`${run}_${n}`);
  if (kind === 'conflicting') return flagged(`${run}_${n}`, 'high');
  if (kind === 'superseding') return moving(`${run}_s${n}`, n);
  if (kind === 'mixed') {
    const other = KINDS[n % 4]!;
    return other === 'new'
      ? flagged(`${run}_m${n}`)
      : eventOf(other, other === 'superseding' ? `${run}_m` : run, n);
  }
  return flagged(`${run}_${n}`);
}

/** Sends so many events to the processes in turn. Resolves to events a second: acknowledged, and with their effect. */
async function send(
  served: readonly Served[],
  { kind, run, size, events }: { kind: Kind; run: string; size: number; events: number },
): Promise<{ acknowledged: number; applied: number }> {
  let n = 0;
  const begun = performance.now();
  const rate = () => (events / (performance.now() - begun)) * 1000;
  const connections = (size === 1 ? CONNECTIONS : 4) / served.length;
  await Promise.all(
    served.map(({ base_url: url, token }) =>
      load({
        url,
        token,
        connections,
        contentType: size === 1 ? 'application/json' : 'application/x-ndjson',
        next: () => {
          if (n >= events) return undefined;
          const lines = Array.from({ length: size }, () => JSON.stringify(eventOf(kind, run, n++)));
          return { body: lines.join('\n'), ids: [] };
        },
        answered: (status, _ids, body) => {
          const isExpected = status === 200 || (status === 409 && kind !== 'new');
          if (!isExpected) throw new Error(`answered with ${status}: ${body}`);
        },
      }),
    ),
  );
  const acknowledged = rate();
  await served[0]!.idle();
  return { acknowledged, applied: rate() };
}

async function withArchive<T>(
  engine: 'sqlite' | 'postgres',
  cluster: OwnCluster | undefined,
  work: (home: string, flags: readonly string[]) => Promise<T>,
): Promise<T> {
  const home = tempFolder('kinds');
  const sample = await sampleArchive({
    conversations: MESSAGES,
    messages: 1,
    attachments: 0,
    place: engine === 'postgres' ? { url: cluster!.url } : { dir: join(home, 'data') },
  });
  await sample.leave();
  return work(home, engine === 'postgres' ? ['--database', cluster!.url] : []);
}

/** Bytes of PostgreSQL's log so far; 0 on SQLite. */
async function logBytes(cluster: OwnCluster | undefined): Promise<number> {
  if (cluster === undefined) return 0;
  const asked = `SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS FLOAT8) AS bytes`;
  const { rows } = await withClient((client) => client.query<{ bytes: number }>(asked), cluster.url);
  return rows[0]!.bytes;
}

/** Rows of a table: each kind, beside new events of the same size. */
export async function measureKinds({ launcher, rounds, events }: Sizes): Promise<Row[]> {
  const cluster = await ownCluster();
  const table: Row[] = [];
  try {
    for (const engine of cluster === undefined ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const)) {
      await withArchive(engine, cluster, async (home, flags) => {
        const served = await serve(launcher, home, flags);
        // What the process compiles at the beginning is not measured.
        await send([served], { kind: 'new', run: 'first', size: 1, events });
        for (const size of [1, BATCH]) {
          const rates = new Map(
            KINDS.map((kind) => [
              kind,
              {
                acknowledged: [] as number[],
                applied: [] as number[],
                spent: [] as Spent[],
                log: [] as number[],
              },
            ]),
          );
          for (let round = 0; round < rounds; round += 1)
            for (const kind of KINDS) {
              const of = engine === 'postgres' ? cluster : undefined;
              const spentOn = spending([served.pid], of);
              const logBefore = await logBytes(of);
              const got = await send([served], { kind, run: `r${size}_${round}`, size, events });
              const { acknowledged, applied, spent, log } = rates.get(kind)!;
              acknowledged.push(got.acknowledged);
              applied.push(got.applied);
              spent.push(spentOn(events));
              log.push(((await logBytes(of)) - logBefore) / events);
              await sleep(100);
            }
          const fresh = median(rates.get('new')!.applied);
          for (const kind of KINDS) {
            const { acknowledged, applied, spent, log } = rates.get(kind)!;
            table.push({
              engine,
              'events a request': String(size),
              kind,
              'acknowledged/s': Math.round(median(acknowledged)).toLocaleString('en'),
              'with their effect/s': Math.round(median(applied)).toLocaleString('en'),
              'times as dear as new (≤ 1.5)': (fresh / median(applied)).toFixed(2),
              'µs of CPU an event': shares(spent),
              'bytes of the log': String(Math.round(median(log))),
            });
          }
        }
        await served.close();
      });
    }
  } finally {
    await cluster?.close();
  }
  return table;
}

/** Rows of a table: new events, one a request, by one, two and four processes on PostgreSQL. */
export async function measureProcesses({ launcher, rounds, events }: Sizes): Promise<Row[]> {
  const cluster = await ownCluster();
  if (cluster === undefined) return [];
  try {
    return await withArchive('postgres', cluster, async (home, flags) => {
      const counts = [1, 2, 4];
      const rates = new Map(counts.map((count) => [count, [] as number[]]));
      const spent = new Map(counts.map((count) => [count, [] as Spent[]]));
      const all = await Promise.all(Array.from({ length: 4 }, () => serve(launcher, home, flags)));
      // What the processes compile at the beginning is not measured: it takes longer than all events of a round.
      await send(all, { kind: 'new', run: 'first', size: 1, events: 40_000 });
      for (let round = 0; round < rounds; round += 1)
        for (const count of counts) {
          const served = all.slice(0, count);
          const spentOn = spending(
            served.map(({ pid }) => pid),
            cluster,
          );
          const sent = { kind: 'new', run: `p${count}_${round}`, size: 1, events } as const;
          const { acknowledged } = await send(served, sent);
          rates.get(count)!.push(acknowledged);
          spent.get(count)!.push(spentOn(events));
        }
      for (const served of all) await served.close();
      const one = median(rates.get(1)!);
      return counts.map((count) => ({
        processes: String(count),
        'acknowledged/s': Math.round(median(rates.get(count)!)).toLocaleString('en'),
        'of one process (≥ 1)': (median(rates.get(count)!) / one).toFixed(2),
        'µs of CPU an event': shares(spent.get(count)!),
        'of each round': rates
          .get(count)!
          .map((rate) => Math.round(rate))
          .join(' '),
      }));
    });
  } finally {
    await cluster.close();
  }
}
