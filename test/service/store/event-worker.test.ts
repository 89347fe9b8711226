// The queue of events: durable before it is applied, applied once, failed ones retried and then marked dead, without delaying the others.
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Envelope } from '../../../src/contract/event.ts';
import { createService } from '../../../src/service/index.ts';
import { createDrain, startWorker } from '../../../src/service/administration.ts';
import { ASSET_URL, sampleArchive, tokenFor, type Sample } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { ENGINE } from '../../support/engine.ts';
import { effectsOf, holdEvents, moved } from '../../support/event.ts';

let sample: Sample;
let token: string;
beforeEach(async () => {
  sample = await sampleArchive({ conversations: 3, messages: 3, attachments: 3, redactEvery: 0 });
  token = await tokenFor(sample.service, 'mirror');
});
afterEach(() => sample.close());

const send = (body: unknown, service = sample.service) =>
  call(service, '/api/webhooks/ingest', { token, body });
const effects = () => effectsOf(sample.service, token);
const listed = async (query = ''): Promise<Envelope[]> =>
  (await call(sample.service, `/api/webhooks/events?limit=500${query}`, { token })).json.data;
const place = async (n: number): Promise<number> =>
  (await call(sample.service, `/messages?limit=500`, { token })).json.data.find(
    ({ id }: { id: string }) => id === `msg_${n}`,
  ).sequence;

/** The engine refuses to move this message until the second call. */
async function unmovable(n: number): Promise<() => Promise<unknown>> {
  const { database } = sample.archive;
  if (ENGINE === 'sqlite') {
    await database.run(
      `CREATE TRIGGER unmovable BEFORE UPDATE OF sequence ON messages WHEN OLD.n = ${n}
        BEGIN SELECT RAISE(ABORT, 'secret words'); END`,
    );
    return () => database.run('DROP TRIGGER unmovable');
  }
  await database.run(
    `CREATE FUNCTION unmovable() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'secret words'; END $$`,
  );
  await database.run(
    `CREATE TRIGGER unmovable BEFORE UPDATE OF sequence ON messages FOR EACH ROW WHEN (OLD.n = ${n})
      EXECUTE FUNCTION unmovable()`,
  );
  return () => database.run('DROP TRIGGER unmovable ON messages');
}

/** A service whose events nobody applies before they are answered. */
const queueing = () =>
  createService(sample.archive, { assetUrl: ASSET_URL, version: '0', worker: { wake: () => {} } });

describe('applied after the acknowledgement', () => {
  test('an event is queued behind another one, listed as such, and applied by whoever empties the queue', async () => {
    const release = await holdEvents(sample.archive);
    expect((await send(moved('e1', 1, 50), queueing())).json.status).toBe('queued');
    await release();
    expect(await listed()).toMatchObject([{ id: 'e1', effect: 'queued', status: 'partial' }]);
    expect(await place(1)).toBe(1);
    await createDrain(sample.archive)();
    expect(await effects()).toEqual({ e1: 'applied' });
    expect(await place(1)).toBe(50);
  });

  test('many workers on one queue apply each event once, in the order of arrival', async () => {
    const service = queueing();
    const release = await holdEvents(sample.archive);
    for (let n = 0; n < 120; n += 1) await send(moved(`e${n}`, (n % 9) + 1, n), service);
    await release();
    const workers = [1, 2, 3].map(() => startWorker(sample.archive));
    const drains = [1, 2].map(() => createDrain(sample.archive)());
    await Promise.all(drains);
    await Promise.all(workers.map((worker) => worker.stop()));
    const relay = await call(sample.service, '/api/sequence/mirror_relay?limit=500', { token });
    expect(relay.json).toMatchObject({ total: 120, displaced: 0 });
    const rows = await listed();
    // The last to move each of the nine is in force, and no other.
    expect(rows.filter(({ effect }) => effect === 'applied').map(({ id }) => id)).toEqual(
      Array.from({ length: 9 }, (_, n) => `e${111 + n}`),
    );
  });

  test('a worker finds what it was not woken for', async () => {
    const release = await holdEvents(sample.archive);
    await send(moved('e1', 1, 50), queueing());
    await release();
    const worker = startWorker(sample.archive);
    while ((await effects())['e1'] !== 'applied') await turn();
    await worker.stop();
  });
});

/** Pauses of so many milliseconds end only when the test ends them; others are real. */
function holdPauses(ms: number) {
  const held: AbortController[] = [];
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (asked) => {
    if (asked !== ms) return timeout.call(AbortSignal, asked);
    const pause = new AbortController();
    held.push(pause);
    return pause.signal;
  };
  const end = (): void => held.splice(0).forEach((pause) => pause.abort());
  return {
    held: () => held.length,
    end,
    restore: () => {
      AbortSignal.timeout = timeout;
      end();
    },
  };
}

test('under load a worker lets events gather: it writes at most once in 50 ms', async () => {
  const { database } = sample.archive;
  let writes = 0;
  const counting: typeof database = {
    ...database,
    tryTransaction: async <T>(work: Parameters<typeof database.tryTransaction<T>>[0]) => {
      const done = await database.tryTransaction(work);
      if (done !== undefined) writes += 1;
      return done;
    },
    transaction: <T>(work: Parameters<typeof database.transaction<T>>[0]) => {
      writes += 1;
      return database.transaction(work);
    },
  };
  const pauses = holdPauses(50);
  const worker = startWorker({ ...sample.archive, database: counting });
  const service = createService(sample.archive, { assetUrl: ASSET_URL, version: '0', worker });
  const release = await holdEvents(sample.archive);
  await send(moved('e0', 1, 0), service);
  while (pauses.held() === 0) await turn();
  const before = writes;
  expect(before).toBeGreaterThan(0);
  for (let n = 1; n < 100; n += 1) await send(moved(`e${n}`, (n % 9) + 1, n), service);
  await release();
  expect(await listed('&effect=queued')).toHaveLength(99);
  expect(writes).toBe(before);
  pauses.end();
  while ((await listed('&effect=queued')).length > 0) await turn();
  expect(writes).toBe(before + 1);
  pauses.restore();
  await worker.stop();
});

describe('an event that cannot be applied', () => {
  test('holds up no other, is tried again later, and takes effect when it can', async () => {
    const mend = await unmovable(4);
    const service = queueing();
    // The last ones are queued behind the one that fails.
    for (const n of [1, 2, 4, 5, 6]) await send(moved(`e${n}`, n, 90 + n), service);
    expect(await effects()).toEqual({
      e1: 'applied',
      e2: 'applied',
      e4: 'queued',
      e5: 'queued',
      e6: 'queued',
    });
    const drain = createDrain(sample.archive);
    await drain();
    expect(await effects()).toEqual({
      e1: 'applied',
      e2: 'applied',
      e4: 'queued',
      e5: 'applied',
      e6: 'applied',
    });
    const [failed] = await listed('&effect=queued');
    expect(failed).toMatchObject({ id: 'e4', failures: 1 });
    expect(failed?.error).toMatch(/^(Error|DatabaseError) /);
    expect(JSON.stringify(failed)).not.toContain('secret');
    await mend();
    await drain();
    expect(await effects()).toMatchObject({ e4: 'queued' });
    sample.advance(1_000);
    await drain();
    expect(await effects()).toMatchObject({ e4: 'applied' });
    expect(await place(4)).toBe(94);
  });

  test('is dead after eight tries, each after a longer pause, and is tried anew when it is delivered again', async () => {
    const mend = await unmovable(4);
    await send(moved('e4', 4, 94));
    const drain = createDrain(sample.archive);
    for (let failures = 1, pause = 1_000; failures < 8; failures += 1, pause *= 2) {
      expect(await listed('&effect=queued')).toMatchObject([{ failures }]);
      sample.advance(pause - 1);
      await drain();
      expect(await listed('&effect=queued')).toMatchObject([{ failures }]);
      sample.advance(1);
      await drain();
    }
    expect(await listed('&effect=dead')).toMatchObject([{ id: 'e4', failures: 8, status: 'partial' }]);
    sample.advance(3_600_000);
    token = await tokenFor(sample.service, 'mirror');
    await drain();
    expect(await effects()).toEqual({ e4: 'dead' });
    await mend();
    expect((await send(moved('e4', 4, 94))).json.status).toBe('queued');
    expect(await listed()).toMatchObject([{ id: 'e4', effect: 'applied', deliveries: 2 }]);
  });
});

describe('P10 a mirror that echoes', () => {
  const announced = (id: string, layer: string) => ({ id, type: 'mirror.detected', payload: { layer } });

  test('the same envelope again and again is one event', async () => {
    for (let echo = 0; echo < 700; echo += 1) expect((await send(announced('m', 'a'))).status).toBe(200);
    expect(await listed()).toMatchObject([{ id: 'm', deliveries: 700 }]);
  });

  test('new announcements of one layer are stopped, of others and other events not, and nothing is emitted', async () => {
    const one = queueing();
    const storm = await Promise.all(
      Array.from({ length: 650 }, (_, n) => send(announced(`n${n}`, 'b'), one)),
    );
    const refused = storm.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(50);
    expect(refused[0]).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    expect((await send(announced('n1', 'b'), one)).status).toBe(200);
    expect((await send(announced('c1', 'c'), one)).status).toBe(200);
    expect((await send(moved('e1', 1, 1), one)).status).toBe(200);
    sample.advance(60_000);
    expect((await send(announced('late', 'b'), one)).status).toBe(200);
    await createDrain(sample.archive)();
    const count = await sample.archive.database.get<{ n: number }>('SELECT COUNT(*) AS n FROM events');
    expect(count?.n).toBe(600 + 3);
  });
});

describe('many envelopes in one request', () => {
  const batch = (lines: unknown[] | Buffer, service = sample.service) =>
    call(service, '/api/webhooks/ingest', {
      token,
      body: Buffer.isBuffer(lines)
        ? lines
        : Buffer.from(
            lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
          ),
      headers: [['content-type', 'application/x-ndjson']],
    });

  test('each has its own outcome, in the order given', async () => {
    await send(moved('e1', 1, 5));
    const answer = await batch([
      moved('e2', 2, 6),
      '',
      '{"id":"e3"',
      moved('e1', 1, 6),
      { ...moved('e4', 1, 1), type: 'message.deleted' },
      moved('e2', 2, 6),
      moved('e2', 2, 7),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      status: 'partial',
      data: [
        { accepted: true, event_id: 'e2', type: 'message.reordered', status: 'queued' },
        { accepted: false, event_id: null, error: { code: 'event_invalid' } },
        { accepted: false, event_id: 'e1', error: { code: 'event_conflict' } },
        { accepted: false, event_id: 'e4', error: { code: 'event_type_unknown' } },
        { accepted: true, event_id: 'e2' },
        { accepted: false, event_id: 'e2', error: { code: 'event_conflict' } },
      ],
    });
    expect(await effects()).toEqual({ e1: 'applied', e2: 'applied' });
    expect((await listed())[1]).toMatchObject({ deliveries: 2 });
  });

  test('one that is not accepted is named by its id if the id is valid', async () => {
    const { json } = await batch([
      { ...moved('e1', 1, 5), payload: {} },
      { id: 'e2' },
      ...['', 'x'.repeat(201), 'a\u0007', 7].map((id) => ({ ...moved('', 1, 5), id })),
      ['e3'],
      'null',
    ]);
    expect(json.data.map(({ event_id }: { event_id: unknown }) => event_id)).toEqual([
      'e1',
      'e2',
      ...Array.from({ length: 6 }, () => null),
    ]);
  });

  test.each([
    ['a lone byte', [0xff]],
    ['a letter that the end of its line cuts', [0xe3, 0x81]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ])('%s makes its line alone no JSON; a mark at the start is passed over', async (_what, bytes) => {
    const mark = Buffer.from('\ufeff');
    const line = (id: string) =>
      Buffer.from(JSON.stringify({ id, type: 'contact.flagged', payload: { contact: 'é \ufffd' } }));
    const broken = Buffer.concat([Buffer.from('{"id":"e2","type":"'), Buffer.from(bytes)]);
    const marked = Buffer.concat([mark, line('e2')]);
    for (const wrong of [[broken], [marked], [broken, marked]]) {
      const lines = [Buffer.concat([mark, line('e1')]), Buffer.from(''), ...wrong, line('e3')];
      const body = Buffer.concat(lines.flatMap((each) => [each, Buffer.from('\r\n')]));
      const { status, json } = await batch(body);
      expect(status).toBe(200);
      expect(json.data).toMatchObject([
        { accepted: true, event_id: 'e1' },
        ...wrong.map(() => ({ accepted: false, event_id: null, error: { code: 'event_invalid' } })),
        { accepted: true, event_id: 'e3' },
      ]);
    }
    expect((await listed()).map(({ payload }) => payload)).toEqual([
      { contact: 'é \ufffd' },
      { contact: 'é \ufffd' },
    ]);
  });

  test('P5 a thousand at most, a MiB at most, and at least one', async () => {
    const many = Array.from({ length: 1_001 }, (_, n) => moved(`e${n}`, 1, n));
    expect((await batch(many)).json.error.code).toBe('payload_too_large');
    expect((await batch([' '.repeat(1024 * 1024 + 1)])).json.error.code).toBe('payload_too_large');
    expect((await batch(['', ' '])).json.error.code).toBe('event_invalid');
    expect(await effects()).toEqual({});
    expect((await batch(many.slice(1))).json.status).toBe('queued');
    expect(await effects()).toMatchObject({ e1: 'superseded', e500: 'superseded' });
    expect(await place(1)).toBe(1_000);
  });
});

test('what cannot be kept in memory is refused until there is room', async () => {
  const service = queueing();
  const text = 'x'.repeat(900_000);
  const big = (n: number) => ({ id: `b${n}`, type: 'contact.flagged', payload: { contact: 'c', text } });
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => send(big(n), service)));
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(10);
  expect(refused[0]).toMatchObject({ headers: { 'retry-after': '1' } });
  expect(answers.length - refused.length).toBeGreaterThan(60);
  expect((await send(big(1_000), service)).status).toBe(200);
});
