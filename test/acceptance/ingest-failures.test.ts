// P11 and P12: an event that cannot be stored is not acknowledged, and one of a disconnected client is stored once.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createService, openArchive } from '../../src/service/index.ts';
import { listen } from '../../src/service/http/port.ts';
import { createGroupCommit } from '../../src/service/store/events/group-commit.ts';
import { DatabaseAccessError } from '../../src/service/store/sql/database-error.ts';
import { ASSET_URL, sampleArchive, tokenFor, type Sample } from '../support/archive.ts';
import { call } from '../support/call.ts';
import { ENGINE } from '../support/engine.ts';
import { accepted, effectsOf, holdEvents, moved } from '../support/event.ts';

let sample: Sample;
let token: string;
beforeEach(async () => {
  sample = await sampleArchive({ conversations: 3, messages: 3, attachments: 0 });
  token = await tokenFor(sample.service, 'mirror');
});
afterEach(() => sample.close());

const send = (body: unknown, service = sample.service) =>
  call(service, '/api/webhooks/ingest', { token, body });
const large = (n: number) => ({
  id: `f${n}`,
  type: 'contact.flagged',
  payload: { contact: 'c', text: 'x'.repeat(60_000) },
});

test('P11 a full disk: no acknowledgement, Retry-After, and later the event is accepted', async () => {
  const { database } = sample.archive;
  const limit = (pages: number) =>
    database.transaction(async (writer) => void (await writer.all(`PRAGMA max_page_count = ${pages}`)));
  if (ENGINE === 'sqlite') {
    // The limit is the writer's own.
    const { page_count } = (await database.get<{ page_count: number }>('PRAGMA page_count'))!;
    await limit(page_count + 8);
  } else {
    await database.run(
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`,
    );
    await database.run(
      'CREATE TRIGGER full_disk BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION full_disk()',
    );
  }
  const answers = await Promise.all([1, 2, 3].map((n) => send(large(n))));
  for (const answer of answers) {
    expect(answer.json.error).toMatchObject({ code: 'store_unavailable' });
    expect(answer.json.error.message).toContain('no space');
    expect(answer.headers['retry-after']).toBe('1');
  }
  expect(await effectsOf(sample.service, token)).toEqual({});
  if (ENGINE === 'sqlite') await limit(4_294_967_294);
  else await database.run('DROP TRIGGER full_disk ON events');
  expect((await send(large(1))).json.status).toBe('queued');
  expect(await effectsOf(sample.service, token)).toEqual({ f1: 'recorded' });
});

test('P11 a stored event that cannot be applied for lack of space stays acknowledged and is applied later', async () => {
  const { database } = sample.archive;
  let isFull = true;
  const failing = {
    ...database,
    transaction: <T>(work: Parameters<typeof database.transaction<T>>[0]) =>
      database.transaction(async (statements) => {
        const watched: typeof statements = {
          ...statements,
          last: undefined,
          run: async (sql, parameters) => {
            if (isFull && sql.includes('UPDATE events'))
              throw Object.assign(new Error('full'), { errcode: 13 });
            return statements.run(sql, parameters);
          },
        };
        return work(watched);
      }),
  };
  const failures: string[] = [];
  const release = await holdEvents(sample.archive);
  const service = createService(
    { ...sample.archive, database: failing },
    { assetUrl: ASSET_URL, version: '0', onFailure: (id) => failures.push(id) },
  );
  expect((await send(moved('e1', 1, 50), service)).json.status).toBe('queued');
  expect(failures).toHaveLength(1);
  await release();
  expect(await effectsOf(sample.service, token)).toEqual({ e1: 'queued' });
  isFull = false;
  await send(moved('e2', 2, 60), service);
  expect(await effectsOf(sample.service, token)).toEqual({ e1: 'applied', e2: 'applied' });
});

test('P11 a locked database', async () => {
  let unlock = (): void => {};
  const locked = sample.archive.database.transaction(
    () => new Promise<void>((resolve) => (unlock = resolve)),
  );
  // In a process of its own, as far as the engine can tell; its waits are short.
  const { now, randomBytes } = sample.archive;
  const other = await openArchive({ ...sample.place, now, randomBytes, sleep: async () => sleep(0) });
  try {
    const service = createService(other, { assetUrl: ASSET_URL, version: '0' });
    const answer = await send(moved('e1', 1, 50), service);
    expect(answer.json.error.code).toBe('store_unavailable');
    expect(answer.headers['retry-after']).toBe('1');
    unlock();
    await locked;
    expect((await send(moved('e1', 1, 50), service)).json.status).toBe('queued');
    expect(await effectsOf(service, token)).toEqual({ e1: 'applied' });
  } finally {
    unlock();
    await other.close();
  }
});

test('P11 all requests that wait for a locked database wait together', async () => {
  const { archive } = sample;
  let tries = 0;
  const locked = {
    ...archive.database,
    transaction: () => {
      tries += 1;
      return Promise.reject(new DatabaseAccessError('busy', 'lock', undefined));
    },
  };
  const keep = createGroupCommit({ ...archive, database: locked });
  const batches = Array.from({ length: 5 }, (_, batch) =>
    Array.from({ length: 900 }, (_event, n) =>
      accepted({ id: `e${batch}_${n}`, type: 'contact.flagged', payload: { contact: 'c' } }),
    ),
  );
  const outcomes = await Promise.allSettled(batches.map((events) => keep(events)));
  expect(outcomes.map(({ status }) => status)).toEqual(batches.map(() => 'rejected'));
  expect(tries).toBe(1);
  // What was held is let go: as much as ever may wait again.
  const more = await Promise.allSettled(Array.from({ length: 20 }, () => keep(batches[0]!)));
  expect(more.map((one) => (one.status === 'rejected' ? (one.reason as Error).constructor : 'kept'))).toEqual(
    more.map(() => DatabaseAccessError),
  );
});

test('P12 the event of a client that disconnects before the acknowledgement is stored once', async () => {
  const listener = await listen(sample.service, { host: '127.0.0.1', port: 0 });
  try {
    const text = JSON.stringify(moved('e1', 1, 50));
    const head = `POST /api/webhooks/ingest HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`;
    for (let nth = 0; nth < 20; nth += 1) {
      const socket = connect(listener.port, '127.0.0.1');
      await new Promise<void>((resolve) => socket.write(head + text, () => resolve()));
      socket.resetAndDestroy();
    }
    while ((await effectsOf(sample.service, token))['e1'] !== 'applied') {
      // At least one of them was read before its reset; the last is sent by one that waits.
      await send(moved('e1', 1, 50));
    }
    const { json } = await call(sample.service, '/api/webhooks/events', { token });
    expect(json.data).toHaveLength(1);
    expect((await call(sample.service, '/messages?limit=500', { token })).json.data.at(-1)).toMatchObject({
      id: 'msg_1',
      sequence: 50,
    });
  } finally {
    await listener.close(0);
  }
});
