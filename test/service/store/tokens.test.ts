// Tokens as the store looks them up.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createService, type Archive } from '../../../src/service/index.ts';
import { ASSET_URL, sampleArchive, tokenFor, type Sample } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { ENGINE } from '../../support/engine.ts';
import { sha256Of } from '../../support/digest.ts';

let sample: Sample;
let token: string;
beforeAll(async () => {
  sample = await sampleArchive({ conversations: 2 });
  token = await tokenFor(sample.service);
});
afterAll(() => sample.close());

test('N9 a token is compared by its hash alone, right or wrong', async () => {
  const values: unknown[] = [];
  const { database } = sample.archive;
  const watched: Archive = {
    ...sample.archive,
    database: {
      ...database,
      get: (sql, parameters = []) => {
        values.push(...parameters);
        return database.get(sql, parameters);
      },
    },
  };
  const service = createService(watched, { assetUrl: ASSET_URL, version: '0' });
  const wrong = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
  expect((await call(service, '/v1/conversations', { token })).status).toBe(200);
  expect((await call(service, '/v1/conversations', { token: wrong })).status).toBe(401);
  expect(values).toEqual(expect.arrayContaining([sha256Of(token), sha256Of(wrong)]));
  expect(values.filter((value) => String(value).includes(token.slice(0, 12)))).toEqual([]);
});

test.skipIf(ENGINE === 'postgres')(
  'a full disk keeps nobody from reading: the token is kept in memory',
  async () => {
    const { database } = sample.archive;
    const noSpace = Object.assign(new Error('database or disk is full'), {
      code: 'ERR_SQLITE_ERROR',
      errcode: 13,
    });
    const full = (error: Error): Archive => ({
      ...sample.archive,
      database: { ...database, transaction: () => Promise.reject(error) },
    });
    const service = createService(full(noSpace), { assetUrl: ASSET_URL, version: '0' });
    const given = await tokenFor(service);
    expect((await call(service, '/v1/conversations', { token: given })).status).toBe(200);
    expect((await call(sample.service, '/v1/conversations', { token: given })).status).toBe(401);
    const broken = createService(full(new Error('broken')), { assetUrl: ASSET_URL, version: '0' });
    expect(await tokenFor(broken)).toBeUndefined();
  },
);
