// Ingest under load by real processes that are killed again and again, compared with what was acknowledged.
import { Agent, request } from 'node:http';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openArchive, type ArchiveLocation } from '../../src/service/index.ts';
import { randomBytes } from 'node:crypto';
import { sampleArchive } from './archive.ts';
import { freePort } from './cluster.ts';
import { moved } from './event.ts';
import { ownCluster } from './own-cluster.ts';
import { startProcess, type Running } from './program.ts';
import { randomFrom } from './random.ts';
import { tempFolder } from './temp-folder.ts';

export type Killing = {
  engine: 'sqlite' | 'postgres';
  /** Path of the program's launcher. */
  launcher: string;
  kills: number;
  /** Events acknowledged at least. */
  events: number;
  /** Hard restarts of PostgreSQL meanwhile. */
  restarts: number;
  seed: number;
};

export type Killed = {
  kills: number;
  restarts: number;
  acknowledged: number;
  stored: number;
  /** Acknowledged and not stored, stored and still to be applied, in force though another is later. */
  lost: number;
  unapplied: number;
  misplaced: number;
  /** Applied more than once. Only PostgreSQL notes it: a SQLite archive with a trigger is refused. */
  twice?: number;
  /** Requests that were answered with an error or not at all, and sent again. */
  repeated: number;
};

const CONNECTIONS = 12;
const MESSAGES = 30;

/** Undefined where the engine is not installed. Every event is sent until it is acknowledged. */
export async function killIngest(options: Killing): Promise<Killed | undefined> {
  const { engine, launcher, kills, events, restarts, seed } = options;
  const dir = tempFolder('killed-ingest');
  const cluster = engine === 'postgres' ? await ownCluster() : undefined;
  if (engine === 'postgres' && cluster === undefined) return undefined;
  const place: ArchiveLocation = cluster === undefined ? { dir: join(dir, 'data') } : { url: cluster.url };
  const processes: Process[] = [];
  try {
    const sample = await sampleArchive({ conversations: 10, messages: 3, attachments: 0, place });
    if (engine === 'postgres') await watchApplications(sample.archive.database);
    await sample.leave();
    const database = 'dir' in place ? `sqlite:${place.dir}` : place.url;
    for (let nth = 0; nth < (engine === 'sqlite' ? 1 : 2); nth += 1) {
      processes.push(await begin(launcher, dir, database));
    }
    const random = randomFrom(`${engine} ${seed}`);
    const token = await tokenOf(processes[0]!.port);
    const acknowledged = new Set<string>();
    let repeated = 0;
    let serial = 0;
    const over = new AbortController();
    const sender = async (nth: number): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const size = nth % 3 === 0 ? 1 : 100;
      while (!over.signal.aborted) {
        const lot = Array.from({ length: size }, () => eventOf((serial += 1)));
        for (;;) {
          const { port } = processes[Math.floor(random() * processes.length)]!;
          const isTaken = await deliver(agent, port, token, lot);
          if (isTaken) break;
          repeated += 1;
          await sleep(10);
        }
        for (const { id } of lot) acknowledged.add(id);
      }
      agent.destroy();
    };
    const senders = Array.from({ length: CONNECTIONS }, (_, nth) => sender(nth));
    const deadline = Date.now() + 60_000 + kills * 5_000;
    const inTime = () => {
      if (Date.now() > deadline) throw new Error('the processes did not come back in time');
    };
    try {
      let restarted = 0;
      for (let kill = 0; kill < kills; kill += 1) {
        inTime();
        await sleep(20 + random() * 200);
        const at = Math.floor(random() * processes.length);
        await end(processes[at]!);
        if (cluster !== undefined && restarted < Math.floor(((kill + 1) * restarts) / kills)) {
          restarted += 1;
          await cluster.stop();
          await cluster.start();
        }
        processes[at] = await begin(launcher, dir, database, processes[at]!.port);
      }
      while (acknowledged.size < events) {
        inTime();
        await sleep(20);
      }
    } finally {
      over.abort();
      await Promise.all(senders);
    }
    // Once more, so that what the last one left is applied by another.
    for (const [at, { port }] of processes.entries()) {
      await end(processes[at]!);
      processes[at] = await begin(launcher, dir, database, port);
    }
    return {
      kills: kills + processes.length,
      restarts,
      repeated,
      ...(await judge(place, acknowledged, inTime)),
    };
  } finally {
    for (const one of processes) await end(one);
    await cluster?.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Two of three only lie in the archive; the third moves one of its messages. */
function eventOf(n: number) {
  const id = `evt_${n}`;
  return n % 3 === 0
    ? moved(id, (n % MESSAGES) + 1, n)
    : { id, type: 'contact.flagged', payload: { contact: `observer ${n % 100}` } };
}

type Process = { port: number; running: Running };

async function begin(launcher: string, dir: string, database: string, given?: number): Promise<Process> {
  const port = given ?? (await freePort());
  const words = [
    launcher,
    'serve',
    '--max-tier',
    'internal',
    '--port',
    String(port),
    '--asset-port',
    String(await freePort()),
  ];
  const running = startProcess(process.execPath, [...words, '--json', '--database', database], { dir });
  await running.says('stdout', /\n/);
  return { port, running };
}

async function end({ running }: Process): Promise<void> {
  running.child.kill('SIGKILL');
  await running.ended;
}

async function tokenOf(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: 'me', observer_tier: 'internal', requested_tier: 'internal' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Whether all of the lot were acknowledged, by an answer that came whole. */
function deliver(
  agent: Agent,
  port: number,
  token: string,
  lot: readonly { id: string }[],
): Promise<boolean> {
  const lines = lot.map((event) => JSON.stringify(event)).join('\n');
  const type = lot.length === 1 ? 'application/json' : 'application/x-ndjson';
  return new Promise((resolve) => {
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        path: '/api/webhooks/ingest',
        method: 'POST',
        timeout: 10_000,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': type,
          'content-length': Buffer.byteLength(lines),
        },
      },
      (reply) => {
        reply.toArray().then(
          (chunks) => {
            if (reply.statusCode !== 200) return resolve(false);
            const answer = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as {
              accepted?: boolean;
              event_id?: string;
              data?: { accepted: boolean; event_id: string }[];
            };
            const outcomes = answer.data ?? [answer];
            resolve(
              lot.every(({ id }, at) => outcomes[at]?.accepted === true && outcomes[at].event_id === id),
            );
          },
          () => resolve(false),
        );
      },
    );
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(false));
    sent.end(lines);
  });
}

type Database = Awaited<ReturnType<typeof openArchive>>['database'];

/** Has the engine itself note each time that an event takes effect, in the transaction in which it does. */
async function watchApplications(database: Database): Promise<void> {
  await database.run('CREATE TABLE applications (n BIGINT NOT NULL)');
  await database.run(
    `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO applications VALUES (NEW.n); RETURN NULL; END $$`,
  );
  await database.run(
    `CREATE TRIGGER applied AFTER INSERT OR UPDATE OF applied ON events FOR EACH ROW WHEN (NEW.applied IS NOT NULL)
      EXECUTE FUNCTION note()`,
  );
}

async function judge(place: ArchiveLocation, acknowledged: ReadonlySet<string>, inTime: () => void) {
  const archive = await openArchive({ ...place, sleep, now: Date.now, randomBytes });
  const { database } = archive;
  const count = async (sql: string) => (await database.get<{ n: number }>(sql))?.n ?? -1;
  try {
    while ((await count(`SELECT COUNT(*) AS n FROM events WHERE effect = 'queued'`)) > 0) {
      inTime();
      await sleep(20);
    }
    let lost = acknowledged.size;
    let stored = 0;
    const latest = new Map<number, number>();
    for (let after = 0; ;) {
      const rows = await database.all<{ n: number; id: string }>(
        'SELECT n, id FROM events WHERE n > $1 ORDER BY n LIMIT 10000',
        [after],
      );
      for (const { n, id } of rows) {
        after = n;
        stored += 1;
        if (acknowledged.has(id)) lost -= 1;
        const serial = Number(id.slice(4));
        const message = (serial % MESSAGES) + 1;
        // The event that arrived last counts.
        if (serial % 3 === 0) latest.set(message, serial);
      }
      if (rows.length === 0) break;
    }
    const places = await database.all<{ n: number; sequence: number }>('SELECT n, sequence FROM messages');
    return {
      acknowledged: acknowledged.size,
      stored,
      lost,
      unapplied: await count('SELECT COUNT(*) AS n FROM events WHERE applied IS NULL'),
      misplaced: places.filter(({ n, sequence }) => sequence !== (latest.get(n) ?? n)).length,
      ...('dir' in place
        ? {}
        : { twice: await count('SELECT COUNT(*) - COUNT(DISTINCT n) AS n FROM applications') }),
    };
  } finally {
    await archive.close();
  }
}
