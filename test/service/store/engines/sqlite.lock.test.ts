// Another process's write lock: waited for without stopping this one, for no longer than five seconds, and not by reads.
import { DatabaseSync } from '@photostructure/sqlite';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createService, openArchive, type OpenArchive } from '../../../../src/service/index.ts';
import { ASSET_URL } from '../../../support/archive.ts';
import { call } from '../../../support/call.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { expectApiError } from '../../../support/reply.ts';

let dir: string;
let archive: OpenArchive;
let other: InstanceType<typeof DatabaseSync>;
let slept: number[];
/** What happens at each sleep. */
let atSleep: () => Promise<void>;

beforeEach(() => void (dir = tempFolder('lock')));
beforeEach(async () => {
  slept = [];
  atSleep = turn;
  const sleep = (ms: number) => (slept.push(ms), atSleep());
  archive = await openArchive({ dir, now: () => 0, randomBytes, sleep });
  other = new DatabaseSync(join(dir, 'archive.db'), { timeout: 0 });
  other.exec('BEGIN IMMEDIATE');
});
afterEach(async () => {
  if (other.isTransaction) other.exec('ROLLBACK');
  other.close();
  await archive.close();
});

const start = () => createService(archive, { assetUrl: ASSET_URL, version: '0' });
const body = { client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' };
const total = () => slept.reduce((sum, ms) => sum + ms, 0);

test('three requests behind one lock give up together after five seconds, each with a hint to try again', async () => {
  const service = start();
  const answers = await Promise.all([1, 2, 3].map(() => call(service, '/api/auth/token', { body })));
  for (const answer of answers) {
    expectApiError(answer, 'store_unavailable');
    expect(answer.headers['retry-after']).toBe('1');
  }
  expect(total()).toBeGreaterThanOrEqual(5_000);
  expect(total()).toBeLessThan(5_200);
  expect([slept[0], slept[1], slept.at(-1)]).toEqual([20, 40, 200]);
});

test('reads are answered while a write waits, and the write goes through when the lock goes', async () => {
  const service = start();
  let wake!: () => void;
  const waits = new Promise<void>((waiting) => {
    atSleep = () => (waiting(), new Promise((resolve) => (wake = resolve)));
  });
  const token = call(service, '/api/auth/token', { body });
  await waits;
  // Nothing is counted yet, so the answer to health would like to keep its count.
  expect((await call(service, '/api/health')).status).toBe(200);
  other.exec('ROLLBACK');
  wake();
  expect((await token).status).toBe(200);
  expect(slept).toEqual([20]);
});

test('a read neither waits for a lock nor for a writer of this process', async () => {
  expect((await call(start(), '/api/health')).status).toBe(200);
  expect(slept).toEqual([]);
  other.exec('ROLLBACK');
  await archive.database.transaction(async () => {
    expect(await archive.database.tryTransaction(async () => 1)).toBeUndefined();
  });
  expect(await archive.database.tryTransaction(async () => 1)).toBe(1);
});

test('statements without a transaction wait too', async () => {
  const run = () => archive.database.run("INSERT INTO meta VALUES ('a', 'b')");
  await expect(run()).rejects.toMatchObject({ errcode: 5 });
  slept.length = 0;
  atSleep = async () => {
    if (slept.length === 3) other.exec('ROLLBACK');
  };
  expect(await run()).toBe(1);
  expect(slept).toEqual([20, 40, 80]);
});

test('an archive that another process is making is waited for', async () => {
  const fresh = join(dir, 'fresh');
  const maker = await openArchive({ dir: fresh, now: () => 0, randomBytes, sleep: async () => {} });
  const versions = await maker.database.all<{ version: number }>('SELECT version FROM migrations');
  await maker.database.run('DROP TABLE migrations');
  const holder = new DatabaseSync(join(fresh, 'archive.db'), { timeout: 0 });
  holder.exec('BEGIN IMMEDIATE; CREATE TABLE migrations (version INTEGER PRIMARY KEY)');
  for (const { version } of versions) holder.exec(`INSERT INTO migrations VALUES (${version})`);
  const late = await openArchive({
    dir: fresh,
    now: () => 0,
    randomBytes,
    sleep: async () => void (holder.isTransaction && holder.exec('COMMIT')),
  });
  expect(await late.database.all('SELECT version FROM migrations')).toEqual(versions);
  holder.close();
  await Promise.all([maker.close(), late.close()]);
});
