// Running a service: a log without secrets, probes, metrics, limits behind a proxy, read-only archives.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import parsePrometheus from 'parse-prometheus-text-format';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ErrorBody } from '../../src/contract/error.ts';
import { Health, Probe } from '../../src/contract/health.ts';
import { createService, openArchive, type Archive, type OpenArchive } from '../../src/service/index.ts';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../support/call.ts';
import { arx } from '../support/command.ts';
import { sha256Of } from '../support/digest.ts';
import { moved } from '../support/event.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { freshUrl, noPostgres } from '../support/postgres.ts';
import { buildProgram, startProcess } from '../support/program.ts';
import { sampleData } from '../support/sample.ts';
import { serve, type Served } from '../support/served.ts';
import { NOON } from '../support/fake-world.ts';

let dir: string;
let served: Served | undefined;
beforeEach(() => void (dir = tempFolder('running')));
afterEach(async () => {
  await served?.close();
  served = undefined;
});

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const WHO = { client_id: 'secret-client', observer_tier: 'internal', requested_tier: 'internal' };

async function login(headers: Record<string, string> = {}): Promise<string> {
  const response = await post(`${served!.base_url}/api/auth/token`, WHO, { ...served!.owner, ...headers });
  return ((await response.json()) as { access_token: string }).access_token;
}

type Line = Record<string, unknown>;
const logged = async (): Promise<Line[]> =>
  (await readFile(join(dir, 'serve.log'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

test('the log has a line for each answer and no secret, whatever was asked', async () => {
  await sampleData(join(dir, 'data'));
  served = await serve(dir, ['--log', 'serve.log']);
  const token = await login();
  const bearer = { authorization: `Bearer ${token}` };
  const list = (await (
    await fetch(`${served.base_url}/v1/attachments?limit=5`, { headers: bearer })
  ).json()) as {
    data: { file_url: string | null }[];
  };
  const url = list.data.find(({ file_url }) => file_url !== null)!.file_url!;
  await (await fetch(url)).arrayBuffer();
  await post(`${served.base_url}/api/webhooks/ingest`, moved('evt_secret', 1, 9), bearer);
  await fetch(`${served.base_url}/v1/attachments?access_token=secret-query`, {
    headers: { authorization: 'Bearer secret-header', 'x-note': 'secret\u001b[2J'.replace('\u001b', '%1b') },
  });
  await fetch(`${served.base_url}/%1b%5B2J/secret-path`);
  const bare = connect(Number(new URL(served.base_url).port), '127.0.0.1');
  bare.write('GET /secret-raw HTTP/1.1\r\nHost: localhost\r\nX: \u001b\u0000\r\n\r\n');
  await bare.resume().toArray();
  const signature = new URL(url).pathname.split('/').at(-1)!;
  await served.close();
  const text = await readFile(join(dir, 'serve.log'), 'utf8');
  expect(text).not.toMatch(/secret|arx_/);
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain(token);
  expect(text).not.toContain(signature);
  const lines = (await logged()).filter(({ event }) => event === 'answered');
  // The two ports write when their answers are over, each in its own time.
  lines.sort((a, b) => Number(a['port'] === 'api') - Number(b['port'] === 'api'));
  expect(lines.map(({ port, method, route, status, tier }) => [port, method, route, status, tier])).toEqual([
    ['assets', 'GET', 'file', 200, null],
    ['api', 'POST', 'token', 200, null],
    ['api', 'GET', 'attachments', expect.any(Number), 'internal'],
    ['api', 'POST', 'ingest', 200, 'internal'],
    ['api', 'GET', 'attachments', 401, null],
    ['api', 'GET', null, 404, null],
    ['api', '', null, 400, null],
  ]);
  for (const line of lines) expect(line['request_id']).toMatch(/^req_[0-9a-f]{24}$/);
  expect(new Set(lines.map((line) => line['request_id'])).size).toBe(lines.length);
});

test('R5 R6 every error has an integrity and an id of its own, and shows nothing internal', async () => {
  await sampleData(join(dir, 'data'));
  served = await serve(dir);
  const bearer = { authorization: `Bearer ${await login()}` };
  const api = served.base_url;
  const asked: [url: string, init?: RequestInit][] = [
    [`${api}/nothing`, {}],
    [`${api}/%zz`, {}],
    [`${api}/messages`, {}],
    [`${api}/messages?limit=0`, { headers: bearer }],
    [`${api}/v1/conversations?starting_after='`, { headers: bearer }],
    [`${api}/v1/conversations?starting_after=conv_9&ending_before=conv_2`, { headers: bearer }],
    [`${api}/v1/attachments?limit=5;drop`, { headers: bearer }],
    [`${api}/api/content/msg_99999999`, { headers: bearer }],
    [`${api}/api/sequence/'--`, { headers: bearer }],
    [`${api}/api/sequence/mirror_relay`, { headers: bearer }],
    [`${api}/api/auth/token`, { method: 'POST', body: '{' }],
    [
      `${api}/api/webhooks/ingest`,
      { method: 'POST', body: '{"id":1}', headers: { ...bearer, 'content-type': 'application/json' } },
    ],
    [`${api}/api/health`, { method: 'DELETE' }],
    [`${served.asset_url}/files/att_1/internal/x`, {}],
    [`${served.asset_url}/../../etc/passwd`, {}],
  ];
  const ids = new Set<string>();
  for (const [url, init] of [...asked, ...asked]) {
    const response = await fetch(url, init);
    const text = await response.text();
    expect(response.status, url).toBeGreaterThanOrEqual(400);
    const { error } = ErrorBody.parse(JSON.parse(text));
    expect(error.integrity, url).toBeGreaterThanOrEqual(0);
    expect(error.integrity, url).toBeLessThanOrEqual(1);
    expect(error.request_id, url).toBe(response.headers.get('x-request-id'));
    ids.add(error.request_id!);
    expect(text, url).not.toMatch(
      /SELECT|INSERT|SQLITE|sqlite|\/tmp|\/src|node_modules|\bat \w+ \(|arx_\w{8}/,
    );
  }
  expect(ids.size).toBe(2 * asked.length);
});

test('P2 another event with a known id is 409, and a line of the log has the hashes of both', async () => {
  served = await serve(dir, ['--max-tier', 'internal', '--log', 'serve.log', '--log-level', 'warn']);
  const authorization = `Bearer ${await login()}`;
  const ingest = (type: string, body: string) =>
    fetch(`${served!.base_url}/api/webhooks/ingest`, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body,
    });
  const [first, same, other] = [
    '{"contact":"secret_1"}',
    '{ "contact":"secret_1"}',
    '{"contact":"secret_2"}',
  ].map((payload) => `{"id":"twice","type":"contact.flagged","payload":${payload}}`) as [
    string,
    string,
    string,
  ];
  expect((await ingest('application/json', first)).status).toBe(200);
  expect((await ingest('application/json', same)).status).toBe(200);
  const refused = await ingest('application/json', other);
  expect(refused.status).toBe(409);
  expect(ErrorBody.parse(await refused.json()).error.code).toBe('event_conflict');
  expect((await ingest('application/x-ndjson', `${other}\n${first}`)).status).toBe(200);
  const conflicts = (await logged()).filter(({ event }) => event === 'event conflict');
  expect(conflicts).toHaveLength(2);
  for (const line of conflicts)
    expect(line).toMatchObject({
      level: 'warn',
      event_id: 'twice',
      stored_sha256: sha256Of('contact.flagged\n{"contact":"secret_1"}'),
      sent_sha256: sha256Of('contact.flagged\n{"contact":"secret_2"}'),
    });
  expect(readFileSync(join(dir, 'serve.log'), 'utf8')).not.toContain('secret_');
  const listed = await fetch(`${served.base_url}/api/webhooks/events`, { headers: { authorization } });
  expect(await listed.text()).toContain('"payload":{"contact":"secret_1"},');
});

test('with -v the log is on stderr, and -o json keeps its first line', async () => {
  served = await serve(dir, ['-v', '--log-level', 'warn']);
  await fetch(`${served.base_url}/api/health`);
  await fetch(`${served.base_url}/nothing`);
  await served.close();
  const [made, ...lines] = served.stderrText().trimEnd().split('\n');
  expect(made).toMatch(/^arx: no archive was in .*: made a new one$/);
  expect(lines.map((line) => JSON.parse(line) as Line)).toMatchObject([{ level: 'warn', status: 404 }]);
});

test('a log that cannot be opened is a disk fault before anything is served', async () => {
  expect(await arx(dir, 'serve --port 0 --log nowhere/serve.log')).toMatchObject({ exit: 14, stdout: '' });
});

test('the dashboard names every metric, and none that is not there', async () => {
  served = await serve(dir, ['--metrics-port', '0', '--log', 'serve.log']);
  const url = served.metrics_url!;
  await fetch(`${served.base_url}/api/health`);
  const exposed = [...(await (await fetch(url)).text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
  const answer = await fetch(url.replace('/metrics', '/dashboard.json'));
  expect(answer.headers.get('content-type')).toBe('application/json');
  const { panels } = (await answer.json()) as { panels: { id: number; targets?: { expr: string }[] }[] };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join(' ');
  const named = new Set(
    [...expressions.matchAll(/\b(?:arx|process|nodejs)_[a-z_]+/g)].map(([name]) =>
      name.replace(/^(arx_request_duration_seconds)_(?:bucket|sum|count)$/, '$1'),
    ),
  );
  expect(exposed.filter((name) => !named.has(name))).toEqual([]);
  // These have values where there is a server, a bucket, or a connection that was turned away: their own tests show them.
  expect([...named].filter((name) => !exposed.includes(name)).toSorted()).toEqual([
    'arx_bucket_requests_total',
    'arx_database_connections',
    'arx_database_takes_writes',
    'arx_turned_away_total',
  ]);
});

test('figures are on a port of their own, and count what the others did', async () => {
  served = await serve(dir, ['--metrics-port', '0']);
  const url = served.metrics_url!;
  expect((await fetch(`${served.base_url}/metrics`)).status).toBe(404);
  await fetch(`${served.base_url}/api/health`);
  const archive = new DatabaseSync(join(dir, 'data/archive.db'), { timeout: 5_000 });
  const lay = archive.prepare(
    `INSERT INTO events (n, id, type, payload, body_sha256, received_ms, deliveries, effect, due_ms)
      VALUES (?, ?, 'contact.flagged', '{"contact":"c"}', '', ?, 1, ?, ?)`,
  );
  const effects = ['dead', 'queued', 'waiting', 'queued', 'queued', 'waiting'];
  // The queue is left alone: nothing of it is due.
  for (const [n, effect] of effects.entries()) lay.run(n + 1, `e${n}`, NOON - 60_000 + n, effect, 1e15);
  archive.close();
  const answer = await fetch(url);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const families = new Map(parsePrometheus(await answer.text()).map((one) => [one.name, one.metrics]));
  expect(families.get('arx_requests_total')).toEqual([
    { value: '1', labels: { port: 'api', method: 'GET', route: 'none', status: '404' } },
    { value: '1', labels: { port: 'api', method: 'GET', route: 'health', status: '200' } },
  ]);
  expect(families.get('arx_events')).toEqual([
    { value: '3', labels: { effect: 'queued' } },
    { value: '2', labels: { effect: 'waiting' } },
    { value: '1', labels: { effect: 'dead' } },
  ]);
  // By the clock of the service.
  expect(families.get('arx_events_oldest_queued_seconds')![0]!.value).toBe('59.999');
  expect(Number(families.get('arx_disk_free_bytes')![0]!.value)).toBeGreaterThan(0);
  expect(Number(families.get('process_resident_memory_bytes')![0]!.value)).toBe(64_000_000);
  expect((await fetch(url.replace('/metrics', '/'))).status).toBe(404);
  expect((await post(url, {})).status).toBe(405);
});

describe('probes', () => {
  const opened: OpenArchive[] = [];
  afterEach(async () => {
    for (const archive of opened.splice(0)) await archive.close();
  });
  const fresh = async (url?: string): Promise<OpenArchive> => {
    const place = url === undefined ? { dir: join(dir, 'probed') } : { url };
    const archive = await openArchive({ ...place, sleep, now: Date.now, randomBytes });
    opened.push(archive);
    return archive;
  };
  const serviceOf = (archive: Archive) =>
    createService(archive, { assetUrl: 'http://127.0.0.1:9', version: '0' });

  test.each(['sqlite', ...(noPostgres ? [] : ['postgres'])])(
    '%s: a sound archive is live and ready',
    async (engine) => {
      const service = serviceOf(await fresh(engine === 'sqlite' ? undefined : await freshUrl()));
      expect(Probe.parse((await call(service, '/api/health/live')).json).status).toBe('live');
      const ready = await call(service, '/api/health/ready');
      expect([ready.status, Probe.parse(ready.json)]).toEqual([
        200,
        {
          status: 'ready',
          uptime_ms: expect.any(Number),
          read_only: false,
          database: engine,
          reachable: true,
          schema: expect.any(Number),
          migration_needed: false,
          files_writable: true,
        },
      ]);
      const { json } = await call(service, '/api/health');
      expect(Health.parse(json)).toMatchObject({ status: 'stable', files_writable: true, read_only: false });
    },
  );

  test('a clock that is put back makes no negative uptime', async () => {
    let time = Date.now();
    const service = serviceOf({ ...(await fresh()), now: () => time });
    time -= 3_600_000;
    expect((await call(service, '/api/health/live')).json).toMatchObject({ uptime_ms: 0 });
  });

  test('a database that is gone, or never answers: live, not ready, and health is an error in time', async () => {
    const archive = await fresh();
    const broken = (answer: () => Promise<never>): Archive => ({
      ...archive,
      database: { ...archive.database, get: answer, all: answer, run: answer },
    });
    for (const answer of [
      () => Promise.reject(Object.assign(new Error('gone'), { code: 'EIO' })),
      () => new Promise<never>(() => {}),
    ]) {
      const service = serviceOf(broken(answer));
      const [live, ready, health] = await Promise.all(
        ['/api/health/live', '/api/health/ready', '/api/health'].map((path) => call(service, path)),
      );
      expect(live!.status).toBe(200);
      expect([ready!.status, Probe.parse(ready!.json)]).toMatchObject([
        503,
        { status: 'unready', reachable: false },
      ]);
      expect([health!.status, ErrorBody.parse(health!.json).error.code]).toEqual([503, 'store_unavailable']);
      const others = await Promise.all(
        ['/openapi.json', '/nowhere']
          .map((path) => call(service, path))
          .concat([
            call(service, '/messages', { method: 'DELETE' }),
            call(service, '/messages', { method: 'OPTIONS' }),
          ]),
      );
      expect(others.map(({ status }) => status)).toEqual([200, 404, 405, 204]);
    }
  });

  test('a schema of another version is not ready', async () => {
    const archive = await fresh();
    await archive.database.run('INSERT INTO migrations VALUES (999)');
    const ready = await call(serviceOf(archive), '/api/health/ready');
    expect([ready.status, ready.json.migration_needed, ready.json.reachable]).toEqual([503, true, true]);
  });

  test('a folder that takes no files makes health partial', async () => {
    const archive = await fresh();
    const stuck: Archive = { ...archive, blobs: { ...archive.blobs, writable: async () => false } };
    const { status, json } = await call(serviceOf(stuck), '/api/health');
    expect([status, json.status, json.files_writable]).toEqual([200, 'partial', false]);
  });
});

describe('behind a proxy', () => {
  const tokens = async (count: number, from: (n: number) => string): Promise<number[]> => {
    const statuses: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const response = await post(`${served!.base_url}/api/auth/token`, WHO, {
        ...served!.owner,
        'x-forwarded-for': from(n),
      });
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    return statuses;
  };

  test('without trust all are the proxy; with it each client has its own limit, and cannot make up another', async () => {
    served = await serve(dir);
    expect((await tokens(61, (n) => `203.0.113.${n}`)).at(-1)).toBe(429);
    await served.close();
    served = await serve(dir, ['--trust-proxy', '127.0.0.1', '--max-tier', 'internal']);
    expect(new Set(await tokens(61, (n) => `203.0.113.${n}`))).toEqual(new Set([200]));
    expect((await tokens(61, (n) => `10.9.9.${n}, 198.51.100.7`)).at(-1)).toBe(429);
  });

  test('an address that is none is a usage error', async () => {
    expect(await arx(dir, 'serve --port 0 --trust-proxy proxy.example')).toMatchObject({ exit: 2 });
  });
});

const MAIL = 'From a@b Thu Jan  1 00:00:00 2026\nMessage-ID: <n@b>\nFrom: a@b\n\ntext\n';

const SERVE = ['serve', '--port', '0', '--asset-port', '0', '--json'];

/** The command that runs another with a folder mounted read-only, for itself alone; undefined where nobody may mount. */
const mounting = [['-m'], ['-rm']]
  .map((flags) => [
    'unshare',
    ...flags,
    'sh',
    '-c',
    'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"',
  ])
  .find((words) => spawnSync(words[0]!, [...words.slice(1), tmpdir(), 'true']).status === 0);

describe('--read-only', () => {
  test('lists, files and logins work, nothing is taken in, and the database is as it was', async () => {
    // A copy: connections that this process closed end with the garbage, and who ends last changes the files.
    await sampleData(join(dir, 'made'));
    cpSync(join(dir, 'made'), join(dir, 'data'), { recursive: true });
    const written = () =>
      ['archive.db', 'archive.db-wal']
        .map((name) => join(dir, 'data', name))
        .map((path) => (existsSync(path) ? readFileSync(path, 'base64') : ''));
    const before = written();
    served = await serve(dir, ['--read-only']);
    const token = await login();
    const bearer = { authorization: `Bearer ${token}` };
    const list = await fetch(`${served.base_url}/v1/attachments?limit=5`, { headers: bearer });
    expect(list.status).toBe(206);
    const { data } = (await list.json()) as { data: { file_url: string | null }[] };
    expect((await fetch(data.find(({ file_url }) => file_url !== null)!.file_url!)).status).toBe(200);
    const refused = await post(`${served.base_url}/api/webhooks/ingest`, moved('evt_1', 1, 2), bearer);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(ErrorBody.parse(await refused.json()).error.code).toBe('read_only');
    expect(await (await fetch(`${served.base_url}/api/health`)).json()).toMatchObject({
      read_only: true,
      status: 'stable',
    });
    await served.close();
    expect(written().map((bytes, at) => bytes === before[at])).toEqual([true, true]);
    // Its own tokens end with it.
    served = await serve(dir, ['--read-only']);
    expect((await fetch(`${served.base_url}/v1/attachments`, { headers: bearer })).status).toBe(401);
  });

  test('beside a writing process: what that takes in is seen, and its tokens are known', async () => {
    await sampleData(join(dir, 'data'));
    served = await serve(dir);
    const writing = served;
    const bearer = { authorization: `Bearer ${await login()}` };
    const reading = await serve(dir, ['--read-only']);
    const events = async () =>
      (
        (await (await fetch(`${reading.base_url}/api/webhooks/events`, { headers: bearer })).json()) as {
          data: unknown[];
        }
      ).data;
    const before = (await events()).length;
    expect(
      (await post(`${writing.base_url}/api/webhooks/ingest`, moved('evt_new', 1, 2), bearer)).status,
    ).toBe(200);
    expect(await events()).toHaveLength(before + 1);
    await writeFile(join(dir, 'list.mbox'), MAIL);
    const counts = async () =>
      Health.parse(await (await fetch(`${reading.base_url}/api/health`)).json()).counts!;
    const { messages } = await counts();
    expect((await arx(dir, 'import list.mbox')).exit).toBe(0);
    expect((await counts())['messages']).toBe(messages! + 1);
    await reading.close();
  });

  test.skipIf(mounting === undefined).each(['with its log', 'without a log'])(
    'on a file system that is read-only, %s, where nothing can be made beside it',
    async (left) => {
      await writeFile(join(dir, 'list.mbox'), MAIL);
      const here = join(dir, 'data');
      const hasLog = () => existsSync(join(here, 'archive.db-wal'));
      // Other processes, so that no connection to it is open here.
      const program = buildProgram();
      const begin = (command: string, words: readonly string[], flags: readonly string[]) =>
        startProcess(command, [...words, program.launcher, ...SERVE, ...flags], { dir });
      const ready = async (running: ReturnType<typeof begin>) =>
        JSON.parse(await running.says('stdout', /\n/)) as { base_url: string };
      const end = async (running: ReturnType<typeof begin>) => {
        running.child.kill('SIGTERM');
        await running.ended;
      };
      expect((await program.run(['import', 'list.mbox'], { dir })).exit).toBe(0);
      if (left === 'without a log') {
        // Who closes it last takes its log away.
        const closing = `const { DatabaseSync } = require('@photostructure/sqlite');
          const database = new DatabaseSync(process.argv[1]);
          database.prepare('SELECT COUNT(*) FROM messages').get();
          database.close();`;
        execFileSync(process.execPath, ['-e', closing, join(here, 'archive.db')]);
      }
      expect(hasLog()).toBe(left === 'with its log');
      const [unshare = '', ...words] = mounting!;
      const writing = await begin(unshare, [...words, here, process.execPath], []).ended;
      expect([writing.exit, writing.stdout]).toEqual([15, '']);
      // A command that reads needs no word.
      const command = (...given: string[]) =>
        startProcess(unshare, [...words, here, process.execPath, program.launcher, ...given], { dir }).ended;
      const listed = await command('messages', 'ls', '--json');
      expect([listed.exit, listed.stderr]).toEqual([0, '']);
      expect((JSON.parse(listed.stdout) as { data: unknown[] }).data).toHaveLength(1);
      const event = ['contact.flagged', '--id', 'e', '--payload', '{"contact":"c"}'];
      const sent = await command('events', 'send', ...event);
      // Its journal would lie there.
      expect([sent.exit, sent.stdout]).toEqual([14, '']);
      // X2: no retry helps, so it ends at once.
      const elsewhere = await command('events', 'send', ...event, '--journal', join(dir, 'journal.ndjson'));
      expect([elsewhere.exit, elsewhere.stdout]).toEqual([14, '']);
      expect(elsewhere.stderr).toContain('the local archive cannot be written to');
      const reading = begin(
        unshare,
        [...words, here, process.execPath],
        ['--read-only', '--max-tier', 'internal'],
      );
      try {
        const { base_url: url } = await ready(reading);
        const issued = (await (await post(`${url}/api/auth/token`, WHO)).json()) as {
          access_token: string;
        };
        const bearer = { authorization: `Bearer ${issued.access_token}` };
        const list = await fetch(`${url}/messages?limit=5`, { headers: bearer });
        expect(((await list.json()) as { data: unknown[] }).data).toHaveLength(1);
        expect((await fetch(`${url}/api/health/ready`)).status).toBe(200);
        const health = await (await fetch(`${url}/api/health`)).json();
        expect(health).toMatchObject({ status: 'stable', read_only: true });
        expect((await post(`${url}/api/webhooks/ingest`, moved('evt_1', 1, 2), bearer)).status).toBe(503);
      } finally {
        await end(reading);
      }
      expect(hasLog()).toBe(left === 'with its log');
    },
  );

  test('an archive that is not there is not made', async () => {
    expect(await arx(dir, 'serve --port 0 --read-only')).toMatchObject({ exit: 6, stdout: '' });
  });

  test.each(['sqlite', ...(noPostgres ? [] : ['postgres'])])('%s itself refuses to write', async (engine) => {
    const where = engine === 'sqlite' ? { dir: join(dir, 'only') } : { url: await freshUrl() };
    const place = { sleep, now: Date.now, randomBytes, ...where };
    await (await openArchive(place)).close();
    const archive = await openArchive({ ...place, readOnly: true });
    await expect(archive.database.run(`INSERT INTO meta VALUES ('a', 'b')`)).rejects.toThrow();
    const service = createService(archive, { assetUrl: 'http://127.0.0.1:9', version: '0' });
    const issued = await call(service, '/api/auth/token', { body: WHO });
    expect(issued.status).toBe(200);
    expect((await call(service, '/v1/conversations', { token: issued.json.access_token })).status).toBe(200);
    expect((await call(service, '/api/health/ready')).json).toMatchObject({
      status: 'ready',
      read_only: true,
    });
    await archive.close();
  });
});
