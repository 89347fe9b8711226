// Variants of lists: their option, and what every response of such a service has.
import { afterEach, describe, expect, test } from 'vitest';
import {
  parseDrift,
  parseLists,
  parseTransportFaults,
} from '../../../src/service/fault-injection/options.ts';
import { parseVariants } from '../../../src/service/fault-injection/list-variants.ts';
import { faultyServices } from '../../support/faulty-service.ts';
import type { Answer } from '../../support/call.ts';

const { faultyService, closeService } = faultyServices();
afterEach(closeService);

const LISTS = [
  ['/v1/conversations', 'conv'],
  ['/messages', 'msg'],
  ['/v1/messages', 'msg'],
  ['/v1/attachments', 'att'],
] as const;

const refusalOf = ({ status, json }: Answer) => [status, json.error.code];

describe('parseVariants', () => {
  test.each([
    ['descending', { descending: true, strict: false }],
    ['strict', { descending: false, strict: true }],
    [
      'strict, descending,clamp-limit:50',
      { descending: true, strict: true, maxLimit: { rows: 50, isRefused: false } },
    ],
    ['refuse-limit:1', { descending: false, strict: false, maxLimit: { rows: 1, isRefused: true } }],
  ])('%s', (text, expected) => expect(parseVariants(text)).toEqual(expected));

  test.each([
    ['', /unknown variant ""; use one of descending, strict, refuse-limit:ROWS, clamp-limit:ROWS/],
    ['ascending', /unknown variant "ascending"/],
    ['descending:3', /unknown variant "descending:3"/],
    ['clamp-limit', /unknown variant "clamp-limit"/],
    ['clamp-limit:', /largest page from 1 to 500 rows, not ""/],
    ['clamp-limit:0', /largest page from 1 to 500 rows, not "0"/],
    ['clamp-limit:501', /largest page from 1 to 500 rows, not "501"/],
    ['refuse-limit:1.5', /not "1.5"/],
    ['refuse-limit:5,clamp-limit:6', /names two largest pages/],
    ['clamp-limit:6,clamp-limit:6', /names two largest pages/],
  ])('"%s" is refused', (text, message) => expect(() => parseVariants(text)).toThrow(message));
});

test('parseLists', () => {
  expect(parseLists('attachments, conversations')).toEqual(['conversations', 'attachments']);
  expect(() => parseLists('sequences')).toThrow(
    'unknown list "sequences"; use one of conversations, messages, attachments',
  );
});

describe.each(LISTS)('%s', (path, kind) => {
  const idsOf = (numbers: number[]) => numbers.map((n) => `${kind}_${n}`);

  test('descending: a page of ending_before alone begins with its newest row', async () => {
    const { ids, get } = await faultyService({ variants: parseVariants('descending') });
    expect(await ids(`${path}?ending_before=${kind}_9&limit=3`)).toEqual(idsOf([8, 7, 6]));
    expect((await get(`${path}?ending_before=${kind}_4&limit=3`)).json.has_more).toBe(false);
    expect((await get(`${path}?ending_before=${kind}_5&limit=3`)).json.has_more).toBe(true);
    expect(await ids(`${path}?starting_after=${kind}_9&limit=3`)).toEqual(idsOf([10, 11, 12]));
    expect(await ids(`${path}?starting_after=${kind}_2&ending_before=${kind}_5`)).toEqual(idsOf([3, 4]));
    expect(await ids(`${path}?limit=2`)).toEqual(idsOf([1, 2]));
    expect(await ids(`${path}?ending_before=${kind}_9&limit=3&truth=true`)).toEqual(idsOf([6, 7, 8]));
  });

  test('strict: window parameters are taken, unknown ones are 400', async () => {
    const { ids, get } = await faultyService({ variants: parseVariants('strict') });
    expect(await ids(`${path}?starting_after=${kind}_3&ending_before=${kind}_9&limit=2`)).toEqual(
      idsOf([4, 5]),
    );
    for (const name of ['opening', 'conversation', 'redacted', 'message_id', 'content_type', 'cursor', '']) {
      expect(refusalOf(await get(`${path}?limit=2&${name}=true`))).toEqual([400, 'request_invalid']);
    }
    expect((await get(`${path}?opening=true`)).json.error.message).toBe('opening: unknown parameter');
    expect((await get(`${path}?${'x'.repeat(500)}=1`)).json.error.message).toBe(
      `${'x'.repeat(60)}: unknown parameter`,
    );
  });

  test('refuse-limit: a larger limit is 400, a smaller one and none are taken', async () => {
    const { ids, get } = await faultyService({ variants: parseVariants('refuse-limit:10') });
    for (const limit of ['11', '500', '0', 'x']) {
      expect(refusalOf(await get(`${path}?limit=${limit}`))).toEqual([400, 'limit_out_of_range']);
    }
    expect((await get(`${path}?limit=11`)).json.error.message).toBe(
      'limit: must be one integer from 1 to 10',
    );
    expect(await ids(`${path}?limit=10`)).toHaveLength(10);
    expect(await ids(path)).toHaveLength(10);
  });

  test('clamp-limit: a larger limit gets the largest page', async () => {
    const { ids, get } = await faultyService({ variants: parseVariants('clamp-limit:10') });
    const { json } = await get(`${path}?limit=500`);
    expect([(json.data as unknown[]).length, json.has_more]).toEqual([10, true]);
    expect(await ids(`${path}?ending_before=${kind}_30&limit=40`)).toEqual(
      idsOf([20, 21, 22, 23, 24, 25, 26, 27, 28, 29]),
    );
    expect(await ids(`${path}?limit=3`)).toHaveLength(3);
    expect(refusalOf(await get(`${path}?limit=501`))).toEqual([400, 'limit_out_of_range']);
  });
});

test('strict: the filter that the interface shows is taken', async () => {
  const { get } = await faultyService({ variants: parseVariants('strict') });
  expect([200, 206]).toContain((await get('/v1/attachments?origin_city=oslo')).status);
  expect(refusalOf(await get('/v1/conversations?origin_city=oslo'))).toEqual([400, 'request_invalid']);
});

test('variants leave everything but these lists as it is', async () => {
  const { ids, get } = await faultyService({
    variants: parseVariants('descending,strict,clamp-limit:2'),
    lists: ['conversations'],
  });
  expect(await ids('/messages?ending_before=msg_9&limit=3&x=1')).toEqual(['msg_6', 'msg_7', 'msg_8']);
  expect((await get('/api/content/msg_1?x=1')).status).toBe(200);
  const sequence = await get('/api/sequence/arc_reconstruction?ending_before=entry_9&limit=3&x=1');
  expect((sequence.json.data as { entry: string }[]).map(({ entry }) => entry)).toEqual([
    'entry_6',
    'entry_7',
    'entry_8',
  ]);
});

test('variants and drift go together: the log has the window that was read', async () => {
  const { get, entries } = await faultyService({
    drift: parseDrift('1', 3, 'dup'),
    variants: parseVariants('descending,clamp-limit:5'),
    transport: { ...parseTransportFaults('0'), seed: 1, latency: 0, sleep: async () => {} },
  });
  const { json } = await get('/v1/conversations?ending_before=conv_30&limit=50');
  const numbers = (json.data as { id: string }[]).map(({ id }) => Number(id.slice(5)));
  expect(numbers).toHaveLength(5);
  expect(new Set(numbers).size).toBe(4);
  expect(Math.max(...numbers)).toBe(29);
  expect(entries).toEqual([
    {
      type: 'read',
      read: 1,
      list: 'conversations',
      window: { ending_before: 'conv_30', limit: 5 },
      fault: 'dup',
      state: null,
    },
  ]);
});
