// Cached responses of a standby: used again while nothing is replayed, and never older than what the standby itself shows.
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../../../src/contract/exchange.ts';
import { connectServer, withSchema, type PostgresServer } from '../../../src/service/administration.ts';
import { createService, openArchive, type OpenArchive } from '../../../src/service/index.ts';
import { invalidateSummary } from '../../../src/service/store/meta-table/summary.ts';
import { ASSET_URL, sampleArchive, START, tokenFor } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { ROLE } from '../../support/cluster.ts';
import { fill } from '../../support/many-rows.ts';
import { ownCluster, standbyOf, type OwnCluster } from '../../support/own-cluster.ts';
import { noPostgres, withClient } from '../../support/postgres.ts';

describe.skipIf(noPostgres)('a standby', () => {
  let primary: OwnCluster;
  let standby: OwnCluster;
  let archive: OpenArchive;
  let service: Service;
  let token: string;
  let lookups = { cached: 0, made: 0 };
  beforeAll(async () => {
    // With lines of its own it lets standbys in.
    primary = (await ownCluster({ hosts: 'host all all 127.0.0.1/32 trust' }))!;
    const sample = await sampleArchive({ conversations: 4, messages: 2, place: { url: primary.url } });
    token = await tokenFor(sample.service);
    // So that the summary is stored: a standby cannot store it.
    await call(sample.service, '/api/health');
    await sample.leave();
    standby = await standbyOf(primary);
    // So that a commit can wait until the standby shows it.
    appendFileSync(join(primary.dir, 'settings'), `synchronous_standby_names = '*'\n`);
    await withClient((client) => client.query('SELECT pg_reload_conf()'), primary.url);
    const names = () =>
      withClient(async (client) => {
        const { rows } = await client.query<{ names: string }>(
          `SELECT current_setting('synchronous_standby_names') AS names`,
        );
        return rows[0]!.names;
      }, primary.url);
    for (let tries = 0; (await names()) !== '*' && tries < 200; tries += 1) await sleep(25);
    archive = await openArchive({
      url: standby.url,
      readOnly: true,
      sleep,
      now: () => Date.UTC(2026, 0, 2, 4),
      randomBytes,
    });
    service = createService(archive, {
      assetUrl: ASSET_URL,
      version: '0',
      onCacheLookup: (isCached) => void (lookups[isCached ? 'cached' : 'made'] += 1),
    });
  });
  afterAll(async () => {
    await archive?.close();
    await standby?.close();
    await primary?.close();
  });

  const PAGE = '/v1/conversations?limit=1';
  const subject = async (): Promise<string> => {
    const { json } = await call(service, PAGE, { token });
    return json.data[0].subject as string;
  };
  const write = (client: pg.Client, n: number) =>
    client.query(`UPDATE conversations SET subject = 'subject ${n}' WHERE n = 1`);
  /** Asks until a response comes from the cache. */
  const cached = async (): Promise<void> => {
    for (let tries = 0; ; tries += 1) {
      lookups = { cached: 0, made: 0 };
      await subject();
      if (lookups.cached === 1) return;
      if (tries === 200) throw new Error('never cached');
      await sleep(25);
    }
  };

  test('uses a response again while nothing is replayed', async () => {
    await cached();
    lookups = { cached: 0, made: 0 };
    for (let n = 0; n < 20; n += 1) await subject();
    expect(lookups).toEqual({ cached: 20, made: 0 });
  });

  test('makes it again for each commit that it shows, whatever other transactions are open', async () => {
    const started = async (client: pg.Client) => {
      await client.query('SET synchronous_commit = remote_apply');
      await client.query('BEGIN; SELECT pg_current_xact_id()');
    };
    const { url } = primary;
    await withClient((client) => client.query('CREATE TABLE beside (n INT)'), url);
    for (let n = 0; n < 10; n += 1) {
      await withClient(async (earlier) => {
        await started(earlier);
        await withClient(async (client) => {
          await started(client);
          await write(client, n);
          await withClient((later) => later.query('INSERT INTO beside VALUES (1)'), url);
          // Its commit changes neither the oldest open transaction nor the latest one that has ended.
          await cached();
          await client.query('COMMIT');
          expect(await subject()).toBe(`subject ${n}`);
        }, url);
      }, url);
    }
  });

  test('is never behind what the standby itself shows, while commits arrive', async () => {
    await withClient(async (client) => {
      await withClient(async (reader) => {
        const writer = { isWriting: true };
        const writing = (async () => {
          for (let n = 1_000; n < 1_400; n += 1) {
            await write(client, n);
            // Without a pause nothing would ever be cached.
            await sleep(n % 3);
          }
          writer.isWriting = false;
        })();
        lookups = { cached: 0, made: 0 };
        while (writer.isWriting) {
          const direct = await reader.query<{ subject: string }>(
            'SELECT subject FROM conversations WHERE n = 1',
          );
          const shown = await subject();
          expect(shown.padStart(20) >= direct.rows[0]!.subject.padStart(20)).toBe(true);
        }
        await writing;
        expect(lookups.cached).toBeGreaterThan(0);
        expect(lookups.made).toBeGreaterThan(10);
      }, standby.url);
    }, primary.url);
  });

  test('keeps the pages of one archive while another is written, and shows each commit of its own', async () => {
    const [written, shown] = await Promise.all([primary, standby].map(({ url }) => connectServer({ url })));
    const opened: OpenArchive[] = [];
    const open = async (
      server: PostgresServer,
      url: string,
      name: string,
      more: object,
    ): Promise<OpenArchive> => {
      const place = { url: withSchema(url, name), server };
      const archiveOf = await openArchive({ ...place, ...more, sleep, now: () => START, randomBytes });
      opened.push(archiveOf);
      return archiveOf;
    };
    const create = async (name: string): Promise<OpenArchive> => {
      const made = await open(written!, primary.url, name, { createSchema: true });
      await fill(made.database, 20);
      return made;
    };
    const [one, two] = [await create('one'), await create('two')];
    const rename = (of: OpenArchive, name: string) =>
      of.database.transaction(async (statements) => {
        await statements.run('SET LOCAL synchronous_commit = remote_apply');
        await statements.run(`UPDATE conversations SET subject = '${name}' WHERE n = 1`);
      });
    const bearer = await tokenFor(createService(one, { assetUrl: ASSET_URL, version: '0' }));
    await rename(one, 'first');
    await rename(two, 'first');
    const counted = { cached: 0, made: 0 };
    const own = createService(await open(shown!, standby.url, 'one', { readOnly: true }), {
      assetUrl: ASSET_URL,
      version: '0',
      onCacheLookup: (isCached) => void (counted[isCached ? 'cached' : 'made'] += 1),
    });
    const ask = async (): Promise<string> =>
      (await call(own, PAGE, { token: bearer })).json.data[0].subject as string;
    for (let n = 0; n < 10; n += 1) {
      await rename(one, `own ${n}`);
      expect(await ask()).toBe(`own ${n}`);
      Object.assign(counted, { cached: 0, made: 0 });
      // Whatever the standby has received and does not show yet.
      await rename(two, `other ${n}`);
      for (let again = 0; again < 3; again += 1) expect(await ask()).toBe(`own ${n}`);
      expect(counted).toEqual({ cached: 3, made: 0 });
      // A writer that began is seen by its lock, before its commit.
      await withClient(async (client) => {
        await client.query('SET synchronous_commit = remote_apply');
        await client.query('BEGIN; SELECT n FROM one.writer FOR UPDATE');
        await client.query(`UPDATE one.conversations SET subject = 'slow ${n}' WHERE n = 1`);
        await rename(two, `meanwhile ${n}`);
        expect(await ask()).toBe(`own ${n}`);
        await client.query('COMMIT');
      }, primary.url);
      expect(await ask()).toBe(`slow ${n}`);
    }
    for (const each of opened) await each.close();
    for (const server of [written, shown]) await server!.end();
  });

  test('counts once for each state where it may not store the counts, also opened for writing', async () => {
    const writable = await openArchive({ url: primary.url, sleep, now: () => START, randomBytes });
    await writable.database.transaction(async (statements) => {
      await statements.run('SET LOCAL synchronous_commit = remote_apply');
      await invalidateSummary(statements);
    });
    await writable.close();
    const now = () => Date.UTC(2026, 0, 2, 4);
    const opened = await openArchive({ url: standby.url, sleep, now, randomBytes });
    const { database } = opened;
    let [counts, attempts] = [0, 0];
    const all: typeof database.all = async (sql, values) => {
      if (sql.includes('COUNT(*)')) counts += 1;
      return database.all(sql, values);
    };
    const tryTransaction: typeof database.tryTransaction = async (work) => {
      attempts += 1;
      return database.tryTransaction(work);
    };
    const asked = createService(
      { ...opened, database: { ...database, all, tryTransaction } },
      { assetUrl: ASSET_URL, version: '0' },
    );
    const ask = async () => (await call(asked, PAGE, { token })).status;
    expect(await ask()).toBe(200);
    const first = counts;
    expect(first).toBeGreaterThan(0);
    for (let n = 0; n < 5; n += 1) expect(await ask()).toBe(200);
    expect([counts, attempts]).toEqual([first, 1]);
    await opened.close();
  });

  test('behind a balancer is not compared with another server, and again once all connections go to one', async () => {
    const ports = [standby.port, primary.port, standby.port];
    const sockets = new Set<Socket>();
    const balancer = createServer((incoming) => {
      const outgoing = connect(ports.shift() ?? standby.port, '127.0.0.1');
      for (const [from, to] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        sockets.add(from);
        from.on('error', () => {}).on('close', () => to.destroy());
        from.pipe(to);
      }
    });
    await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
    const { port } = balancer.address() as AddressInfo;
    // Two connections: one for pages, and one for everything else.
    const balanced = await openArchive({
      url: `postgres://${ROLE}@127.0.0.1:${port}/postgres`,
      readOnly: true,
      sleep,
      now: Date.now,
      randomBytes,
    });
    const state = async () => balanced.database.dataVersion!();
    for (let n = 0; n < 3; n += 1) expect(await state()).toBeNaN();
    for (const socket of sockets) socket.destroy();
    let now = await state().catch(() => Number.NaN);
    for (let tries = 0; Number.isNaN(now) && tries < 200; tries += 1) {
      await sleep(25);
      now = await state().catch(() => Number.NaN);
    }
    expect(now).toMatch(/^\d+ [0-9A-F]+\/[0-9A-F]+$/);
    await balanced.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => balancer.close(resolve));
  });

  test('keeps nothing of the time before a restart, and caches again after it', async () => {
    await cached();
    await standby.stop();
    await withClient(async (client) => {
      await client.query('SET synchronous_commit = local');
      await write(client, 5_000);
    }, primary.url);
    await standby.start();
    for (let tries = 0; (await subject()) !== 'subject 5000'; tries += 1) {
      if (tries === 200) throw new Error('never replayed');
      await sleep(25);
    }
    await cached();
  });
});
