// Cached responses of archives that share a PostgreSQL: each is kept until its own archive changes, and no longer.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../../../src/contract/exchange.ts';
import { connectServer, withSchema, type PostgresServer } from '../../../src/service/administration.ts';
import { createService, openArchive, type OpenArchive } from '../../../src/service/index.ts';
import { ASSET_URL, START, tokenFor } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { freshDatabase } from '../../support/archives-database.ts';
import { moved } from '../../support/event.ts';
import { fill } from '../../support/many-rows.ts';
import { noPostgres, withClient } from '../../support/postgres.ts';

type Served = { archive: OpenArchive; service: Service; token: string; cached: number; made: number };

describe.skipIf(noPostgres)('two archives of one database', () => {
  let url: string;
  let server: PostgresServer;
  let a: Served;
  let b: Served;
  beforeAll(async () => {
    url = await freshDatabase();
    server = await connectServer({ url });
    [a, b] = [await served('one'), await served('two')];
  });
  afterAll(async () => {
    for (const { archive } of [a, b]) await archive.close();
    await server.end();
  });

  async function served(name: string): Promise<Served> {
    const archive = await openArchive({
      url: withSchema(url, name),
      server,
      createSchema: true,
      sleep,
      now: () => START,
      randomBytes,
    });
    await fill(archive.database, 20);
    const one: Served = { archive, service: undefined!, token: '', cached: 0, made: 0 };
    one.service = createService(archive, {
      assetUrl: ASSET_URL,
      version: '0',
      onCacheLookup: (isCached) => void (one[isCached ? 'cached' : 'made'] += 1),
    });
    one.token = await tokenFor(one.service, 'internal');
    await subject(one);
    return one;
  }

  const subject = async ({ service, token }: Served): Promise<string> =>
    (await call(service, '/v1/conversations?limit=1', { token })).json.data[0].subject as string;
  /** The lookups of `count` requests. */
  const lookups = async (one: Served, count: number): Promise<{ cached: number; made: number }> => {
    [one.cached, one.made] = [0, 0];
    for (let n = 0; n < count; n += 1) await subject(one);
    return { cached: one.cached, made: one.made };
  };
  const rename = async ({ archive }: Served, name: string): Promise<unknown> =>
    archive.database.transaction((statements) =>
      statements.run(`UPDATE conversations SET subject = '${name}' WHERE n = 1`),
    );
  const ingest = async ({ service, token }: Served, body: object): Promise<void> =>
    expect((await call(service, '/api/webhooks/ingest', { token, body })).status).toBe(200);

  test('a commit in one leaves the pages of the other, by the same process or another', async () => {
    await rename(a, 'here');
    await subject(a);
    for (const change of [
      () => rename(b, 'there'),
      () => ingest(b, moved('evt_x', 4, 41)),
      () => withClient((client) => client.query('CREATE TABLE public.beside (n INT)'), url),
    ]) {
      await change();
      expect(await lookups(a, 3)).toEqual({ cached: 3, made: 0 });
    }
    expect(await subject(b)).toBe('there');
  });

  test('a commit in one is seen at once, by whatever process, and one request makes its page anew', async () => {
    const other = await openArchive({
      url: withSchema(url, 'one'),
      sleep,
      now: () => START,
      randomBytes,
    });
    for (const [n, by] of [a, { ...a, archive: other }, a].entries()) {
      await rename(by, `subject ${n}`);
      expect(await subject(a)).toBe(`subject ${n}`);
      expect(await lookups(a, 3)).toEqual({ cached: 3, made: 0 });
    }
    await other.close();
  });

  test('while a writer works nothing changes, and what it commits is seen at once; what it undoes, never', async () => {
    await withClient(async (client) => {
      for (const [n, end] of ['COMMIT', 'ROLLBACK', 'COMMIT'].entries()) {
        const before = await subject(a);
        await client.query('BEGIN; SELECT n FROM one.writer FOR UPDATE');
        expect(await subject(a)).toBe(before);
        await client.query(`UPDATE one.conversations SET subject = 'slow ${n}' WHERE n = 1`);
        expect(await subject(a)).toBe(before);
        // Another commit of the server, later than the beginning of this one.
        await rename(b, `meanwhile ${n}`);
        expect(await subject(a)).toBe(before);
        await client.query(end);
        expect(await subject(a)).toBe(end === 'COMMIT' ? `slow ${n}` : before);
        expect(await lookups(a, 2)).toEqual({ cached: 2, made: 0 });
      }
    }, url);
  });

  test('an archive that nothing has written since its row was frozen is still told from itself', async () => {
    await withClient((client) => client.query('VACUUM (FREEZE) one.writer'), url);
    await rename(a, 'after');
    expect(await subject(a)).toBe('after');
    await withClient((client) => client.query('VACUUM (FREEZE) one.writer'), url);
    expect(await subject(a)).toBe('after');
    await rename(a, 'again');
    expect(await subject(a)).toBe('again');
    expect(await lookups(a, 2)).toEqual({ cached: 2, made: 0 });
  });
});
