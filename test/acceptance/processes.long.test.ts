// Several real processes on one PostgreSQL, behind a plain load balancer: one service, also while they are replaced.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balance, type Balancer } from '../support/balancer.ts';
import { freePort, PASSWORD } from '../support/cluster.ts';
import { moved } from '../support/event.ts';
import { withClient, freshUrl, noPostgres, schemaOf, urlOf } from '../support/postgres.ts';
import { buildProgram, type Program, type Running } from '../support/program.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Mails that answer each other in fours, each with a file. */
function mbox(count: number): string {
  return Array.from({ length: count }, (_, n) =>
    [
      'From a@b.example Thu Jan  1 00:00:00 2026',
      `Message-ID: <m${n}@b.example>`,
      ...(n % 4 === 0 ? [] : [`In-Reply-To: <m${n - 1}@b.example>`]),
      `Subject: Letter ${n}`,
      'From: a@b.example',
      'Date: Thu, 01 Jan 2026 00:00:00 +0000',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      `--x\nContent-Type: text/plain\n\ntext ${n}\n`,
      `--x\nContent-Type: text/x-log; name=file-${n}.log\nContent-Disposition: attachment\n\n${'line\n'.repeat(n * 40)}`,
      '--x--\n\n',
    ].join('\n'),
  ).join('');
}

type Process = { api: string; assets: string; running: Running };

describe.skipIf(noPostgres)('two processes', () => {
  let arx: Program;
  let dir: string;
  let url: string;
  let api: Balancer;
  let assets: Balancer;
  let processes: Process[] = [];
  const env = { PGPASSWORD: PASSWORD };

  const start = async (address = url, more: Record<string, string> = env, tries = 3): Promise<Process> => {
    const [port, assetPort] = [await freePort(), await freePort()];
    const ports = ['--port', String(port), '--asset-port', String(assetPort)];
    const words = [
      'serve',
      '--max-tier',
      'internal',
      ...ports,
      '--json',
      '--asset-url',
      assets.url,
      '--database',
      address,
    ];
    const running = arx.start(words, { dir, env: more });
    const line = await running.says('stdout', /\n/).catch((error: unknown) => {
      // Another process may have taken a port that was free.
      if (tries > 1 && /is in use/.test(String(error))) return undefined;
      throw error;
    });
    if (line === undefined) return start(address, more, tries - 1);
    expect(JSON.parse(line)).toMatchObject({ database: 'postgres' });
    return { api: `http://127.0.0.1:${port}`, assets: `http://127.0.0.1:${assetPort}`, running };
  };
  const stop = async ({ running }: Process): Promise<void> => {
    running.child.kill('SIGTERM');
    const stderr: unknown = expect.stringMatching(
      /^(arx: (no archive was in the database: made a new one|the archive in the database is empty)\n)?$/,
    );
    expect(await running.ended).toMatchObject({ exit: 0, signal: null, stderr });
  };
  const client = (words: string) =>
    arx.run([...words.split(' '), '--base-url', api.url, '--asset-url', assets.url], { dir });
  const ask = async (token: string, path: string, body?: unknown): Promise<number> => {
    const response = await fetch(api.url + path, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response.status;
  };

  beforeAll(async () => {
    arx = buildProgram();
    dir = tempFolder('two');
    url = await freshUrl({ by: 'port' });
    api = await balance(() => processes.map(({ api }) => api));
    assets = await balance(() => processes.map(({ assets }) => assets));
    processes = [await start(), await start()];
  });
  afterAll(async () => {
    for (const { running } of processes) running.child.kill('SIGKILL');
    await api?.close();
    await assets?.close();
  });

  test('serve an archive while it is imported: what they give is what SQLite gives', async () => {
    writeFileSync(join(dir, 'list.mbox'), mbox(80));
    const words = ['import', 'list.mbox', '--json'];
    const imported = await arx.run([...words, '--database', url], { dir, env });
    expect(imported).toMatchObject({ exit: 0, stderr: '' });
    expect(imported.stdout).toBe((await arx.run(words, { dir })).stdout);
    const login = await client('login --client-id me --observer-tier internal --requested-tier internal');
    expect(login).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(/^arx: tokens are stored in \S+\n$/),
    });
    for (const list of [
      'conversations walk',
      'messages ls --limit 100',
      'attachments ls --limit 100 --fields id,sha256',
    ]) {
      const served = await client(`${list} -o ndjson`);
      expect(served).toMatchObject({ exit: 0, stderr: '' });
      expect(served.stdout).toBe((await arx.run([...list.split(' '), '-o', 'ndjson'], { dir })).stdout);
    }
    const pulled = await client('attachments pull --all --to files --json');
    expect(JSON.parse(pulled.stdout)).toMatchObject({ fixity: 'ok', verdicts: { match: 80 } });
  });

  test('P1 the same event a thousand times at once by both: one row, a thousand equal acknowledgements', async () => {
    const token = (await client('token')).stdout.trim();
    const event = JSON.stringify({ id: 'thousand', type: 'contact.flagged', payload: { contact: 'c' } });
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, async (_, n) => {
        const response = await fetch(`${processes[n % 2]!.api}/api/webhooks/ingest`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: event,
        });
        return `${response.status} ${await response.text()}`;
      }),
    );
    expect(new Set(answers).size).toBe(1);
    const { rows } = await withClient(
      (client) => client.query(`DELETE FROM events RETURNING id, deliveries`),
      urlOf({ schema: schemaOf(url) }),
    );
    expect(rows).toEqual([{ id: 'thousand', deliveries: '1000' }]);
  });

  test('are replaced one after the other without a failed request or a lost event', async () => {
    const token = (await client('token')).stdout.trim();
    const statuses = new Map<number, number>();
    const acknowledged: string[] = [];
    let sent = 0;
    const replacing = new AbortController();
    const worker = async (nth: number): Promise<void> => {
      while (!replacing.signal.aborted) {
        sent += 1;
        const event = moved(`evt_${sent}`, (sent % 80) + 1, 5);
        const isEvent = sent % 2 === nth % 2;
        const status = await (isEvent
          ? ask(token, '/api/webhooks/ingest', event)
          : ask(token, '/v1/conversations?limit=5'));
        if (isEvent && status === 200) acknowledged.push(event.id);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const workers = [0, 1, 2, 3].map(worker);
    const first = processes;
    for (const old of first) {
      // The balancer learns by itself that one has gone.
      processes = [...processes, await start()];
      await stop(old);
      processes = processes.filter((one) => one !== old);
    }
    replacing.abort();
    await Promise.all(workers);
    expect([...statuses.keys()]).toEqual([200]);
    const atSocket = urlOf({ schema: schemaOf(url) });
    const stored = await withClient(
      (client) => client.query<{ id: string }>('SELECT id FROM events'),
      atSocket,
    );
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(stored.rows.map(({ id }) => id).sort()).toEqual(acknowledged.sort());
  });

  test('a password is in no output, and no longer in the list of processes', async () => {
    const secret = url.replace('arx@', `arx:${encodeURIComponent(PASSWORD)}@`);
    const one = await start(secret, {});
    const shown = readFileSync(`/proc/${one.running.pid}/cmdline`, 'utf8');
    expect(shown.replaceAll('\0', '')).toBe('arx');
    one.running.child.kill('SIGTERM');
    const { stdout, stderr, exit } = await one.running.ended;
    expect(exit).toBe(0);
    expect(stderr).toContain('a password on the command line can be seen by others');
    expect(stdout + stderr).not.toMatch(/correct|horse/);
  });

  test('a password file is read as libpq reads it', async () => {
    const { host } = new URL(url);
    writeFileSync(join(dir, '.pgpass'), `${host}:postgres:arx:${PASSWORD}\n`, { mode: 0o600 });
    await stop(await start(url, {}));
    rmSync(join(dir, '.pgpass'));
  });
});
