// Tokens as the store looks them up.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createService, type Archive } from '../../../src/service/index.ts';
import { ASSET_URL, sampleArchive, tokenFor, type Sample } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
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
