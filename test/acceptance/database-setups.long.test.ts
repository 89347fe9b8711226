// Set-ups around PostgreSQL, with the real programs: PgBouncer, several hosts, a failover behind HAProxy, TLS, passwords.
import { randomBytes } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createService, openArchive, type OpenArchive } from '../../src/service/index.ts';
import { archiveNames, connectServer, withSchema } from '../../src/service/administration.ts';
import { ASSET_URL, sampleArchive, tokenFor } from '../support/archive.ts';
import { call } from '../support/call.ts';
import { expectCancelled } from '../support/cancelled-statement.ts';
import { freePort, PASSWORD, ROLE } from '../support/cluster.ts';
import { arx } from '../support/command.ts';
import { moved } from '../support/event.ts';
import { missingFront, startHaproxy, startPgbouncer, type Front } from '../support/front.ts';
import { ownCluster, standbyOf, type OwnCluster } from '../support/own-cluster.ts';
import { noPostgres, withClient } from '../support/postgres.ts';
import { buildProgram, type Running } from '../support/program.ts';
import { tempFolder } from '../support/temp-folder.ts';

const opened: OpenArchive[] = [];
afterEach(async () => {
  for (const archive of opened.splice(0)) await archive.close();
});
const open = async (url: string): Promise<OpenArchive> => {
  const archive = await openArchive({ url, sleep, now: Date.now, randomBytes });
  opened.push(archive);
  return archive;
};
const serviceOf = (archive: OpenArchive) => createService(archive, { assetUrl: ASSET_URL, version: '0' });

const running: Running[] = [];
afterAll(() => {
  for (const { child } of running) child.kill('SIGKILL');
});

/** `arx serve` as a process, on a port of its own. */
const served = async (address: string, env: Record<string, string> = {}): Promise<number> => {
  const port = await freePort();
  const ports = ['--port', String(port), '--asset-port', String(await freePort())];
  const words = ['serve', '--max-tier', 'internal', ...ports, '--json', '--database', address];
  const one = buildProgram().start(words, { dir: tempFolder('setup'), env });
  running.push(one);
  await one.says('stdout', /\n/);
  return port;
};
const isReady = async (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/api/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
const readyIs = async (port: number, wanted: boolean): Promise<void> => {
  for (let tries = 0; (await isReady(port)) !== wanted; tries += 1) {
    if (tries === 300) throw new Error(`not ${wanted ? 'ready' : 'unready'} in time`);
    await sleep(50);
  }
};

/** Logs in at a service, and begins to send events of its file. */
const sending = async (base: string, count: number, prefix: string): Promise<Running> => {
  const dir = tempFolder('sending');
  const events = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ id: `${prefix}${n}`, type: 'contact.flagged', payload: { contact: 'c' } }),
  );
  writeFileSync(join(dir, 'in.ndjson'), `${events.join('\n')}\n`);
  const login = `login --client-id me --observer-tier internal --requested-tier internal --base-url ${base}`;
  expect(await buildProgram().run(login.split(' '), { dir })).toMatchObject({ exit: 0 });
  const words = ['events', 'send', '--file', 'in.ndjson', '--base-url', base, '--json'];
  return buildProgram().start(words, { dir });
};
/** Resolves when so many events arrived. */
const arrived = async (url: string, count: number): Promise<void> => {
  for (let tries = 0; (await eventsAt(url)).all < count; tries += 1) {
    if (tries === 2_000) throw new Error('nothing arrives');
    await sleep(5);
  }
};
const eventsAt = (url: string): Promise<{ all: number; ids: number; last: number }> =>
  withClient(async (client) => {
    const asked = `SELECT COUNT(*)::int AS all, COUNT(DISTINCT id)::int AS ids, COALESCE(MAX(n), 0)::int AS last FROM events`;
    return (await client.query<{ all: number; ids: number; last: number }>(asked)).rows[0]!;
  }, url);

describe.skipIf(noPostgres || missingFront('pgbouncer') !== undefined)('PgBouncer', () => {
  let cluster: OwnCluster;
  beforeAll(async () => void (cluster = (await ownCluster())!));
  afterAll(() => cluster?.close());
  const fronts: Front[] = [];
  afterEach(async () => {
    for (const front of fronts.splice(0)) await front.stop();
  });
  const bouncer = async (mode: 'transaction' | 'session' | 'statement'): Promise<Front> => {
    // A session of the pooler belongs to one connection, of which each process has up to ten.
    const front = await startPgbouncer(cluster, mode, mode === 'session' ? 30 : 3);
    fronts.push(front);
    return front;
  };
  const through = ({ port }: Front, more = '') => `postgres://${ROLE}@127.0.0.1:${port}/postgres${more}`;
  const schema = async (): Promise<string> => {
    const name = `s${randomBytes(6).toString('hex')}`;
    await withClient((client) => client.query(`CREATE SCHEMA ${name}`), cluster.url);
    return `?options=-csearch_path%3D${name}`;
  };
  /** What the sessions of the pooler are left with: their settings, prepared statements, and tables of the search path. */
  const leftBehind = async (front: Front): Promise<unknown[]> => {
    const clients = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const client = new pg.Client({ connectionString: through(front) });
        await client.connect();
        await client.query('BEGIN');
        return client;
      }),
    );
    const rows = await Promise.all(
      clients.map(async (client) => {
        const settings = await client.query<{ name: string }>(
          `SELECT name FROM pg_settings WHERE source = 'session' AND name NOT IN
            ('application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings')`,
        );
        const prepared = await client.query('SELECT name FROM pg_prepared_statements');
        return [...settings.rows, ...prepared.rows] as unknown[];
      }),
    );
    await Promise.all(clients.map((client) => client.end()));
    return rows.flat();
  };

  test.each(['transaction', 'session'] as const)(
    'with pool_mode = %s: every request is answered, two archives are told apart, nothing is left behind',
    async (mode) => {
      const front = await bouncer(mode);
      const addresses = [through(front, await schema()), through(front, await schema())];
      const size = { conversations: 12, messages: 2, attachments: 9 };
      for (const [n, url] of addresses.entries()) {
        const sample = await sampleArchive({ ...size, conversations: 12 + n, place: { url } });
        await sample.leave();
      }
      const archives = [await open(addresses[0]!), await open(addresses[1]!)];
      const services = archives.map(serviceOf);
      const tokens = [await tokenFor(services[0]!), await tokenFor(services[1]!)];
      const ask = async (n: number) => {
        const at = n % 2;
        const token = tokens[at]!;
        const path = ['/v1/conversations?limit=3', '/v1/attachments?origin_city=oslo', '/messages?limit=2'][
          n % 3
        ]!;
        // Another cursor each time, so that no answer is kept.
        const list = await call(services[at]!, `${path}&starting_after=nothing_${n}`, { token });
        const page = await call(services[at]!, `${path}${n % 3 === 1 ? '&limit=1' : ''}`, { token });
        const health = await call(services[at]!, '/api/health');
        const event = await call(services[at]!, '/api/webhooks/ingest', {
          token,
          body: moved(`evt_${n}`, 7, 1 + (n % 9)),
        });
        expect(health.json.counts).toMatchObject({ conversations: 12 + at });
        return [list.status, page.status, event.status];
      };
      const answers = (await Promise.all(Array.from({ length: 120 }, (_, n) => ask(n)))).flat();
      expect(answers.filter((status) => status >= 500)).toEqual([]);
      for (const archive of archives)
        expect(await archive.database.get('SELECT COUNT(*) AS n FROM events')).toEqual({ n: 60 });
      for (const archive of opened.splice(0)) await archive.close();
      expect(await leftBehind(front)).toEqual([]);
    },
  );

  test.each(['transaction', 'session'] as const)(
    'with pool_mode = %s: a statement that nobody waits for is cancelled',
    async (mode) => {
      const { database } = await open(through(await bouncer(mode), await schema()));
      await expectCancelled(database);
    },
  );

  test('commands write, check and copy an archive through it', async () => {
    const front = await bouncer('transaction');
    const [database, copy] = [through(front, await schema()), through(front, await schema())];
    const dir = tempFolder('bounced');
    writeFileSync(join(dir, 'mail.eml'), 'From: a@b.example\nSubject: x\n\ntext\n');
    expect(await arx(dir, `import mail.eml --database ${database}`)).toMatchObject({ exit: 0 });
    expect(await arx(dir, `fsck --database ${database}`)).toMatchObject({ exit: 0, stderr: '' });
    expect(await arx(dir, `archive copy ${database} ${copy}`)).toMatchObject({ exit: 0 });
    expect(await leftBehind(front)).toEqual([]);
  });

  test('it is restarted while events are sent: none is lost or doubled', async () => {
    const front = await bouncer('transaction');
    const options = await schema();
    const port = await served(through(front, options));
    const sent = await sending(`http://127.0.0.1:${port}`, 4_000, 'p');
    await arrived(cluster.url + options.replace('?', '&'), 1_000);
    await front.stop();
    await sent.says('stderr', /sending again for up to 120 s/);
    await front.start();
    expect(await sent.ended).toMatchObject({ exit: 0 });
    const all = 4_000;
    expect(await eventsAt(cluster.url + options.replace('?', '&'))).toEqual({ all, ids: all, last: all });
    await readyIs(port, true);
  });

  test('with pool_mode = statement it cannot be used, and the message says what to set', async () => {
    const front = await bouncer('statement');
    const refused = await arx(tempFolder('bounced'), `fsck --database ${through(front)}`);
    expect(refused).toMatchObject({ exit: 15, stdout: '' });
    expect(refused.stderr).toContain(
      'arx: the pooler in front of the database refuses what is needed (08P01)',
    );
    expect(refused.stderr).toContain('hint: PgBouncer needs pool_mode = transaction or session');
    // So are options in the environment, which the client sends at the start.
    const database = through(await bouncer('transaction'));
    const env = { PGOPTIONS: '-csearch_path=x' };
    const started = await buildProgram().run(['fsck', '--database', database], {
      dir: tempFolder('bounced'),
      env,
    });
    expect(started).toMatchObject({ exit: 15, stdout: '' });
    // The second is refused while it connects, so that it names the pooler, too.
    expect(started.stderr.replace(/: postgres at 127\.0\.0\.1:\d+/, '')).toBe(refused.stderr);
  });

  test.each(['transaction', 'session'] as const)(
    'archives that share connections are told apart, and leave nothing behind: %s',
    async (mode) => {
      const front = await bouncer(mode);
      const server = await connectServer({ url: through(front) });
      const names = ['one', 'two', 'three'].map((name) => `${name}-${mode}`);
      try {
        const archives = await Promise.all(
          names.map(async (name) => {
            const place = { url: withSchema(through(front), name), server, createSchema: true };
            const archive = await openArchive({ ...place, sleep, now: Date.now, randomBytes });
            opened.push(archive);
            return archive;
          }),
        );
        await Promise.all(
          archives.map(({ database }, at) =>
            database.transaction((statements) =>
              statements.run('INSERT INTO meta VALUES ($1, $2)', ['whose', names[at]!]),
            ),
          ),
        );
        const read = Array.from({ length: 60 }, async (_, at) => {
          const { database } = archives[at % 3]!;
          const row = await database.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'whose'`);
          return row?.value === names[at % 3];
        });
        expect((await Promise.all(read)).filter((isOwn) => !isOwn)).toEqual([]);
        expect(await archiveNames(server)).toEqual(expect.arrayContaining(names));
        if (mode === 'transaction') expect(await leftBehind(front)).toEqual([]);
      } finally {
        await server.end();
      }
    },
  );
});

describe.skipIf(noPostgres)('two servers, one of them a standby', () => {
  let primary: OwnCluster;
  let standby: OwnCluster;
  let url: string;
  const fronts: Front[] = [];
  /** The address of both, the standby first. */
  const both = () =>
    `postgres://${ROLE}@localhost/postgres?host=${standby.dir},${primary.dir}&port=${standby.port},${primary.port}`;
  beforeAll(async () => {
    primary = (await ownCluster({
      hosts: `host postgres all 127.0.0.1/32 scram-sha-256
        hostssl with_tls all 127.0.0.1/32 scram-sha-256`,
    }))!;
    standby = await standbyOf(primary);
    ({ url } = primary);
    const sample = await sampleArchive({ conversations: 4, messages: 2, attachments: 0, place: { url } });
    await sample.leave();
    // What is acknowledged is on both.
    appendFileSync(join(primary.dir, 'settings'), `synchronous_standby_names = '*'\n`);
    await withClient((client) => client.query('SELECT pg_reload_conf()'), url);
  });
  afterAll(async () => {
    for (const front of fronts.splice(0)) await front.stop();
    await standby?.close();
    await primary?.close();
  });

  test.each([
    ['', 'f'],
    ['&target_session_attrs=any', 't'],
    ['&target_session_attrs=primary', 'f'],
    ['&target_session_attrs=read-write', 'f'],
    ['&target_session_attrs=read-only', 't'],
    ['&target_session_attrs=standby', 't'],
    ['&target_session_attrs=prefer-standby', 't'],
  ])('the address decides which one is asked: %s', async (kind, inRecovery) => {
    const archive = await open(both() + kind);
    const asked = 'SELECT CAST(CAST(pg_is_in_recovery() AS CHAR(1)) AS TEXT) AS standby';
    expect(await archive.database.get(asked)).toEqual({ standby: inRecovery });
    if (inRecovery === 't') return;
    await archive.database.run(`INSERT INTO meta VALUES ('${kind}', '')`);
  });

  test('a process that should write and has only the standby is not ready, and serves reads', async () => {
    const archive = await open(standby.url);
    const service = serviceOf(archive);
    const writing = serviceOf(await open(url));
    const token = await tokenFor(writing);
    const ready = await call(service, '/api/health/ready');
    expect(ready).toMatchObject({
      status: 503,
      json: { status: 'unready', reachable: true, takes_writes: false },
    });
    expect((await call(writing, '/api/health/ready')).json).not.toHaveProperty('takes_writes');
    expect((await call(service, '/v1/conversations', { token })).status).toBe(200);
    const event = { token, body: moved('evt_standby', 7, 3) };
    expect(await call(service, '/api/webhooks/ingest', event)).toMatchObject({
      status: 503,
      json: { error: { code: 'store_unavailable' } },
    });
    const imported = await arx(tempFolder('standby'), `demo --database ${standby.url}`);
    expect(imported.exit).not.toBe(0);
    const dir = tempFolder('standby');
    writeFileSync(join(dir, 'mail.eml'), 'From: a@b.example\nSubject: x\n\ntext\n');
    const refused = await arx(dir, `import mail.eml --database ${standby.url}`);
    expect(refused.exit).toBe(9);
    expect(refused.stderr).toContain(
      'the database takes no writes now: it is a standby, or read-only (25006)',
    );
    const none = await arx(dir, `fsck --database ${standby.url}&target_session_attrs=primary`);
    expect(none.exit).toBe(10);
    expect(none.stderr).toContain('no server of the address takes writes now');
  });

  test('says whether TLS is missing, nobody is admitted, or the password is wrong', async () => {
    await withClient((client) => client.query('CREATE DATABASE with_tls'), url);
    const dir = tempFolder('refused');
    const at = (database: string, more = '', password = PASSWORD) =>
      `fsck --database postgres://${ROLE}:${encodeURIComponent(password)}@127.0.0.1:${primary.port}/${database}${more}`;
    const plain = await arx(dir, at('with_tls'));
    expect(plain.exit).toBe(10);
    expect(plain.stderr).toContain(
      'the database does not admit this user from this address without TLS (28000)',
    );
    expect(plain.stderr).toContain('hint: add sslmode=verify-full to the address');
    // There is no archive: it was let in.
    expect(await arx(dir, at('with_tls', '?sslmode=no-verify'))).toMatchObject({ exit: 6 });
    const nobody = await arx(dir, at('template1', '?sslmode=no-verify'));
    expect(nobody.exit).toBe(4);
    expect(nobody.stderr).toContain('the database does not admit this user from this address (28000)');
    const wrong = await arx(dir, at('postgres', '', 'wrong'));
    expect(wrong.exit).toBe(4);
    expect(wrong.stderr).toContain('the database refuses this user or password (28P01)');
  });

  test('a changed password is read from the password file at the next connection', async () => {
    const passwords = join(tempFolder('passwords'), 'pgpass');
    const know = (password: string) =>
      writeFileSync(passwords, `*:*:*:changing:${password}\n`, { mode: 0o600 });
    const endAll = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'changing'`;
    const change = (text: string) => withClient((client) => client.query(text), url);
    await change(`CREATE ROLE changing SUPERUSER LOGIN PASSWORD 'first'`);
    know('first');
    const port = await served(`postgres://changing@127.0.0.1:${primary.port}/postgres`, {
      PGPASSFILE: passwords,
    });
    await readyIs(port, true);
    await change(`ALTER ROLE changing PASSWORD 'second'; ${endAll}`);
    await readyIs(port, false);
    know('second');
    await readyIs(port, true);
  });

  test.skipIf(missingFront('haproxy') !== undefined)(
    'events go on while the primary is lost and the standby is promoted, in one command: none is lost or doubled',
    async () => {
      const ports = [await served(both()), await served(both())];
      const front = await startHaproxy(ports);
      fronts.push(front);
      const { all: before } = await eventsAt(url);
      const sent = await sending(`http://127.0.0.1:${front.port}`, 20_000, 'f');
      await arrived(url, before + 1_000);
      await primary.stop();
      await sent.says('stderr', /sending again for up to 120 s/);
      await withClient((client) => client.query('SELECT pg_promote()'), standby.url);
      const ended = await sent.ended;
      expect(ended).toMatchObject({ exit: 0 });
      expect((JSON.parse(ended.stdout) as { summary: object }).summary).toMatchObject({ accepted: 20_000 });
      const all = before + 20_000;
      expect(await eventsAt(standby.url)).toEqual({ all, ids: all, last: all });
      for (const port of ports) await readyIs(port, true);
    },
  );
});
