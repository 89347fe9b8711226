// Events: validated, stored once, with the same outcome in any order of arrival (interface 6, group P).
import { setImmediate as turn } from 'node:timers/promises';
import { fc, test as property } from '@fast-check/vitest';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ERROR_STATUS } from '../../../src/contract/error.ts';
import { EVENT_TYPES } from '../../../src/contract/event-types.ts';
import { checkEvents } from '../../../src/service/fsck/events.ts';
import { createFindings } from '../../../src/service/fsck/findings.ts';
import { createService } from '../../../src/service/index.ts';
import { createDrain, revokeTokens } from '../../../src/service/administration.ts';
import { createGroupCommit } from '../../../src/service/store/events/group-commit.ts';
import { queueWaiting } from '../../../src/service/store/events/store-events.ts';
import type { Row, Value } from '../../../src/service/store/sql/database.ts';
import { SUMMARY_STATE } from '../../../src/service/store/sql/prepared-texts.ts';
import { ASSET_URL, insert, sampleArchive, tokenFor, type Sample } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { ENGINE, planOf } from '../../support/engine.ts';
import { accepted, effectsOf, moved, type Sent } from '../../support/event.ts';
import { jsonDocument } from '../../support/json-documents.ts';
import { runs } from '../../support/runs.ts';

let sample: Sample;
let token: string;

beforeEach(async () => {
  sample = await sampleArchive({ conversations: 3, messages: 3, attachments: 3, redactEvery: 0 });
  token = await tokenFor(sample.service, 'mirror');
});
afterEach(() => sample.close());

const send = (body: unknown) => call(sample.service, '/api/webhooks/ingest', { token, body });
const get = async (target: string) => (await call(sample.service, target, { token })).json;
const effects = () => effectsOf(sample.service, token);
const order = async () => {
  const { data } = await get('/messages?limit=500');
  return data.map(({ id }: { id: string }) => Number(id.slice(4)));
};

describe('P6 invalid events are refused with the path, and nothing is stored', () => {
  const good = moved('e1', 1, 5);
  const BAD: [body: unknown, code: 'event_invalid' | 'event_type_unknown', path: string][] = [
    [[], 'event_invalid', '$'],
    [null, 'event_invalid', '$'],
    ['text', 'event_invalid', '$'],
    [{}, 'event_invalid', 'id'],
    [{ ...good, id: undefined }, 'event_invalid', 'id'],
    [{ ...good, id: '' }, 'event_invalid', 'id'],
    [{ ...good, id: 7 }, 'event_invalid', 'id'],
    [{ ...good, id: 'x'.repeat(201) }, 'event_invalid', 'id'],
    [{ ...good, id: 'x'.repeat(1_000_000) }, 'event_invalid', 'id'],
    [{ ...good, id: 'a\nb' }, 'event_invalid', 'id'],
    [{ ...good, id: 'a\0b' }, 'event_invalid', 'id'],
    [{ ...good, id: 'a\u202eb' }, 'event_invalid', 'id'],
    [{ ...good, id: 'a\ud800' }, 'event_invalid', 'id'],
    [{ ...good, type: undefined }, 'event_invalid', 'type'],
    [{ ...good, payload: undefined }, 'event_invalid', 'payload'],
    [{ ...good, payload: [] }, 'event_invalid', 'payload'],
    [{ ...good, payload: 'x' }, 'event_invalid', 'payload'],
    [{ ...good, type: 'message.deleted' }, 'event_type_unknown', 'type'],
    [{ ...good, type: 'toString', payload: {} }, 'event_type_unknown', 'type'],
    [{ ...good, payload: { ...good.payload, sequence: '5' } }, 'event_invalid', 'payload.sequence'],
    [{ ...good, payload: { ...good.payload, sequence: 1.5 } }, 'event_invalid', 'payload.sequence'],
    [{ ...good, payload: { ...good.payload, sequence: -1 } }, 'event_invalid', 'payload.sequence'],
    [{ ...good, payload: { ...good.payload, sequence: 1e300 } }, 'event_invalid', 'payload.sequence'],
    [{ ...good, payload: { id: 'msg_1', sequence: 5 } }, 'event_invalid', 'payload.entry'],
    [{ ...good, type: 'mirror.detected' }, 'event_invalid', 'payload.layer'],
    [{ ...good, type: 'contact.flagged', payload: {} }, 'event_invalid', 'payload.contact'],
    [{ ...good, type: 'sequence.diverged', payload: { name: 'x' } }, 'event_invalid', 'payload.drift_ratio'],
    [
      { ...good, type: 'attachment.reclassified', payload: { id: 'att_1', source: 1 } },
      'event_invalid',
      'payload.source',
    ],
    [
      { ...good, type: 'attachment.reclassified', payload: { id: 'att_1', source: 'a\0' } },
      'event_invalid',
      'payload.source',
    ],
    [{ ...good, payload: { ...good.payload, deep: nested(40) } }, 'event_invalid', 'payload'],
  ];
  test.each(BAD)('%.120j', async (body, code, path) => {
    const answer = await send(body);
    expect(answer.json.error.code).toBe(code);
    expect(answer.status).toBe(ERROR_STATUS[code]);
    expect(answer.json.error.message.split(':')[0]).toBe(path);
    expect(await effects()).toEqual({});
  });

  test('a body that is not JSON, of 100,000 levels, or not UTF-8', async () => {
    const headers = [['content-type', 'application/json'] as const];
    const deep = `{"id":"d","type":"mirror.detected","payload":{"layer":"x","deep":${'['.repeat(1e5)}${']'.repeat(1e5)}}}`;
    for (const body of ['', '{', deep, '\ufeff', '{"id":"\xff"'].map((text) => Buffer.from(text, 'latin1'))) {
      const answer = await call(sample.service, '/api/webhooks/ingest', { token, body, headers });
      expect(answer.json.error.code).toBe('event_invalid');
    }
    expect(await effects()).toEqual({});
  });

  test.each([
    ['sequence.diverged', '{"name":"x","drift_ratio":1e400}', 'payload.drift_ratio'],
    [
      'message.reordered',
      '{"id":"msg_1","entry":"entry_1","sequence":4.99999999999999999999}',
      'payload.sequence',
    ],
    ['message.reordered', '{"id":"msg_1","entry":"entry_1","sequence":9007199254740993}', 'payload.sequence'],
    [
      'message.reordered',
      '{"id":"msg_1","entry":"entry_1","sequence":9007199254740991.1}',
      'payload.sequence',
    ],
    ['mirror.detected', '{"layer":"x","a":1e400}', 'payload.a'],
    ['mirror.detected', '{"layer":"x","a":[0,{"b":-1e999}]}', 'payload.a.1.b'],
    ['mirror.detected', '{"layer":"x","a":1e-1000000000000000}', 'payload.a'],
    [
      'mirror.detected',
      `{"layer":"x","${'k'.repeat(1000)}":1e-${'9'.repeat(400)}}`,
      `payload.${'k'.repeat(192)}…`,
    ],
    ['mirror.detected', `{"layer":1e400,"deep":${'['.repeat(40)}${']'.repeat(40)}}`, 'payload.layer'],
    ['mirror.detected', `{"layer":"x","a":1e-400,"deep":${'['.repeat(40)}${']'.repeat(40)}}`, 'payload'],
    ['mirror.detected', `{"layer":"x","a":1e-400,"deep":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, '$'],
  ])('a number that would have to be rounded, or cannot be compared (%#)', async (type, payload, path) => {
    const headers = [['content-type', 'application/json'] as const];
    const body = Buffer.from(`{"id":"e1","type":"${type}","payload":${payload}}`);
    const answer = await call(sample.service, '/api/webhooks/ingest', { token, body, headers });
    expect(answer.json.error.code).toBe('event_invalid');
    expect(answer.json.error.message.split(':')[0]).toBe(path);
    expect(await effects()).toEqual({});
  });

  test.each([
    ['{"layer":"x","a":1,"a":1}', '$: two values for the key "a"'],
    ['{"layer":"x","\\u006cayer":"y"}', '$: two values for the key "layer"'],
    ['{"layer":"x"},"id":"e2"', '$: two values for the key "id"'],
  ])('O4 X4 a payload that parsers read in different ways: %s', async (payload, message) => {
    const headers = [['content-type', 'application/json'] as const];
    const line = `{"id":"e1","type":"mirror.detected","payload":${payload}}`;
    const answer = await call(sample.service, '/api/webhooks/ingest', {
      token,
      body: Buffer.from(line),
      headers,
    });
    expect([answer.status, answer.json.error]).toMatchObject([400, { code: 'event_invalid', message }]);
    const batch = await call(sample.service, '/api/webhooks/ingest', {
      token,
      body: Buffer.from(line),
      headers: [['content-type', 'application/x-ndjson']],
    });
    expect(batch.json.data).toMatchObject([{ accepted: false, error: { code: 'event_invalid', message } }]);
    expect(await effects()).toEqual({});
  });

  test('every known type is accepted', async () => {
    const payloads: Record<string, Record<string, unknown>> = {
      'message.reordered': moved('x', 1, 1).payload,
      'attachment.reclassified': { id: 'att_1' },
      'contact.flagged': { contact: 'c', trust: 'low', extra: { kept: [1, null] } },
      'sequence.diverged': { name: 'arc_reconstruction', drift_ratio: 0.21 },
      'mirror.detected': { layer: 'relay' },
    };
    for (const type of EVENT_TYPES) {
      expect((await send({ id: type, type, payload: payloads[type] })).json.accepted).toBe(true);
    }
    const { data } = await get('/api/webhooks/events');
    expect(data.map(({ type }: Sent) => type)).toEqual(EVENT_TYPES);
    expect(data[2].payload).toEqual(payloads['contact.flagged']);
    expect(data.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('each event is stored once', () => {
  test('P1 the same event 1,000 times at once: one row, equal acknowledgements, one effect', async () => {
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => send(moved('e1', 1, 50))));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const { data } = await get('/api/webhooks/events');
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ id: 'e1', deliveries: 1_000, effect: 'applied', status: 'stable' });
    expect((await get('/messages?starting_after=msg_9')).data[0]).toMatchObject({
      id: 'msg_1',
      sequence: 50,
    });
  });

  test('P2 the same body in another order of keys is the same event, another body is a conflict', async () => {
    await send({
      id: 'e1',
      type: 'contact.flagged',
      payload: { contact: 'a', trust: 'low', more: { x: 1, y: 2 } },
    });
    const again = {
      payload: { more: { y: 2, x: 1.0 }, trust: 'low', contact: 'a' },
      type: 'contact.flagged',
      id: 'e1',
    };
    expect((await send(again)).status).toBe(200);
    for (const other of [
      { ...again, payload: { ...again.payload, trust: 'high' } },
      { ...again, payload: { contact: 'a', trust: 'low' } },
      { id: 'e1', type: 'mirror.detected', payload: { layer: 'x' } },
    ]) {
      const refused = await send(other);
      expect(refused.status).toBe(409);
      expect(refused.json.error.code).toBe('event_conflict');
    }
    const { data } = await get('/api/webhooks/events');
    expect(data).toMatchObject([{ deliveries: 2, effect: 'recorded' }]);
  });

  test('ids of any characters are found again among many', async () => {
    const ids = ['"', "'", '\\', '\\"', 'a,b', '{a,b}', 'NULL', '$1', '?', 'é', 'e\u0301', '💌', ' ', '[]'];
    const all = [...ids, ...Array.from({ length: 100 }, (_, n) => `evt_${n}`)].map((id) => ({
      id,
      type: 'contact.flagged',
      payload: { contact: id, text: `${id} \\\\u0000` },
    }));
    const body = all.map((event) => JSON.stringify(event)).join('\n');
    const post = (text: string) =>
      call(sample.service, '/api/webhooks/ingest', {
        token,
        body: Buffer.from(text),
        headers: [['content-type', 'application/x-ndjson']],
      });
    expect((await post(body)).json.status).toBe('queued');
    expect((await post(body)).json.status).toBe('queued');
    const { data } = await get('/api/webhooks/events?limit=500');
    expect(data.map(({ id }: { id: string }) => id)).toEqual(all.map(({ id }) => id));
    expect(data.map(({ payload }: { payload: unknown }) => payload)).toEqual(
      all.map(({ payload }) => payload),
    );
    expect(data.every(({ deliveries }: { deliveries: number }) => deliveries === 2)).toBe(true);
    const other = await post(body.replaceAll('"contact":"', '"contact":"x'));
    expect(other.json.data.map(({ error }: { error: { code: string } }) => error.code)).toEqual(
      all.map(() => 'event_conflict'),
    );
  });

  test('events that arrive during a write share one transaction', async () => {
    const { archive } = sample;
    let transactions = 0;
    const database = {
      ...archive.database,
      transaction: <T>(work: Parameters<typeof archive.database.transaction<T>>[0]) => {
        transactions += 1;
        return archive.database.transaction(work);
      },
    };
    let other: Promise<void> = Promise.resolve();
    const unlock = await new Promise<() => void>((locked) => {
      other = archive.database.transaction(() => new Promise<void>(locked));
    });
    const keep = createGroupCommit({ ...archive, database });
    const kept: ReturnType<typeof keep>[] = [];
    for (let n = 0; n < 20; n += 1) {
      kept.push(keep([accepted({ id: `e${n}`, type: 'contact.flagged', payload: { contact: 'c' } })]));
      await turn();
    }
    unlock();
    await other;
    expect(await Promise.all(kept)).toEqual(kept.map(() => ({ errors: [undefined], hasQueued: false })));
    expect(transactions).toBe(1);
    const { data } = await get('/api/webhooks/events?limit=500');
    expect(data.map(({ id }: { id: string }) => id)).toEqual(kept.map((_, n) => `e${n}`));
  });

  test('an event of a mirror layer counts once, however often its transaction is tried', async () => {
    const { archive } = sample;
    let failures = 2;
    const database: typeof archive.database = {
      ...archive.database,
      transaction: (work) =>
        archive.database.transaction(async (statements) => {
          const stored = await work(statements);
          failures -= 1;
          if (failures >= 0) throw new Error('a statement failed');
          return stored;
        }),
    };
    const keep = createGroupCommit({ ...archive, database });
    const mirrors = (name: string, count: number) =>
      Array.from({ length: count }, (_, n) =>
        accepted({ id: `${name}${n}`, type: 'mirror.detected', payload: { layer: 'x' } }),
      );
    const codesOf = async (events: ReturnType<typeof mirrors>) =>
      new Set((await keep(events)).errors.map((error) => error?.code));
    // Applied, then queued, then stored for each caller alone.
    const answers = await Promise.all([codesOf(mirrors('a', 399)), codesOf(mirrors('b', 1))]);
    expect(answers).toEqual([new Set([undefined]), new Set([undefined])]);
    expect(await codesOf(mirrors('c', 200))).toEqual(new Set([undefined]));
    expect(await codesOf(mirrors('d', 1))).toEqual(new Set(['rate_limited']));
  });

  test('the state of the archive is read once a second, not for each event', async () => {
    const { archive } = sample;
    let reads = 0;
    let now = archive.now();
    const database = {
      ...archive.database,
      dataVersion: () => {
        reads += 1;
        return archive.database.dataVersion?.() ?? Number.NaN;
      },
    };
    const service = createService(
      { ...archive, database, now: () => now },
      { assetUrl: ASSET_URL, version: '0' },
    );
    const readsOfOne = async (id: string) => {
      const before = reads;
      const body = { id, type: 'contact.flagged', payload: { contact: 'c' } };
      const { status, headers } = await call(service, '/api/webhooks/ingest', { token, body });
      expect([status, Number(headers['x-integrity'])]).toEqual([200, expect.closeTo(0.99, 1)]);
      return reads - before;
    };
    expect(await readsOfOne('e1')).toBe(1);
    expect(await readsOfOne('e2')).toBe(0);
    now += 1_000;
    expect(await readsOfOne('e3')).toBe(1);
  });

  test.each([
    ['is as old as its beginning', 4_000, false],
    ['does not replace a newer state', 0, true],
  ])('a slow read of the state %s: no event comes with a revoked token', async (_, tookMs, isReadAgain) => {
    const { archive } = sample;
    let now = archive.now();
    /** Takes what ends the next read of the state, once it was read. */
    let hold: ((release: () => void) => void) | undefined;
    const database: typeof archive.database = {
      ...archive.database,
      get: async <T extends Row>(sql: string, parameters?: readonly Value[]) => {
        const row = await archive.database.get<T>(sql, parameters);
        const held = sql === SUMMARY_STATE ? hold : undefined;
        if (held === undefined) return row;
        hold = undefined;
        await new Promise<void>(held);
        return row;
      },
    };
    const service = createService(
      { ...archive, database, now: () => now },
      { assetUrl: ASSET_URL, version: '0' },
    );
    const statusOf = async (id: string) => {
      const body = { id, type: 'contact.flagged', payload: { contact: 'c' } };
      return (await call(service, '/api/webhooks/ingest', { token, body })).status;
    };
    expect(await statusOf('e1')).toBe(200);
    const reading = new Promise<() => void>((resolve) => (hold = resolve));
    const slow = call(service, '/v1/conversations', { token });
    const release = await reading;
    await revokeTokens(archive, () => true);
    now += tookMs;
    if (isReadAgain) expect((await call(service, '/api/health')).status).toBe(200);
    release();
    // It arrived before the revocation.
    expect((await slow).status).toBe(200);
    expect(await statusOf('e2')).toBe(401);
  });

  test('P11 an event is acknowledged only after its commit', async () => {
    const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
    const { database } = sample.archive;
    const failing = {
      ...database,
      transaction: <T>(work: Parameters<typeof database.transaction<T>>[0]) =>
        database.transaction(async (statements) => {
          await work(statements);
          throw full;
        }),
    };
    const service = createService(
      { ...sample.archive, database: failing },
      { assetUrl: ASSET_URL, version: '0' },
    );
    const answer = await call(service, '/api/webhooks/ingest', { token, body: moved('e1', 1, 50) });
    expect(answer.json.error.code).toBe('store_unavailable');
    expect(answer.headers['retry-after']).toBe('1');
    expect(await effects()).toEqual({});
    expect(await order()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});

test('a page ends before its payloads are above 8 MiB, in both directions', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `large${n}`);
  for (const id of ids)
    await send({ id, type: 'contact.flagged', payload: { contact: 'c', more: 'ä'.repeat(450_000) } });
  const page = (query: string) => get(`/api/webhooks/events?limit=500${query}`);
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
  const [first, last] = [await page(''), await page('&ending_before=large19')];
  expect([idsOf(first), first.has_more]).toEqual([ids.slice(0, 9), true]);
  expect([idsOf(last), last.has_more]).toEqual([ids.slice(10, 19), true]);
  const seen: string[] = [];
  for (let after = ''; ;) {
    const { data, has_more } = await page(after);
    seen.push(...idsOf({ data }));
    if (has_more !== true || seen.length > ids.length) break;
    after = `&starting_after=${seen.at(-1)}`;
  }
  expect(seen).toEqual(ids);
  const size = await sample.archive.database.get<{ bytes: number }>(
    'SELECT OCTET_LENGTH(payload) AS bytes FROM events WHERE n = 1',
  );
  expect(size?.bytes).toBeGreaterThan(900_000);
});

describe('X4 a payload is kept as it was sent, byte for byte', () => {
  const post = (text: string, type = 'application/json') =>
    call(sample.service, '/api/webhooks/ingest', {
      token,
      body: Buffer.from(text),
      headers: [['content-type', type]],
    });
  const list = async () => (await call(sample.service, '/api/webhooks/events?limit=500', { token })).text;
  const flagged = (id: string, value: string) =>
    `{"payload" : {"more":${value} ,"contact": "c"}, "id":"${id}","type":"contact.flagged"}`;

  property.prop([fc.array(jsonDocument, { minLength: 1, maxLength: 20 })], {
    numRuns: runs({ quick: 10, long: 25 }),
  })('and listed, by both forms of request', async (values) => {
    const start = Object.keys(await effects()).length;
    for (const [at, value] of values.entries())
      expect((await post(flagged(`one${start + at}`, value))).status).toBe(200);
    const lines = values.map((value, at) => flagged(`line${start + at}`, value.replaceAll('\n', ' ')));
    expect((await post(lines.join('\n'), 'application/x-ndjson')).json.status).toBe('queued');
    const text = await list();
    for (const [at, value] of values.entries()) {
      const shown = (id: string, each: string) =>
        `{"id":"${id}","type":"contact.flagged","status":"stable","payload":{"more":${each} ,"contact": "c"},`;
      expect(text).toContain(shown(`one${start + at}`, value));
      expect(text).toContain(shown(`line${start + at}`, value.replaceAll('\n', ' ')));
    }
    // The archive holds what the check of the archive expects.
    const findings = createFindings();
    await checkEvents(sample.archive, { after: 0, to: start + 2 * values.length }, findings);
    expect(findings.report('sqlite', 'folder').findings).toEqual([]);
    await sample.archive.database.run('DELETE FROM events');
  });

  test('the first delivery is kept, another spelling is the same event, another number is not', async () => {
    expect((await post(flagged('e', '1.50'))).status).toBe(200);
    expect((await post(flagged('e', '15e-1'))).status).toBe(200);
    expect((await post(flagged('e', '1.5000000000000000001'))).status).toBe(409);
    expect((await post(flagged('f', '9007199254740993'))).status).toBe(200);
    expect((await post(flagged('f', '9007199254740992'))).status).toBe(409);
    const text = await list();
    expect(text).toContain('"payload":{"more":1.50 ,"contact": "c"},');
    expect(text).toContain('"payload":{"more":9007199254740993 ,"contact": "c"},');
    expect(JSON.parse(text).data).toMatchObject([{ deliveries: 2 }, { deliveries: 1 }]);
  });

  test('a payload in which one space was changed is damaged, and one of an earlier version is as it was', async () => {
    await post(flagged('e', '1'));
    await sample.archive.database.run(
      `INSERT INTO events (n, id, type, payload, body_sha256, received_ms, deliveries, effect)
        VALUES (2, 'old', 'mirror.detected', $1, $2, 0, 1, 'recorded')`,
      [
        '{"a":1,"layer":"x"}',
        accepted({ id: 'old', type: 'mirror.detected', payload: { layer: 'x', a: 1 } }).bodySha256,
      ],
    );
    expect((await post('{"id":"old","type":"mirror.detected","payload":{"layer":"x","a":1.0}}')).status).toBe(
      200,
    );
    expect(await list()).toContain('"payload":{"a":1,"layer":"x"}');
    await sample.archive.database.run(`UPDATE events SET payload = REPLACE(payload, ': "c"', ':  "c"')`);
    expect((await get('/api/webhooks/events')).data).toMatchObject([
      { id: 'e', status: 'partial', payload: {}, error: expect.stringContaining('damaged') },
      { id: 'old', status: 'stable', payload: { a: 1, layer: 'x' }, deliveries: 2 },
    ]);
  });
});

describe('effects', () => {
  test('message.reordered moves the message, in lists, lore, integrity and sequence', async () => {
    await send(moved('e1', 4, 0));
    expect(await order()).toEqual([4, 1, 2, 3, 5, 6, 7, 8, 9]);
    // msg_4 answers msg_1 and now stands before it.
    const lore = await get('/api/content/msg_4?view=lore');
    expect(lore.data).toMatchObject({ sequence_status: 'non_linear', integrity: 0.8333 });
    const arc = await get('/api/sequence/arc_reconstruction');
    expect(arc).toMatchObject({ total: 9, displaced: 1, status: 'partial' });
    expect(arc.data[3]).toMatchObject({
      entry: 'entry_4',
      reported: 0,
      checked: 4,
      offset: -4,
      status: 'partial',
    });
    expect(arc.integrity).toBeLessThan(1);
    // The answer to msg_4 is still in order; back in its place msg_4 is too.
    expect((await get('/api/content/msg_7?view=lore')).data).toMatchObject({ sequence_status: 'linear' });
    await send(moved('e2', 4, 4));
    expect((await get('/api/content/msg_4?view=lore')).data).toMatchObject({
      sequence_status: 'linear',
      integrity: 1,
    });
    expect((await get('/api/sequence/arc_reconstruction')).displaced).toBe(0);
  });

  test('a parent that moves after its replies changes their checks', async () => {
    await send(moved('e1', 1, 6));
    expect((await get('/api/content/msg_4?view=lore')).data).toMatchObject({ sequence_status: 'non_linear' });
    expect((await get('/api/content/msg_7?view=lore')).data).toMatchObject({ sequence_status: 'linear' });
  });

  test('attachment.reclassified sets source and layer', async () => {
    const body = {
      id: 'r1',
      type: 'attachment.reclassified',
      payload: { id: 'att_1', source: 'local', decorative_layer: true },
    };
    await send(body);
    expect(await get('/v1/attachments/att_1')).toMatchObject({ source: 'local', decorative_layer: true });
    expect(await effects()).toEqual({ r1: 'applied' });
  });

  test('an envelope that names two records moves neither', async () => {
    await send({
      id: 'e1',
      type: 'message.reordered',
      payload: { id: 'msg_1', entry: 'entry_2', sequence: 9 },
    });
    expect(await effects()).toEqual({ e1: 'recorded' });
    expect(await order()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('P3 an event for an unknown record waits, and applies when the record is there', async () => {
    await send(moved('e2', 10, 0));
    await send(moved('e1', 10, 3));
    await send({ id: 'odd', type: 'message.reordered', payload: { id: 'never', entry: 'x', sequence: 1 } });
    await send({ id: 'r1', type: 'attachment.reclassified', payload: { id: 'att_4', source: 'local' } });
    expect(await effects()).toEqual({ e2: 'waiting', e1: 'waiting', odd: 'waiting', r1: 'waiting' });
    const relay = await get('/api/sequence/mirror_relay');
    expect(relay).toMatchObject({ total: 4, displaced: 0 });
    expect(relay.data[0]).toMatchObject({ entry: 'e2', message_id: 'msg_10', status: 'partial', offset: 0 });
    await sample.archive.database.transaction(async (statements) => {
      await insert(statements, 'messages', {
        n: 10,
        conversation: 1,
        parent: null,
        sequence: 10,
        format: 'file',
        source: 'local',
        classification: 'seed_token',
        raw_sha256: 'x',
        raw_bytes: 0,
        attachments: 0,
        tier: 'external',
        path: 'x',
        position: 0,
      });
      await queueWaiting(statements);
    });
    await createDrain(sample.archive)();
    expect(await effects()).toEqual({ e2: 'superseded', e1: 'applied', odd: 'waiting', r1: 'waiting' });
    expect(await order()).toEqual([1, 2, 3, 10, 4, 5, 6, 7, 8, 9]);
    await send({ id: 'm1', type: 'mirror.detected', payload: { layer: 'x' } });
    const after = await get('/api/sequence/mirror_relay');
    expect(after.data.map(({ offset }: { offset: number }) => offset)).toEqual([0, 0, 0, 0, 2]);
    expect(after).toMatchObject({ total: 5, displaced: 1 });
  });

  test('P9 the event that arrived last counts: no id and no position fixes a message', async () => {
    await send(moved('💌'.repeat(100), 4, Number.MAX_SAFE_INTEGER));
    await send(moved('~~~', 4, 20));
    await send(moved('!', 4, 0));
    expect(await order()).toEqual([4, 1, 2, 3, 5, 6, 7, 8, 9]);
    expect(Object.values(await effects())).toEqual(['superseded', 'superseded', 'applied']);
    // The same event once more has its first place.
    await send(moved('~~~', 4, 20));
    expect(await order()).toEqual([4, 1, 2, 3, 5, 6, 7, 8, 9]);
  });

  test('an event that is applied late does not overwrite one that arrived after it', async () => {
    await send(moved('a', 4, 0));
    await send(moved('b', 4, 6));
    await send({ id: 'r', type: 'attachment.reclassified', payload: { id: 'att_1', source: 'x' } });
    await send({ id: 's', type: 'attachment.reclassified', payload: { id: 'att_1', source: 'y' } });
    // As after failed attempts.
    await sample.archive.database.run(
      `UPDATE events SET effect = 'queued', failures = 1, applied = NULL WHERE id IN ('a', 'r')`,
    );
    await createDrain(sample.archive)();
    expect(await order()).toEqual([1, 2, 3, 5, 4, 6, 7, 8, 9]);
    expect(await get('/v1/attachments/att_1')).toMatchObject({ source: 'y' });
    expect(await effects()).toEqual({ a: 'superseded', b: 'applied', r: 'superseded', s: 'applied' });
  });

  /** Events that wait for message `first`, `first + 1`, …, written to the store directly. */
  const wait = async (count: number, first: number) => {
    await sample.archive.database.run(
      `WITH RECURSIVE many (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM many WHERE i < $1 - 1)
        INSERT INTO events (n, id, type, payload, body_sha256, received_ms, deliveries, effect, message)
        SELECT i + 1, 'w' || CAST(i AS TEXT), 'message.reordered', '{}', '', 0, 1, 'waiting', $2 + i FROM many`,
      [count, first],
    );
    // What a running PostgreSQL does by itself after a while.
    if (ENGINE === 'postgres') await sample.archive.database.run('ANALYZE events');
  };

  test('the number of waiting events is limited, and an import reads only those that concern it', async () => {
    await wait(99_999, 1_000);
    expect((await send(moved('a', 10, 0))).status).toBe(200);
    const full = await send(moved('b', 11, 0));
    expect(full.json.error.code).toBe('rate_limited');
    expect(full.headers['retry-after']).toBe('60');
    // What need not wait is taken in as ever, and so is what came before.
    expect((await send(moved('c', 1, 5))).status).toBe(200);
    expect((await send(moved('a', 10, 0))).status).toBe(200);
    const read: number[] = [];
    await sample.archive.database.transaction(async (statements) => {
      const watched: typeof statements = {
        ...statements,
        run: async (sql: string, parameters?: readonly Value[]) => {
          const plan = await planOf(statements, sql, parameters);
          const changed = await statements.run(sql, parameters);
          read.push(changed, plan.filter((step) => /SCAN events|Seq Scan on events/.test(step)).length);
          return changed;
        },
      };
      await queueWaiting(watched);
      expect(read).toEqual([0, 0, 0, 0]);
    });
  });

  const operations = fc.uniqueArray(
    fc.record({ id: fc.integer({ min: 1, max: 30 }), n: fc.constantFrom(1, 2), sequence: fc.nat(20) }),
    { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
  );
  property.prop([operations, fc.infiniteStream(fc.nat(5)), fc.constantFrom('message', 'attachment')], {
    numRuns: runs({ quick: 4, long: 8 }),
  })(
    'P3 the outcome depends on the order of first arrival alone: not on batches and second deliveries',
    async (drawn, picks, kind) => {
      const events = drawn.map(({ id, n, sequence }): Sent => {
        if (kind === 'message') return moved(`evt_${id}`, n, sequence);
        const fields = [{ source: `s${sequence}` }, { decorative_layer: sequence % 2 === 0 }];
        const payload = {
          id: `att_${n}`,
          ...(sequence % 3 === 0 ? { ...fields[0], ...fields[1] } : fields[(sequence % 3) - 1]),
        };
        return { id: `evt_${id}`, type: 'attachment.reclassified', payload };
      });
      const again = () => events.slice(0, picks.next().value as number);
      const outcome = async (requests: Sent[][]) => {
        const fresh = await sampleArchive({ conversations: 2, messages: 2, attachments: 2, redactEvery: 0 });
        try {
          const reader = await tokenFor(fresh.service, 'internal');
          for (const request of requests) {
            await call(fresh.service, '/api/webhooks/ingest', {
              token: reader,
              body: Buffer.from(request.map((event) => JSON.stringify(event)).join('\n')),
              headers: [['content-type', 'application/x-ndjson']],
            });
          }
          const read = async (target: string) =>
            (await call(fresh.service, target, { token: reader })).json.data;
          const rows = (await read('/v1/attachments')).map((row: Record<string, unknown>) => [
            row['source'],
            row['decorative_layer'],
          ]);
          return {
            rows,
            messages: await read('/messages'),
            effects: Object.fromEntries(
              Object.entries(await effectsOf(fresh.service, reader)).sort(([a], [b]) => (a < b ? -1 : 1)),
            ),
          };
        } finally {
          await fresh.close();
        }
      };
      const single = await outcome(events.map((event) => [event]));
      // Each request may hold again what arrived before.
      const repeated = events.map((event, at) => [...again().slice(0, at), event, ...again().slice(0, at)]);
      expect(await outcome(repeated)).toEqual(single);
      expect(await outcome([events])).toEqual(single);
    },
  );
});

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { inner: nested(levels - 1) };
}

test('P2 of an event with a known id and another payload, the hashes of both are reported, and no payload', async () => {
  const conflicts: unknown[] = [];
  const service = createService(sample.archive, {
    assetUrl: ASSET_URL,
    version: '0',
    onConflict: (conflict) => void conflicts.push(conflict),
  });
  const token = await tokenFor(service);
  const send = (body: unknown, type?: string) =>
    call(service, '/api/webhooks/ingest', {
      token,
      body,
      ...(type === undefined ? {} : { headers: [['content-type', type]] }),
    });
  const [first, other] = [moved('twice', 1, 5), moved('twice', 1, 6)];
  expect((await send(first)).status).toBe(200);
  expect((await send(first)).status).toBe(200);
  expect(conflicts).toEqual([]);
  expect((await send(other)).status).toBe(409);
  const expected = {
    event_id: 'twice',
    stored_sha256: accepted(first).bodySha256,
    sent_sha256: accepted(other).bodySha256,
  };
  expect(expected.stored_sha256).not.toBe(expected.sent_sha256);
  expect(conflicts).toEqual([expected]);
  const lines = [moved('new', 1, 7), other].map((event) => JSON.stringify(event)).join('\n');
  expect((await send(Buffer.from(lines), 'application/x-ndjson')).json.status).toBe('partial');
  expect(conflicts).toEqual([expected, expected]);
});
