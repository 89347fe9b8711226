// Fault plans: simulated writes, transport faults, latency, and lists with truth=true.
import { afterEach, describe, expect, test } from 'vitest';
import { DRIFT_FAULTS } from '../../../src/service/fault-injection/drift.ts';
import {
  parseDrift,
  parseTransportFaults,
  parseWrites,
} from '../../../src/service/fault-injection/options.ts';
import { ConnectionReset } from '../../../src/service/handlers/fault-plan.ts';
import { sampleArchive, tokenFor } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { faultyServices } from '../../support/faulty-service.ts';
import { expectApiError } from '../../support/reply.ts';

const { faultyService, closeService } = faultyServices();
afterEach(closeService);

describe('parseWrites', () => {
  test('kinds with their counts', () => {
    expect(parseWrites('append:10:4, delete:3:9')).toEqual({
      append: { count: 10, every: 4 },
      delete: { count: 3, every: 9 },
    });
  });

  test.each([
    '',
    'append',
    'append:1',
    'append:0:4',
    'append:1:1:1',
    'move:1:1',
    'append:1:2,append:3:4',
    'insert:x:1',
  ])('"%s" is refused', (text) =>
    expect(() => parseWrites(text)).toThrow(/is not one of append, insert, delete/),
  );
});

describe('simulated writes', () => {
  const writes = { seed: 5, writes: parseWrites('append:3:4,insert:2:6,delete:2:5') };
  const ALL = '/v1/conversations?limit=500';

  test('happen at their reads, and each leaves the other rows in place', async () => {
    const { ids, entries } = await faultyService({ writes });
    let before = await ids(`${ALL}&truth=true`);
    expect(before).toHaveLength(60 - 3 - 2);
    for (let read = 1; read <= 14; read++) {
      const now = await ids(ALL);
      const written = entries.flatMap((entry) =>
        entry.type === 'write' && entry.read === read ? [entry] : [],
      );
      expect(written.map(({ kind }) => kind)).toEqual([
        ...(read % 4 === 0 && read <= 12 ? ['append'] : []),
        ...(read % 6 === 0 && read <= 12 ? ['insert'] : []),
        ...(read % 5 === 0 && read <= 10 ? ['delete'] : []),
      ]);
      for (const { kind, id, after } of written) {
        if (kind === 'delete') before = before.filter((row) => row !== id);
        else before = before.toSpliced(after === null ? 0 : before.indexOf(after) + 1, 0, id);
        if (kind === 'append') expect(before.at(-1)).toBe(id);
      }
      expect(now).toEqual(before);
    }
  });

  test('the same seed gives the same rows, another seed other rows', async () => {
    const rowsOf = async (seed: number) => {
      const { ids } = await faultyService({ writes: { ...writes, seed } });
      const rows = await ids(`${ALL}&truth=true`);
      await closeService();
      return rows.join();
    };
    const first = await rowsOf(1);
    expect(await rowsOf(1)).toBe(first);
    expect(await rowsOf(2)).not.toBe(first);
  });

  test('a hidden conversation is in no list, cursor or record, nor are its messages, entries and files', async () => {
    const { get, ids } = await faultyService({ writes });
    const there = await ids(`${ALL}&truth=true`);
    const hidden = Array.from({ length: 60 }, (_, n) => n + 1).filter((n) => !there.includes(`conv_${n}`));
    expect(hidden).toHaveLength(5);
    expect(hidden.slice(2)).toEqual([58, 59, 60]);
    const messages = await ids('/messages?limit=500&truth=true');
    const openings = await ids('/messages?opening=true&limit=500&truth=true');
    const files = await ids('/v1/attachments?limit=500&truth=true');
    const { data } = (await get('/api/sequence/arc_reconstruction?limit=500')).json;
    const entries = (data as { entry: string }[]).map(({ entry }) => entry);
    expect([messages.length, openings.length, files.length, entries.length]).toEqual([110, 55, 55, 110]);
    for (const n of hidden) {
      for (const cursor of ['starting_after', 'ending_before']) {
        expectApiError(await get(`/v1/conversations?truth=true&${cursor}=conv_${n}`), 'cursor_not_found');
        expectApiError(await get(`/messages?opening=true&${cursor}=msg_${n}`), 'cursor_not_found');
        expectApiError(await get(`/v1/attachments?${cursor}=att_${n}`), 'cursor_not_found');
        expectApiError(
          await get(`/api/sequence/arc_reconstruction?${cursor}=entry_${n}`),
          'cursor_not_found',
        );
      }
      expectApiError(await get(`/v1/conversations/conv_${n}`), 'not_found');
      expectApiError(await get(`/messages?conversation=conv_${n}`), 'not_found');
      expectApiError(await get(`/api/content/msg_${n}`), 'not_found');
      expectApiError(await get(`/v1/attachments/att_${n}`), 'not_found');
      expectApiError(await get(`/v1/attachments?message_id=msg_${n}`), 'not_found');
      for (const list of [messages, openings]) expect(list).not.toContain(`msg_${n}`);
      expect([...files, ...entries].some((id) => id === `att_${n}` || id === `entry_${n}`)).toBe(false);
    }
  });

  test('windows are full and has_more is right, in both directions', async () => {
    const { get, ids } = await faultyService({
      writes: { seed: 5, writes: parseWrites('append:20:99,insert:20:99') },
    });
    const there = await ids(`${ALL}&truth=true`);
    expect(there).toHaveLength(20);
    for (const [limit, at] of [7, 3, 1].flatMap((size) => there.map((_, place) => [size, place] as const))) {
      const forward = (await get(`/v1/conversations?limit=${limit}&starting_after=${there[at]}&truth=true`))
        .json;
      expect((forward.data as { id: string }[]).map(({ id }) => id)).toEqual(
        there.slice(at + 1, at + 1 + limit),
      );
      expect(forward.has_more).toBe(at + 1 + limit < 20);
      const backward = (await get(`/v1/conversations?limit=${limit}&ending_before=${there[at]}&truth=true`))
        .json;
      expect((backward.data as { id: string }[]).map(({ id }) => id)).toEqual(
        there.slice(Math.max(at - limit, 0), at),
      );
      expect(backward.has_more).toBe(at > limit);
    }
  });

  test('each of many concurrent responses has its own state', async () => {
    const { ids } = await faultyService({ writes: { seed: 5, writes: parseWrites('delete:20:1') } });
    const pages = await Promise.all(Array.from({ length: 20 }, () => ids(ALL)));
    expect(pages.map(({ length }) => length)).toEqual(pages.map((_, at) => 59 - at));
  });

  test('the first row stays where the archive is too small for the writes', async () => {
    const { ids } = await faultyService(
      { writes: { seed: 1, writes: parseWrites('append:9:1,insert:9:1,delete:9:1') } },
      { conversations: 3 },
    );
    expect(await ids(`${ALL}&truth=true`)).toEqual(['conv_1']);
    for (let read = 0; read < 12; read++) await ids(ALL);
    expect(await ids(`${ALL}&truth=true`)).toEqual(['conv_1', 'conv_2', 'conv_3']);
    await closeService();
    expect(await (await faultyService({ writes }, { conversations: 0, attachments: 0 })).ids(ALL)).toEqual(
      [],
    );
  });
});

test('faults apply to the named lists alone', async () => {
  const transport = { ...parseTransportFaults('1', '503'), seed: 1, latency: 0, sleep: async () => {} };
  const { get, entries } = await faultyService({
    drift: parseDrift('1', 1, 'scramble'),
    transport,
    lists: ['messages'],
  });
  expect((await get('/messages')).status).toBe(503);
  for (const path of ['/v1/conversations', '/v1/attachments']) {
    expect([200, 206]).toContain((await get(path)).status);
  }
  expect(entries).toEqual([{ type: 'transport', request: 1, list: 'messages', fault: '503' }]);
});

describe('truth=true', () => {
  const allFaulty = { ...parseDrift('1', 3), reported: { from: 0.05, to: 0.05 } };

  test('returns the true list, counts as no read, meets no fault and reports no drift', async () => {
    const line = { ...parseTransportFaults('1'), seed: 1, latency: 0, sleep: async () => {} };
    const { get, ids, entries } = await faultyService({ drift: allFaulty, transport: line });
    const whole = Array.from({ length: 60 }, (_, n) => `conv_${n + 1}`);
    for (let read = 0; read < 5; read++) {
      expect(await ids('/v1/conversations?limit=500&truth=true')).toEqual(whole);
    }
    expect((await get('/v1/conversations?truth=true')).json.drift_ratio).toBe(0);
    expect(entries).toEqual([]);
    expect((await get('/v1/conversations?truth=yes')).status).toBe(400);
  });

  test('is an unknown parameter where there is no log', async () => {
    const sample = await sampleArchive({ conversations: 60, faults: { drift: allFaulty } });
    const token = await tokenFor(sample.service);
    const { json } = await call(sample.service, '/v1/conversations?limit=500&truth=true', { token });
    expect(json.drift_ratio).toBe(0.05);
    expect((await call(sample.service, '/v1/conversations?truth=maybe', { token })).status).toBe(200);
    await sample.close();
  });

  test('a log without drift has the true reads', async () => {
    const { get, entries } = await faultyService({});
    await get('/v1/conversations?limit=5&starting_after=conv_2');
    await get('/v1/messages?opening=true');
    expect(entries).toEqual([
      {
        type: 'read',
        read: 1,
        list: 'conversations',
        window: { starting_after: 'conv_2', limit: 5 },
        fault: null,
        state: null,
      },
      { type: 'read', read: 2, list: 'messages', window: { limit: 20 }, fault: null, state: null },
    ]);
  });
});

describe('transport faults', () => {
  const slept: number[] = [];
  const line = (share: string, kinds?: string, seed = 1) => ({
    ...parseTransportFaults(share, kinds),
    seed,
    latency: 0,
    sleep: async (ms: number) => void slept.push(ms),
  });
  const PEER = '127.0.0.1';

  test('fail requests for lists in every way, and nothing else', async () => {
    const { get, entries } = await faultyService({ transport: line('1') });
    const met = new Set<string>();
    for (let request = 1; request <= 40; request++) {
      const asked = get(
        ['/v1/conversations', '/messages', '/v1/messages', '/v1/attachments'][request % 4]!,
        PEER,
      );
      const outcome = await asked.then(
        ({ status, headers }) => (status === 429 ? `429 after ${headers['retry-after']}` : String(status)),
        (error: unknown) => (error instanceof ConnectionReset ? 'cut' : 'other'),
      );
      const fault = entries.findLast((entry) => entry.type === 'transport')?.fault;
      met.add(`${fault}: ${outcome.replace(/^20[06]$/, 'answered')}`);
    }
    expect([...met].sort()).toEqual([
      '429: 429 after 1',
      '503: 503',
      'cut: cut',
      'reset: cut',
      'slow: answered',
    ]);
    for (const path of [
      '/api/health',
      '/v1/conversations/conv_1',
      '/api/content/msg_1',
      '/api/sequence/arc_reconstruction',
    ]) {
      expect((await get(path, PEER)).status).toBe(200);
    }
  });

  test('a slow body arrives whole, within a time limit', async () => {
    slept.length = 0;
    const { get } = await faultyService({ transport: line('1', 'slow') });
    expect((await get('/v1/conversations?limit=500')).json.data).toHaveLength(60);
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(400);
  });

  test('an in-process request gets 503 instead of a broken connection', async () => {
    const { get } = await faultyService({ transport: line('1', 'reset,cut') });
    expectApiError(await get('/v1/conversations'), 'store_unavailable');
  });

  test('fail the given share of requests, the same ones for the same seed', async () => {
    const failing = async (seed: number) => {
      const { get } = await faultyService({ transport: line('0.2', '503', seed) });
      const statuses: number[] = [];
      for (let request = 0; request < 200; request++)
        statuses.push((await get('/v1/conversations?limit=1')).status);
      await closeService();
      return statuses;
    };
    const first = await failing(1);
    expect(await failing(1)).toEqual(first);
    expect(await failing(2)).not.toEqual(first);
    expect(first.filter((status) => status === 503).length / 200).toBeCloseTo(0.2, 1);
  });

  test('latency delays every response', async () => {
    slept.length = 0;
    const { get } = await faultyService({ transport: { ...line('0'), latency: 20 } });
    slept.length = 0;
    for (const path of ['/api/health', '/v1/conversations', '/nowhere']) await get(path);
    expect(slept).toEqual([20, 20, 20]);
  });
});

test('all faults together: the same seed and requests give the same responses', async () => {
  const run = async () => {
    const { get, entries } = await faultyService({
      drift: { from: 0.4, to: 0.4, seed: 2, faults: DRIFT_FAULTS, mode: 'burst' },
      writes: { seed: 2, writes: parseWrites('append:5:3,insert:5:4,delete:5:5') },
      transport: { ...parseTransportFaults('0.2', '503,slow'), seed: 2, latency: 0, sleep: async () => {} },
    });
    const answers: unknown[] = [];
    for (let n = 1; n <= 40; n++) {
      const { status, json } = await get(`/v1/conversations?limit=9&starting_after=conv_${n}`);
      answers.push([status, (json.data as { id: string }[] | undefined)?.map(({ id }) => id)]);
    }
    await closeService();
    return { answers, entries };
  };
  expect(await run()).toEqual(await run());
});
