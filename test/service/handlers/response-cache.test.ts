// Caches between requests are never older than the archive: responses, signed paths, tokens and counts.
import { DatabaseSync } from '@photostructure/sqlite';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createService, type ServiceOptions } from '../../../src/service/index.ts';
import { createResponseCache } from '../../../src/service/handlers/response-cache.ts';
import { createFilePaths, filePath, lastDayOf } from '../../../src/service/rules/signed-path.ts';
import { createFaultPlan } from '../../../src/service/fault-injection/index.ts';
import type { Database } from '../../../src/service/store/sql/database.ts';
import { invalidateSummary, summariesOf } from '../../../src/service/store/meta-table/summary.ts';
import { ASSET_URL, sampleArchive, START, tokenFor, type Sample } from '../../support/archive.ts';
import { call } from '../../support/call.ts';

let sample: Sample;
beforeEach(async () => {
  sample = await sampleArchive({ attachments: 40, redactEvery: 0 });
});
afterEach(() => sample.close());

/** A service that counts the statements by which it reads pages, and how often it asks for the archive's state. */
async function counting(options: Partial<ServiceOptions> = {}) {
  const { database } = sample.archive;
  let pages = 0;
  let states = 0;
  const get: Database['get'] = (sql, parameters) => {
    if (sql.includes('string_agg')) pages += 1;
    return database.get(sql, parameters);
  };
  const version: Database['dataVersion'] = () => {
    states += 1;
    return database.dataVersion!();
  };
  const service = createService(
    { ...sample.archive, database: { ...database, get, dataVersion: version } },
    { assetUrl: ASSET_URL, version: '0', ...options },
  );
  const token = await tokenFor(service, 'internal');
  const other = await tokenFor(service, 'external');
  const read = (target: string, as = token) => call(service, target, { token: as });
  return { read, other, pages: () => pages, states: () => states };
}

describe('responses', () => {
  test('are read once while nothing changes, for each tier and request', async () => {
    const { read, other, pages } = await counting();
    const first = await read('/v1/attachments?limit=5');
    const again = await read('/v1/attachments?limit=5');
    expect(again.text).toBe(first.text);
    expect(pages()).toBe(1);
    await read('/v1/attachments?limit=6');
    await read('/v1/attachments?limit=5', other);
    expect(pages()).toBe(3);
  });

  test('are read again after any commit, of this process or another', async () => {
    const { read } = await counting();
    const redacted = async () => (await read('/v1/attachments?limit=1')).json.data[0].redacted as boolean;
    expect(await redacted()).toBe(false);
    await sample.archive.database.run('UPDATE attachments SET redacted = 1 WHERE n = 1');
    expect(await redacted()).toBe(true);
    const stranger = new DatabaseSync(join(sample.dir, 'archive.db'));
    stranger.exec('UPDATE attachments SET redacted = 0 WHERE n = 1');
    stranger.close();
    expect(await redacted()).toBe(false);
  });

  test('over sockets, requests of one tick read the state once, and each tick again', async () => {
    const { read, states } = await counting({ worker: { wake() {} } });
    const redacted = async () => (await read('/v1/attachments?limit=1')).json.data[0].redacted as boolean;
    await turn();
    const before = states();
    expect(await Promise.all([redacted(), redacted(), redacted()])).toEqual([false, false, false]);
    expect(states()).toBe(before + 1);
    const stranger = new DatabaseSync(join(sample.dir, 'archive.db'));
    stranger.exec('UPDATE attachments SET redacted = 1 WHERE n = 1');
    stranger.close();
    await turn();
    expect(await redacted()).toBe(true);
  });

  test('of single records are cached too: never for another tier, never out of date', async () => {
    const { read, other, pages } = await counting();
    const stranger = new DatabaseSync(join(sample.dir, 'archive.db'));
    for (const [target, change] of [
      ['/v1/attachments/att_1', `UPDATE attachments SET redacted = 1 WHERE n = 1`],
      ['/v1/attachments/att_2', `UPDATE attachments SET tier = 'internal' WHERE n = 2`],
      ['/v1/conversations/conv_1', `UPDATE messages SET subject = 'another' WHERE n = 1`],
      ['/messages?limit=1', `UPDATE messages SET tier = 'mirror' WHERE n = 1`],
    ] as const) {
      const [first, toOthers] = [await read(target), await read(target, other)];
      const before = pages();
      expect((await read(target)).text).toBe(first.text);
      expect((await read(target, other)).text).toBe(toOthers.text);
      expect(pages()).toBe(before);
      stranger.exec(change);
      const [now, toOther] = [await read(target), await read(target, other)];
      const fresh = createService(sample.archive, { assetUrl: ASSET_URL, version: '0' });
      expect(now.text).not.toBe(target.endsWith('att_2') ? toOther.text : first.text);
      expect(now.text).toBe((await call(fresh, target, { token: await tokenFor(fresh, 'internal') })).text);
      expect(toOther.text).toBe(
        (await call(fresh, target, { token: await tokenFor(fresh, 'external') })).text,
      );
    }
    stranger.close();
  });

  test('errors are not cached, nor lists with injected drift', async () => {
    const { read } = await counting();
    expect((await read('/v1/attachments/att_41')).status).toBe(404);
    const drift = { seed: 1, from: 0.5, to: 0.5, faults: ['shift'] as const };
    const drifting = createService(sample.archive, {
      assetUrl: ASSET_URL,
      version: '0',
      faults: createFaultPlan(sample.archive, { drift }),
    });
    const token = await tokenFor(drifting, 'internal');
    const texts = new Set<string>();
    for (let n = 0; n < 20; n += 1)
      texts.add((await call(drifting, '/v1/attachments?limit=5', { token })).text);
    expect(texts.size).toBeGreaterThan(1);
  });

  test('a response made during a commit is not cached, and the cache has a size limit', async () => {
    let version = 1;
    let made = 0;
    const { get } = createResponseCache(8 * 1024);
    const ask = (name: string, json: string) => get(name, version, async () => ({ status: made++, json }));
    await get('a', version, async () => {
      version += 1;
      await ask('b', 'x');
      return { status: 0, json: 'of before' };
    });
    await ask('a', 'x');
    await ask('a', 'x');
    expect(made).toBe(2);
    for (let n = 0; n < 20; n += 1) await ask(`page ${n}`, 'x'.repeat(100));
    await ask('page 19', '');
    expect(made).toBe(22);
    await ask('a', 'x');
    await ask('page 0', 'x'.repeat(100));
    expect(made).toBe(24);
    await ask('long', 'x'.repeat(1025));
    await ask('long', 'x'.repeat(1025));
    expect(made).toBe(26);
  });

  test('a long response is cached at the second request, and none where the state is unknown', async () => {
    let made = 0;
    const { get } = createResponseCache();
    const ask = (state: number | string | undefined, json: string) =>
      get('name', state, async () => ({ status: made++, json }));
    for (const [state, json, times] of [
      ['1:1:', 'é'.repeat(5_000), 2],
      ['1:2:', 'x'.repeat(5_000), 2],
      [3, 'short', 1],
      [Number.NaN, 'short', 4],
      [undefined, 'short', 4],
    ] as const) {
      made = 0;
      for (let n = 0; n < 4; n += 1) expect((await ask(state, json)).json.toString()).toBe(json);
      expect(made).toBe(times);
    }
  });
});

test('cached paths equal freshly signed ones, also for other bytes and above the limit', () => {
  const key = new Uint8Array(32).fill(7);
  const paths = createFilePaths(key, 2);
  const today = Date.UTC(2026, 0, 2);
  for (const [n, sha256, now] of [
    [1, 'a', today],
    [1, 'a', today],
    [1, 'b', today],
    [2, 'c', today],
    [3, 'd', today],
    [1, 'b', today],
    [1, 'a', today],
    [1, 'a', today + 86_400_000],
  ] as const) {
    for (const tier of ['external', 'mirror'] as const) {
      const grant = { id: `att_${n}`, sha256: sha256.repeat(64), tier, lastDay: lastDayOf(now) };
      expect(paths(n, grant.sha256, tier, now)).toBe(filePath(key, grant));
    }
  }
});

test('a token is looked up again after five seconds', async () => {
  const { read } = await counting();
  expect((await read('/v1/attachments')).status).toBe(200);
  await sample.archive.database.run('DELETE FROM tokens');
  expect((await read('/v1/attachments')).status).toBe(200);
  sample.advance(5_000);
  expect((await read('/v1/attachments')).status).toBe(401);
});

test('a large archive is counted again only after a while, a small one at once', async () => {
  let now = START;
  const archive = { ...sample.archive, now: () => now };
  const { database } = archive;
  const change = (failing: number) =>
    database.transaction(async (statements) => {
      await statements.run('UPDATE attachments SET failed = CASE WHEN n <= $1 THEN 1 ELSE 0 END', [failing]);
      await invalidateSummary(statements);
    });
  await change(40);
  const { integrity } = (await summariesOf(archive)).mirror;
  await change(0);
  expect((await summariesOf(archive)).mirror.integrity).toBeGreaterThan(integrity);

  // As if two thousand rows had failed a check.
  const row = await database.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'summary'`);
  const kept = JSON.stringify({ ...JSON.parse(row!.value), counted: 2_000 });
  await database.run(`UPDATE meta SET value = $1 WHERE key = 'summary'`, [kept]);
  await change(40);
  expect((await summariesOf(archive)).mirror.integrity).toBe(1);
  now += 20;
  expect((await summariesOf(archive)).mirror.integrity).toBe(integrity);
});

test('kept counts that cannot be read are counted again', async () => {
  const { database } = sample.archive;
  const counted = await summariesOf(sample.archive);
  await database.run(`UPDATE meta SET value = '{' WHERE key = 'summary'`);
  expect((await summariesOf(sample.archive)).mirror).toEqual(counted.mirror);
  await database.transaction((statements) => invalidateSummary(statements));
});
