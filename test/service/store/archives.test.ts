// Several archives in one PostgreSQL database: each is a schema, and nothing of one is seen, locked or changed from another.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createService, NoArchive, openArchive, type OpenArchive } from '../../../src/service/index.ts';
import { withSchema } from '../../../src/service/administration.ts';
import {
  archiveNames,
  connectServer,
  describeArchive,
  dropArchive,
  hasQueuedEvents,
  upgradeArchive,
} from '../../../src/service/store/archives.ts';
import { openPostgres, type PostgresServer } from '../../../src/service/store/engines/postgres.ts';
import { startWorker } from '../../../src/service/store/event-worker.ts';
import { fileKey } from '../../../src/service/store/meta-table/file-key.ts';
import { migrateTo, NEWEST_VERSION } from '../../../src/service/store/schema/migrate.ts';
import { MIGRATIONS } from '../../../src/service/store/schema/migrations.ts';
import { statementsOf } from '../../../src/service/store/schema/statements.ts';
import { UnusableArchive } from '../../../src/service/store/sql/unusable-archive.ts';
import { createTokenLookup, issueToken } from '../../../src/service/store/tokens.ts';
import { grantTier } from '../../../src/service/rules/tiers.ts';
import { freshDatabase } from '../../support/archives-database.ts';
import { tokenFor } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { holdEvents, moved } from '../../support/event.ts';
import { noPostgres, withClient } from '../../support/postgres.ts';

let url: string;
let server: PostgresServer;
const opened: OpenArchive[] = [];
beforeAll(async () => {
  if (noPostgres) return;
  url = await freshDatabase();
  server = await connectServer({ url });
});
afterEach(async () => {
  for (const archive of opened.splice(0)) await archive.close();
});
afterAll(async () => server?.end());

async function open(
  name: string,
  more: { isShared?: boolean; createSchema?: boolean } = {},
): Promise<OpenArchive> {
  const { isShared = true, createSchema = true } = more;
  const archive = await openArchive({
    url: withSchema(url, name),
    ...(isShared ? { server } : {}),
    createSchema,
    sleep,
    now: Date.now,
    randomBytes,
  });
  opened.push(archive);
  return archive;
}
const GRANT = grantTier({ client_id: 'c', observer_tier: 'mirror', requested_tier: 'mirror' }, 'mirror');
const searchPaths = async (): Promise<unknown[]> => {
  const asked = Array.from({ length: 8 }, () => server.catalogue.get('SHOW search_path'));
  return [...new Set((await Promise.all(asked)).map((row) => row?.['search_path']))];
};

test('nothing that schemas would share is used: sequences, extensions, advisory locks, notifications', () => {
  const migrations = MIGRATIONS.flatMap((migration) => statementsOf(migration, 'postgres'));
  const shared = /\b(?:(?:BIG)?SERIAL|CREATE SEQUENCE|CREATE EXTENSION|REFERENCES|GENERATED)\b/;
  expect(migrations.filter((statement) => shared.test(statement))).toEqual([]);
  const folder = join(import.meta.dirname, '../../../src/service');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  expect(sources.length).toBeGreaterThan(100);
  const other = /pg_(?:try_)?advisory|pg_notify|nextval|['"`](?:UN)?LISTEN /;
  expect(sources.filter((path) => other.test(readFileSync(join(folder, path), 'utf8')))).toEqual([]);
});

describe.skipIf(noPostgres)('the schema of an address', () => {
  test('it must exist, unless it may be created', async () => {
    for (const isShared of [true, false]) {
      const name = `missing-${isShared}`;
      const missing = open(name, { isShared, createSchema: false });
      await expect(missing).rejects.toBeInstanceOf(NoArchive);
      await open(name, { isShared });
      await open(name, { isShared, createSchema: false });
    }
  });

  test('several processes may create it at once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 4 }, async () =>
        Buffer.from(await fileKey(await open('raced', { isShared: false }))),
      ),
    );
    expect(new Set(ids.map(String)).size).toBe(1);
  });

  test('one that is dropped while it is opened or upgraded is not made again', async () => {
    const database = await freshDatabase();
    const own = await connectServer({ url: database });
    const used = { ...own, pool: Object.assign(Object.create(own.pool), { take }) };
    let takes = 0;
    async function take(): ReturnType<typeof own.pool.take> {
      takes += 1;
      // It was looked at, and is not locked yet.
      if (takes === 2) await dropArchive({ server: own, url: place.url, name: 'public', sleep });
      return own.pool.take();
    }
    const place = { url: withSchema(database, 'public'), sleep };
    const options = { ...place, now: Date.now, randomBytes };
    for (const work of [
      () => openArchive({ ...options, server: used, mustExist: true }),
      () => upgradeArchive({ ...place, server: used, name: 'public' }),
    ]) {
      await (await openArchive({ ...options, server: own })).close();
      takes = 0;
      await expect(work()).rejects.toBeInstanceOf(NoArchive);
      expect(await archiveNames(own)).toEqual([]);
    }
    await own.end();
  });

  test('shared connections keep nothing of it', async () => {
    const archive = await open('left');
    await archive.database.transaction((statements) => statements.run('DELETE FROM tokens'));
    await archive.database.snapshot((statements) => statements.all('SELECT * FROM tokens'));
    expect(await searchPaths()).toEqual(['"$user", public']);
    await expect(
      archive.database.transaction((statements) => statements.run('SELECT none FROM tokens')),
    ).rejects.toThrow();
    expect(await searchPaths()).toEqual(['"$user", public']);
  });
});

describe.skipIf(noPostgres).each([true, false])(
  'two archives of one database, shared connections: %s',
  (isShared) => {
    const [a, b] = [`a-${isShared}`, `b-${isShared}`];

    test('keys, tokens, counters and limits are those of one', async () => {
      const [one, other] = [await open(a, { isShared }), await open(b, { isShared })];
      expect(await fileKey(one)).not.toEqual(await fileKey(other));
      const { token } = await issueToken(one, 'c', GRANT);
      expect(await createTokenLookup(one)(token, null)).toMatchObject({ tier: 'mirror' });
      expect(await createTokenLookup(other)(token, null)).toBeUndefined();
      expect(await one.shared.counter('x').next()).toBe(1);
      expect(await one.shared.counter('x').next()).toBe(2);
      expect(await other.shared.counter('x').next()).toBe(1);
      const take = (archive: OpenArchive) => archive.shared.limiter('y', 1).take('peer', 1000);
      expect([await take(one), (await take(one)) > 0, await take(other)]).toEqual([0, true, 0]);
    });

    test('a writer of one does not wait for that of the other', async () => {
      const [one, other] = [await open(a, { isShared }), await open(b, { isShared })];
      await one.database.transaction(async () => {
        await other.database.transaction((statements) => statements.run('DELETE FROM tokens'));
        expect(await other.database.tryTransaction(async () => 'written')).toBe('written');
      });
    });

    test('the worker of one leaves the events of the other alone', async () => {
      const [one, other] = [await open(a, { isShared }), await open(b, { isShared })];
      const service = createService(one, {
        assetUrl: 'http://127.0.0.1:9',
        version: '0',
        worker: { wake() {} },
      });
      const token = await tokenFor(service);
      const release = await holdEvents(one);
      const sent = await call(service, '/api/webhooks/ingest', {
        method: 'POST',
        token,
        body: moved(`evt_${isShared}`, 1, 7),
      });
      expect(sent.status).toBe(200);
      await release();
      const stateOf = async () => (await one.database.get(`SELECT effect FROM events`))?.['effect'];
      const workers = [startWorker(other)];
      try {
        expect(await hasQueuedEvents(server, a)).toBe(true);
        expect(await hasQueuedEvents(server, b)).toBe(false);
        expect(await stateOf()).toBe('queued');
        workers.push(startWorker(one));
        await expect.poll(stateOf).toBe('waiting');
      } finally {
        await Promise.all(workers.map((worker) => worker.stop()));
      }
    });
  },
);

test.skipIf(noPostgres)(
  'shared connections are renewed, since the server keeps what each has seen',
  async () => {
    const archive = await open('renewed');
    const pids = new Set<unknown>();
    for (let at = 0; at < 1_100; at += 1)
      pids.add((await archive.database.get('SELECT pg_backend_pid() AS pid'))?.['pid']);
    expect(pids.size).toBeGreaterThan(1);
  },
);

describe.skipIf(noPostgres)('archives whose writers are held up', () => {
  test('do not hold up the writers and readers of others', async () => {
    const names = ['held-1', 'held-2', 'held-3', 'held-4', 'held-5', 'held-6'];
    const held = await Promise.all(names.map((name) => open(name)));
    const free = await open('free');
    const remove = ({ database }: OpenArchive) =>
      database.transaction((statements) => statements.run('DELETE FROM tokens'));
    await withClient(async (client) => {
      await client.query('BEGIN');
      for (const name of names) await client.query(`SELECT n FROM "${name}".writer FOR UPDATE`);
      const waiting = Promise.all(held.map(remove));
      let isOver = false;
      const ended = waiting.finally(() => (isOver = true));
      for (let at = 0; at < 20; at += 1) {
        await remove(free);
        await held[at % held.length]!.database.get('SELECT COUNT(*) AS n FROM tokens');
      }
      expect(isOver).toBe(false);
      // They write as soon as they may.
      await client.query('COMMIT');
      await ended;
    }, url);
  });

  test('give up after some seconds, as those of one archive do', async () => {
    const archive = await open('locked');
    await withClient(async (client) => {
      await client.query('BEGIN; SELECT n FROM locked.writer FOR UPDATE');
      const written = archive.database.transaction(async () => 'written');
      await expect(written).rejects.toMatchObject({ kind: 'busy' });
    }, url);
  });
});

describe.skipIf(noPostgres)('the archives of a database', () => {
  test('are named in order, and described each by itself', async () => {
    await open('z_1');
    await open('0-first');
    // Tables of something else, and a name that no archive may have.
    await withClient(
      (client) =>
        client.query('CREATE SCHEMA other; CREATE TABLE other.writer (n INT); CREATE SCHEMA "Upper"'),
      url,
    );
    const names = await archiveNames(server);
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining(['0-first', 'z_1']));
    expect(names).not.toContain('other');
    expect(await describeArchive(server, 'z_1')).toEqual({
      name: 'z_1',
      state: 'ready',
      schema: NEWEST_VERSION,
      messages: 0,
      attachments: 0,
    });
    await withClient((client) => client.query('DROP TABLE "0-first".raws, "0-first".meta'), url);
    expect(await describeArchive(server, '0-first')).toMatchObject({ state: 'damaged', schema: null });
  });

  test('one of an older arx is upgraded by itself, and the version is that of each', async () => {
    const work = { server, url: withSchema(url, 'old'), name: 'old', sleep };
    await server.catalogue.run('CREATE SCHEMA old');
    const database = await openPostgres({ url: withSchema(url, 'old'), server, sleep });
    await migrateTo(database, NEWEST_VERSION - 1);
    await database.close();
    expect(await describeArchive(server, 'old')).toMatchObject({
      state: 'older',
      schema: NEWEST_VERSION - 1,
    });
    expect(await upgradeArchive(work)).toBe(true);
    expect(await upgradeArchive(work)).toBe(false);
    expect(await describeArchive(server, 'old')).toMatchObject({ state: 'ready' });
  });

  test('one is dropped with its schema, unless something else is in it or depends on it', async () => {
    const dropped = (name: string) => dropArchive({ server, url: withSchema(url, name), name, sleep });
    await open('kept');
    await open('gone');
    await dropped('gone');
    expect(await archiveNames(server)).toEqual(expect.arrayContaining(['kept']));
    expect(await archiveNames(server)).not.toContain('gone');
    await expect(dropped('gone')).rejects.toBeInstanceOf(NoArchive);
    await withClient((client) => client.query('CREATE VIEW public.seen AS SELECT * FROM kept.messages'), url);
    await expect(dropped('kept')).rejects.toThrow('something else depends on its tables');
    await withClient((client) => client.query('DROP VIEW seen; CREATE TABLE kept.mine (n INT)'), url);
    await expect(dropped('kept')).rejects.toBeInstanceOf(UnusableArchive);
    expect(await describeArchive(server, 'kept')).toMatchObject({ state: 'ready' });
  });
});
