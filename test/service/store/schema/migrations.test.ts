// An archive of any earlier version becomes what a new one is, with all that is in it, also when several open it at once.
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import {
  ArchiveUnreadable,
  createAssetService,
  createService,
  failureText,
  NewerSchema,
  OlderSchema,
  openArchive,
  type ArchiveLocation,
} from '../../../../src/service/index.ts';
import type { Database } from '../../../../src/service/store/sql/database.ts';
import { openPostgres } from '../../../../src/service/store/engines/postgres.ts';
import { migrateTo, NEWEST_VERSION } from '../../../../src/service/store/schema/migrate.ts';
import { openSqlite } from '../../../../src/service/store/engines/sqlite.ts';
import { ASSET_URL, tokenFor } from '../../../support/archive.ts';
import { call } from '../../../support/call.ts';
import { sha256Of } from '../../../support/digest.ts';
import { ENGINE, freshPlace } from '../../../support/engine.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('migrations')));

const open = (place: ArchiveLocation) => openArchive({ ...place, sleep, now: () => 0, randomBytes });

/** As an arx left it that knew no later version. */
async function oldArchive(version: number): Promise<ArchiveLocation> {
  const place = await freshPlace(join(dir, 'old'));
  await mkdir(join(dir, 'old'), { recursive: true });
  const database =
    'dir' in place
      ? await openSqlite({ path: join(place.dir, 'archive.db'), sleep })
      : await openPostgres({ url: place.url, sleep });
  await migrateTo(database, version);
  await database.run(`INSERT INTO meta VALUES ('kept', 'yes')`);
  // As the process decided that opened it first.
  if ('url' in place) await database.run(`INSERT INTO meta VALUES ('files', 'database')`);
  await database.close();
  return place;
}

const tablesOf = (database: Database) =>
  database.all(
    ENGINE === 'sqlite'
      ? `SELECT name, sql FROM sqlite_schema ORDER BY name`
      : `SELECT tablename AS name, CAST(indexdef AS TEXT) AS sql FROM pg_indexes
          WHERE schemaname = current_schema() ORDER BY indexname`,
  );

test.each(Array.from({ length: NEWEST_VERSION - 1 }, (_, index) => index + 1))(
  'from version %i',
  async (version) => {
    const fresh = await open(await freshPlace(join(dir, 'fresh')));
    const place = await oldArchive(version);
    const archives = await Promise.all([open(place), open(place), open(place)]);
    const { database } = archives[0];
    const bare = (rows: object[]) => JSON.stringify(rows).replaceAll(/t[\da-f]{16}\./g, '');
    expect(bare(await tablesOf(database))).toBe(bare(await tablesOf(fresh.database)));
    expect(await database.all(`SELECT value FROM meta WHERE key = 'kept'`)).toEqual([{ value: 'yes' }]);
    for (const archive of [fresh, ...archives]) await archive.close();
  },
);

test('from version 4, rows that are external become internal: earlier imports took that from a header', async () => {
  const place = await oldArchive(4);
  const old =
    'dir' in place
      ? await openSqlite({ path: join(place.dir, 'archive.db'), sleep })
      : await openPostgres({ url: place.url, sleep });
  for (const [n, tier] of [
    [1, 'external'],
    [2, 'mirror'],
  ] as const) {
    await old.run(
      `INSERT INTO messages (n, conversation, sequence, format, source, classification, raw_sha256, raw_bytes,
          attachments, tier, path, position) VALUES ($1, $1, $1, 'rfc822', 's', 'reply', $2, 1, 1, $3, 'p', 0)`,
      [n, String(n), tier],
    );
    await old.run(
      `INSERT INTO attachments (n, message, part, filename, sha256, bytes, declared_type, stored, redacted,
          decorative_layer, first_visible, source, tier) VALUES ($1, $1, 0, 'f', 'x', 1, 't', 0, 0, 0, 0, 's', $2)`,
      [n, tier],
    );
  }
  await old.close();
  const archive = await open(place);
  for (const table of ['messages', 'attachments']) {
    expect(await archive.database.all(`SELECT n, tier FROM ${table} ORDER BY n`)).toEqual([
      { n: 1, tier: 'internal' },
      { n: 2, tier: 'mirror' },
    ]);
  }
  await archive.close();
});

test('from version 8, a file without bytes loses the hash of its description', async () => {
  const place = await oldArchive(8);
  const old =
    'dir' in place
      ? await openSqlite({ path: join(place.dir, 'archive.db'), sleep })
      : await openPostgres({ url: place.url, sleep });
  for (const [n, stored] of [
    [1, 0],
    [2, 1],
  ] as const) {
    await old.run(
      `INSERT INTO attachments (n, message, part, filename, sha256, bytes, declared_type, stored, redacted,
          decorative_layer, first_visible, source, tier) VALUES ($1, $1, 0, 'f', 'x', 1, 't', $2, 0, 0, 0, 's', 'internal')`,
      [n, stored],
    );
  }
  await old.close();
  const archive = await open(place);
  expect(await archive.database.all('SELECT n, sha256, absence FROM attachments ORDER BY n')).toEqual([
    { n: 1, sha256: 'absent:x', absence: 'is not in the export' },
    { n: 2, sha256: 'x', absence: null },
  ]);
  await archive.close();
});

test('from version 10, conversations get the highest tier of their messages, and each tier its first row', async () => {
  const place = await oldArchive(10);
  const old =
    'dir' in place
      ? await openSqlite({ path: join(place.dir, 'archive.db'), sleep })
      : await openPostgres({ url: place.url, sleep });
  for (const [n, conversation, tier] of [
    [1, 1, 'mirror'],
    [2, 2, 'external'],
    [3, 2, 'internal'],
    [4, 4, 'external'],
  ] as const) {
    await old.run(
      `INSERT INTO messages (n, conversation, sequence, format, source, classification, raw_sha256, raw_bytes,
          attachments, tier, path, position) VALUES ($1, $2, $1, 'rfc822', 's', 'reply', $3, 1, 1, $4, 'p', 0)`,
      [n, conversation, String(n), tier],
    );
    await old.run(
      `INSERT INTO attachments (n, message, part, filename, sha256, bytes, declared_type, stored, redacted,
          decorative_layer, first_visible, source, tier) VALUES ($1, $1, 0, 'f', 'x', 1, 't', 0, 0, 0, $2, 's', $3)`,
      [n, n === 1 ? 1 : 0, tier],
    );
    if (n === conversation)
      await old.run(
        `INSERT INTO conversations (n, source, first_message, message_count) VALUES ($1, 's', $1, 1)`,
        [n],
      );
  }
  await old.close();
  const archive = await open(place);
  expect(await archive.database.all('SELECT n, tier FROM conversations ORDER BY n')).toEqual([
    { n: 1, tier: 'mirror' },
    { n: 2, tier: 'internal' },
    { n: 4, tier: 'external' },
  ]);
  expect(await archive.database.all('SELECT n FROM attachments WHERE first_visible = 1 ORDER BY n')).toEqual([
    { n: 1 },
    { n: 2 },
  ]);
  await archive.close();
});

test('of a newer one it is left alone', async () => {
  const place = await oldArchive(1);
  const archive = await open(place);
  await archive.database.run('INSERT INTO migrations VALUES (99)');
  await archive.close();
  await expect(open(place)).rejects.toThrow(NewerSchema);
});

test('a service that runs while a newer arx changes the tables says so, and speaks of no damage', async () => {
  const archive = await open(await freshPlace(join(dir, 'served')));
  const failures = new Set<string>();
  const onFailure = (_id: string, error: unknown) => void failures.add(failureText(error));
  const service = createService(archive, { assetUrl: ASSET_URL, version: '0', onFailure });
  const files = createAssetService(archive, { onFailure });
  const token = await tokenFor(service, 'internal');
  const codes = async () => [
    (await call(service, '/v1/attachments', { token })).json.error.code,
    (await call(files, '/files/att_1/internal/20000/x')).json.error.code,
  ];
  await archive.database.run('ALTER TABLE attachments RENAME TO files_of_99');
  expect(await codes()).toEqual(['storage_damaged', 'storage_damaged']);
  failures.clear();
  await archive.database.run('INSERT INTO migrations VALUES (99)');
  expect(await codes()).toEqual(['store_unavailable', 'store_unavailable']);
  expect([...failures]).toEqual([
    `NewerSchema: the archive has schema 99, this arx knows ${NEWEST_VERSION}; a newer version of arx wrote it; use that version`,
  ]);
  await archive.close();
});

test('a service that runs while a newer arx changes the tables writes nothing into them, and goes on reading', async () => {
  const archive = await open(await freshPlace(join(dir, 'written')));
  const service = createService(archive, { assetUrl: ASSET_URL, version: '0' });
  const token = await tokenFor(service, 'internal');
  const send = (id: string) =>
    call(service, '/api/webhooks/ingest', {
      token,
      body: { id, type: 'mirror.detected', payload: { layer: 'x' } },
    });
  expect((await send('before')).status).toBe(200);
  await archive.database.run('INSERT INTO migrations VALUES (99)');
  expect((await send('after')).json.error.code).toBe('store_unavailable');
  await expect(archive.database.tryTransaction(async () => {})).rejects.toThrow(NewerSchema);
  expect(await archive.database.all('SELECT id FROM events')).toEqual([{ id: 'before' }]);
  expect((await call(service, '/v1/attachments', { token })).status).toBe(200);
  await archive.close();
});

test.each([
  ['all', 'DELETE FROM migrations', 'the versions of its tables are lost', true],
  ['the last', 'DELETE FROM migrations WHERE version > 2', 'its tables are not those of its version', false],
])('that lost %s of its versions is damaged', async (_name, sql, why, isKnown) => {
  const place = await freshPlace(join(dir, 'old'));
  const archive = await open(place);
  await archive.database.run(sql);
  await archive.close();
  const writing = await open(place).catch((error: unknown) => error);
  expect(writing).toBeInstanceOf(ArchiveUnreadable);
  expect(writing).toMatchObject({ why, isDamaged: true });
  // A reader gets no hint that a writer would migrate it.
  const reading = await open({ ...place, readOnly: true }).catch((error: unknown) => error);
  if (isKnown) expect(reading).toMatchObject({ why, isDamaged: true });
  else expect(reading).toBeInstanceOf(OlderSchema);
});

test('from version 11, an event keeps its canonical payload, and is the same event in another spelling', async () => {
  const place = await oldArchive(11);
  const old =
    'dir' in place
      ? await openSqlite({ path: join(place.dir, 'archive.db'), sleep })
      : await openPostgres({ url: place.url, sleep });
  const payload = '{"a":[0.5,1e+21],"layer":"x"}';
  await old.run(
    `INSERT INTO events (n, id, type, payload, body_sha256, received_ms, deliveries, effect)
      VALUES (1, 'old', 'mirror.detected', $1, $2, 0, 1, 'recorded')`,
    [payload, sha256Of(`mirror.detected\n${payload}`)],
  );
  await old.close();
  const archive = await open(place);
  const service = createService(archive, { assetUrl: ASSET_URL, version: '0' });
  const token = await tokenFor(service);
  const ingest = (numbers: string) =>
    call(service, '/api/webhooks/ingest', {
      token,
      body: Buffer.from(`{"id":"old","type":"mirror.detected","payload":{"layer":"x", "a":[${numbers}]}}`),
      headers: [['content-type', 'application/json']],
    });
  expect((await ingest('5e-1,1000000000000000000000')).status).toBe(200);
  expect((await ingest('0.5,1000000000000000000001')).status).toBe(409);
  const { text } = await call(service, '/api/webhooks/events', { token });
  expect(text).toContain(`"payload":${payload},`);
  expect(text).toContain('"deliveries":2');
  await archive.close();
});
