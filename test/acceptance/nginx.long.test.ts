// Two real processes on one PostgreSQL behind nginx behave as one service, whose limits apply to the client.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, PASSWORD } from '../support/cluster.ts';
import { moved } from '../support/event.ts';
import { noNginx, startNginx, type Nginx } from '../support/nginx.ts';
import { withClient, freshUrl, noPostgres, schemaOf, urlOf } from '../support/postgres.ts';
import { buildProgram, type Program, type Running } from '../support/program.ts';
import { tokenOf } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

if (noNginx) console.warn('no nginx: the service behind a real load balancer is SKIPPED');

type Process = { port: number; assetPort: number; running: Running };

describe.skipIf(noNginx || noPostgres)('behind nginx', () => {
  let arx: Program;
  let dir: string;
  let url: string;
  let nginx: Nginx;
  let ports: { api: number; assets: number };
  let base: string;
  let processes: Process[] = [];

  const start = async (port: number, assetPort: number): Promise<Process> => {
    const words =
      `serve --port ${port} --asset-port ${assetPort} --json --drift 0.3 --trust-proxy 127.0.0.1 --max-tier internal ` +
      `--asset-url http://127.0.0.1:${ports.assets} --database ${url}`;
    const running = arx.start(words.split(' '), { dir, env: { PGPASSWORD: PASSWORD } });
    await running.says('stdout', /\n/);
    return { port, assetPort, running };
  };
  const upstreams = () => [
    { port: ports.api, servers: processes.map(({ port }) => port) },
    { port: ports.assets, servers: processes.map(({ assetPort }) => assetPort) },
  ];
  const ask = async (path: string, token: string, body?: unknown, more: Record<string, string> = {}) => {
    const response = await fetch(base + path, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, json: (await response.json()) as any };
  };

  beforeAll(async () => {
    arx = buildProgram();
    dir = tempFolder('nginx');
    url = await freshUrl({ by: 'port' });
    ports = { api: await freePort(), assets: await freePort() };
    base = `http://127.0.0.1:${ports.api}`;
    const { sampleIn } = await import('../support/sample.ts');
    await sampleIn({ url: urlOf({ schema: schemaOf(url) }) });
    processes = [
      await start(await freePort(), await freePort()),
      await start(await freePort(), await freePort()),
    ];
    nginx = await startNginx(upstreams());
  });
  afterAll(async () => {
    await nginx?.close();
    for (const { running } of processes) running.child.kill('SIGKILL');
    await Promise.all(processes.map(({ running }) => running.ended));
  });

  test('a token of one is known to the other, and files open through it', async () => {
    const token = await tokenOf(base);
    for (let n = 0; n < 6; n += 1)
      expect((await ask('/api/sequence/arc_reconstruction', token)).status).toBe(200);
    const { json } = await ask('/v1/attachments?limit=20', token);
    const file = (json.data as { file_url: string | null }[]).find(({ file_url }) => file_url !== null)!;
    for (let n = 0; n < 4; n += 1) expect((await fetch(file.file_url!)).status).toBe(200);
  });

  test('the count of drifting reads goes on from process to process', async () => {
    // The same seed, twelve reads: if each process counted its own reads, every faulty read would come twice.
    const token = await tokenOf(base);
    const before = await counted();
    for (let n = 0; n < 12; n += 1) await ask('/v1/conversations?limit=10', token);
    expect((await counted()) - before).toBe(12);
  });
  const counted = (): Promise<number> =>
    withClient(
      async (client) => {
        const { rows } = await client.query<{ value: string }>(
          `SELECT SUM(value) AS value FROM counters WHERE name LIKE 'read %'`,
        );
        return Number(rows[0]?.value ?? 0);
      },
      urlOf({ schema: schemaOf(url) }),
    );

  test('limits are of the client, over both processes; what it makes up of itself does not help', async () => {
    const guess = (from: Record<string, string>) => ask('/v1/conversations', 'arx_guess', undefined, from);
    const statuses: number[] = [];
    // To nginx the client is 127.0.0.1, which is trusted; a proxy in front of it would add the address it sees.
    for (let n = 0; n < 301; n += 1)
      statuses.push((await guess({ 'x-forwarded-for': `10.0.0.${n % 250}, 203.0.113.5` })).status);
    expect(statuses.slice(0, 300)).toEqual(Array.from({ length: 300 }, () => 401));
    expect(statuses[300]).toBe(429);
    expect((await guess({ 'x-forwarded-for': '203.0.113.6' })).status).toBe(401);
  });

  test('both are replaced, one after the other, without a failed request or a lost event', async () => {
    const token = await tokenOf(base);
    const statuses = new Map<number, number>();
    const acknowledged: string[] = [];
    const replacing = new AbortController();
    let sent = 0;
    const worker = async (nth: number): Promise<void> => {
      while (!replacing.signal.aborted) {
        sent += 1;
        const event = moved(`evt_n${sent}`, (sent % 50) + 1, 5);
        const isEvent = sent % 2 === nth % 2;
        const { status } = await (isEvent
          ? ask('/api/webhooks/ingest', token, event)
          : ask('/api/sequence/arc_reconstruction?limit=5', token));
        if (isEvent && status === 200) acknowledged.push(event.id);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const workers = [0, 1, 2, 3].map(worker);
    for (const old of processes) {
      // Restarted on the same port. nginx gets no signal and notices by itself.
      old.running.child.kill('SIGTERM');
      expect(await old.running.ended).toMatchObject({
        exit: 0,
        signal: null,
        stderr: expect.stringMatching(/^arx: anyone who reaches this service .*\n$/),
      });
      const fresh = await start(old.port, old.assetPort);
      processes = processes.map((one) => (one === old ? fresh : one));
    }
    replacing.abort();
    await Promise.all(workers);
    expect([...statuses.keys()]).toEqual([200]);
    expect(acknowledged.length).toBeGreaterThan(10);
    const stored = await withClient(
      (client) => client.query<{ id: string }>('SELECT id FROM events'),
      urlOf({ schema: schemaOf(url) }),
    );
    const kept = new Set(stored.rows.map(({ id }) => id));
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
  });
});
