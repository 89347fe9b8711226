// Several archives as one service: how many are open, what is said of those that are not there, and what becomes of one that disappears.
import { afterEach, expect, test } from 'vitest';
import { NoArchive } from '../../../src/service/index.ts';
import { createArchiveServices, type ArchiveServices } from '../../../src/service/administration.ts';
import { ArchiveUnreadable } from '../../../src/service/store/opening-error.ts';
import { DatabaseAccessError } from '../../../src/service/store/sql/database-error.ts';
import { UnfinishedCopy, UnusableArchive } from '../../../src/service/store/sql/unusable-archive.ts';
import { ASSET_URL, sampleArchive, START, type Sample } from '../../support/archive.ts';
import { call } from '../../support/call.ts';

const samples: Sample[] = [];
let services: ArchiveServices | undefined;
afterEach(async () => {
  await services?.close();
  services = undefined;
  for (const sample of samples.splice(0)) await sample.close();
});

type Opened = { name: string; onMissing(): void };

/** Services over samples with these numbers of conversations; the archive is open as long as the sample. */
async function servicesOver(
  sizes: Record<string, number>,
  {
    failures = {},
    maxOpen = 64,
    databases = 1,
    sleep = async () => {},
  }: {
    /** What opening an archive throws: always, or as often as the list is long. */
    failures?: Record<string, unknown>;
    maxOpen?: number;
    databases?: number;
    sleep?: (ms: number) => Promise<void>;
  } = {},
) {
  const archives = new Map<string, Sample>();
  for (const [name, conversations] of Object.entries(sizes)) {
    const sample = await sampleArchive({ conversations });
    samples.push(sample);
    archives.set(name, sample);
  }
  const opened: Opened[] = [];
  const reported: string[] = [];
  let serial = 0;
  services = createArchiveServices({
    now: () => START,
    randomBytes: (count) => Buffer.alloc(count, (serial += 1)),
    readOnly: false,
    async open(name, onMissing) {
      const failure = failures[name];
      if (Array.isArray(failure) ? failure.length > 0 : failure !== undefined)
        throw Array.isArray(failure) ? failure.shift() : failure;
      const sample = archives.get(name);
      if (sample === undefined) throw new NoArchive();
      opened.push({ name, onMissing });
      return { ...sample.archive, isNew: false, close: async () => {} };
    },
    namesWithEvents: async () => [],
    check: async () => true,
    service: { assetUrl: ASSET_URL, version: '0' },
    onFailure: (_requestId, _error, name) => void reported.push(name),
    onWorkerFailure: () => {},
    maxOpen,
    databases,
    sleep,
  });
  const ask = (path: string, peer = 'local', method = 'GET') => call(services!.api, path, { peer, method });
  return { ask, opened, reported, archives, names: () => opened.map(({ name }) => name) };
}
const countOf = ({ json }: { json: any }) => json.counts.conversations;

const copied = (isMoved: boolean) => new ArchiveUnreadable(new UnfinishedCopy('x', { isMoved }));
const dropped = () => new ArchiveUnreadable(Object.assign(new Error('gone'), { code: '42P01' }));

test('an archive is opened once, and the one that was not used for longest is closed', async () => {
  const { ask, names } = await servicesOver({ a: 1, b: 2, c: 3 }, { maxOpen: 2 });
  const asked: number[] = [];
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) asked.push(countOf(await ask(`/a/${name}/api/health`)));
  expect(asked).toEqual([1, 2, 1, 3, 1, 2]);
  expect(names()).toEqual(['a', 'b', 'c', 'b']);
  expect(services!.counts()).toEqual({ open: 2, opened: 4, closed: 2 });
});

test('requests that come together open it once', async () => {
  const { ask, names } = await servicesOver({ a: 1 });
  await Promise.all(Array.from({ length: 8 }, () => ask('/a/a/api/health')));
  expect(names()).toEqual(['a']);
});

test('a client that asks for archives that are not there is limited, the owner is not', async () => {
  const { ask } = await servicesOver({ a: 1 });
  for (let at = 0; at < 300; at += 1)
    expect((await ask(`/a/none-${at}/v1/messages`, '10.0.0.1')).status).toBe(404);
  expect((await ask('/a/none/v1/messages', '10.0.0.1')).status).toBe(429);
  expect((await ask('/a/none/v1/messages')).status).toBe(404);
  expect((await ask('/a/a/api/health', '10.0.0.1')).status).toBe(200);
});

test('an archive that cannot be opened is 503 or damaged, and the operator learns it', async () => {
  const { ask, reported } = await servicesOver(
    {},
    {
      failures: {
        copied: copied(false),
        damaged: new ArchiveUnreadable(new UnusableArchive('x', { isDamaged: true })),
        elsewhere: new ArchiveUnreadable(new Error('x')),
        away: new DatabaseAccessError('unreachable', undefined, undefined),
      },
    },
  );
  const codes: unknown[] = [];
  for (const name of ['copied', 'damaged', 'elsewhere', 'away'])
    codes.push((await ask(`/a/${name}/api/health`)).json.error.code);
  expect(codes).toEqual(['store_unavailable', 'storage_damaged', 'store_unavailable', 'store_unavailable']);
  // What is being copied is no failure.
  expect(reported).toEqual(['damaged', 'elsewhere', 'away']);
});

test('one whose tables are gone is looked for again: a read is repeated, anything else is 503', async () => {
  const { ask, opened, archives, names, reported } = await servicesOver({ a: 1 });
  const { database } = archives.get('a')!.archive;
  let failures = 0;
  const get = database.get.bind(database);
  // As PostgreSQL does, the store tells that a table is missing, and fails.
  database.get = async (...given) => {
    if (failures === 0) return get(...given);
    failures -= 1;
    opened.at(-1)!.onMissing();
    throw Object.assign(new Error('gone'), { code: '42P01' });
  };
  expect((await ask('/a/a/api/health')).status).toBe(200);
  failures = 1;
  expect((await ask('/a/a/api/health')).status).toBe(200);
  expect(names()).toEqual(['a', 'a']);
  const { transaction } = database;
  database.transaction = async () => {
    database.transaction = transaction;
    opened.at(-1)!.onMissing();
    throw Object.assign(new Error('gone'), { code: '42P01' });
  };
  const body = { client_id: 'c', observer_tier: 'external', requested_tier: 'external' };
  const sent = await call(services!.api, '/a/a/api/auth/token', { body });
  expect(sent).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect((await call(services!.api, '/a/a/api/auth/token', { body })).status).toBe(200);
  expect(reported).toEqual([]);
});

test('one between the two last steps of a move is waited for, and a read of it is answered', async () => {
  const pauses: number[] = [];
  const moved = [dropped(), copied(true), copied(true)];
  const { ask, reported } = await servicesOver(
    { a: 1 },
    { failures: { a: moved }, sleep: async (ms) => void pauses.push(ms) },
  );
  expect((await ask('/a/a/api/health')).status).toBe(200);
  expect(moved).toEqual([]);
  expect(pauses).toEqual([10, 20]);
  expect(reported).toEqual([]);
});

test('one whose move was interrupted there is waited for 1.3 s at most, and is 503 with Retry-After', async () => {
  let waitedMs = 0;
  const { ask, reported } = await servicesOver(
    {},
    { failures: { a: copied(true) }, sleep: async (ms) => void (waitedMs += ms) },
  );
  expect(await ask('/a/a/api/health')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(waitedMs).toBe(1270);
  expect(reported).toEqual([]);
});

test('one that is moved to a database that was looked at before is found there', async () => {
  const failures = { none: [new NoArchive()], copy: [copied(false)], gone: [dropped()] };
  const sizes = { none: 1, copy: 1, gone: 1 };
  const { ask } = await servicesOver(sizes, {
    failures,
    databases: 2,
    sleep: () => Promise.reject(new Error('nothing is waited for')),
  });
  for (const name of Object.keys(sizes)) expect((await ask(`/a/${name}/api/health`)).status, name).toBe(200);
});

test('one that is dropped while it is opened is 404', async () => {
  const { ask, reported } = await servicesOver({}, { failures: { a: [dropped()] } });
  expect((await ask('/a/a/api/health')).status).toBe(404);
  expect(reported).toEqual([]);
});
