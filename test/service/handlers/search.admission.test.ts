// Searches that take long: how many run at once, how many wait, and what others get meanwhile.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { clearIndex } from '../../../src/service/store/search/search-tables.ts';
import { DatabaseAccessError } from '../../../src/service/store/sql/database-error.ts';
import { sampleArchive, tokenFor, type Sample } from '../../support/archive.ts';
import { call } from '../../support/call.ts';

let sample: Sample;
let token: string;
/** The long reads that were begun, and what lets them end. */
const reads = { begun: 0 };
let waiting: { count: number; resolve: () => void }[];
let release: () => void;

beforeEach(async () => {
  sample = await sampleArchive({ conversations: 3, messages: 5, attachments: 0 });
  token = await tokenFor(sample.service);
  // The archive is indexed by the first search.
  expect(await search('letter')).toMatchObject({ status: 200, json: { total: 15 } });
  const { longReads } = sample.archive.database;
  const { get } = longReads;
  reads.begun = 0;
  const held = new Promise<void>((resolve) => (release = resolve));
  waiting = [];
  longReads.get = async (sql, parameters) => {
    reads.begun += 1;
    for (const { count, resolve } of waiting) if (reads.begun >= count) resolve();
    await held;
    return get(sql, parameters);
  };
  longReads.until = (signal) => ({
    ...longReads,
    get: (...read) =>
      Promise.race([
        longReads.get(...read),
        new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
      ]) as never,
  });
});
afterEach(() => sample.close());

const search = (query: string, gone?: AbortSignal) =>
  call(sample.service, `/v1/search?q=${encodeURIComponent(query)}&count=true`, { token, gone });

/** Waits until so many long reads have begun. */
const begun = (count: number) => new Promise<void>((resolve) => waiting.push({ count, resolve }));

test('three run at once, 64 wait, more are busy; other requests are answered', async () => {
  const asked = Array.from({ length: 67 }, (_, at) => search(`letter -x${at}`));
  await begun(3);
  for (let turns = 0; turns < 20; turns += 1) await nextTurn();
  expect(reads.begun).toBe(3);
  const busy = await search('one too many');
  expect(busy).toMatchObject({ status: 503, json: { error: { code: 'store_unavailable' } } });
  expect(busy.headers['retry-after']).toBe('2');
  for (const path of ['/v1/messages?limit=2', '/api/health'])
    expect(await call(sample.service, path, { token })).toMatchObject({ status: 200 });
  release();
  for (const { json } of await Promise.all(asked)) expect(json).toMatchObject({ total: 15 });
  expect(await search('letter -again')).toMatchObject({ status: 200 });
});

test('clients that have gone leave their places', async () => {
  const gone = new AbortController();
  const left = Array.from({ length: 67 }, (_, at) => search(`letter -x${at}`, gone.signal));
  await begun(3);
  expect(await search('one too many')).toMatchObject({ status: 503 });
  gone.abort(new Error('gone'));
  for (const { status } of await Promise.all(left)) expect(status).toBe(500);
  const others = Array.from({ length: 67 }, (_, at) => search(`letter -y${at}`));
  await begun(6);
  release();
  for (const { status } of await Promise.all(others)) expect(status).toBe(200);
});

test('one that fails lets the next one begin', async () => {
  const wrong = Array.from({ length: 10 }, () => search('"'));
  for (const { status } of await Promise.all(wrong)) expect(status).toBe(400);
  release();
  expect(await search('letter -after')).toMatchObject({ json: { total: 15 } });
});

test('a count that lacks what is indexed meanwhile says so', async () => {
  release();
  const { database } = sample.archive;
  await clearIndex(database);
  await database.run(`DELETE FROM meta WHERE key = 'search'`);
  const { transaction, longReads } = database;
  const { get } = longReads;
  database.transaction = () => Promise.reject(new DatabaseAccessError('busy', 'test', undefined));
  longReads.get = async (sql, parameters) => {
    const row = await get(sql, parameters);
    Object.assign(database, { transaction });
    longReads.get = get;
    // Another one, which may write.
    expect(await search('letter -other')).toMatchObject({ json: { total: 15 } });
    return row as never;
  };
  expect(await search('letter')).toMatchObject({ json: { total: 0, index: { of: 15, indexed: 0 } } });
  expect(await search('letter')).toMatchObject({ json: { total: 15, index: { of: 15, indexed: 15 } } });
});

test('turns of others come between the messages whose texts a page of a search reads', async () => {
  release();
  let turns = 0;
  const answered = new AbortController();
  const counting = (async () => {
    while (!answered.signal.aborted) {
      await nextTurn();
      turns += 1;
    }
  })();
  const { json } = await call(sample.service, '/v1/search?q=letter&sort=newest&limit=15', { token });
  answered.abort();
  await counting;
  expect(json.data).toHaveLength(15);
  expect(turns).toBeGreaterThanOrEqual(15);
});
