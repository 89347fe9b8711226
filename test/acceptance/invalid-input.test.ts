// Invalid parameters, cursors, paths and bodies (groups O and P5).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/contract/error.ts';
import { MAX_REQUEST_BYTES } from '../../src/contract/scalars.ts';
import { askedByTier, type Asked } from '../support/asked.ts';
import { expectApiError } from '../support/reply.ts';

let sample: Asked['sample'];
let ask: Asked['ask'];
beforeAll(async () => {
  ({ sample, ask } = await askedByTier());
});
afterAll(() => sample.close());

describe('O: input', () => {
  const INPUTS: [target: string, code: ErrorCode][] = [
    ...['0', '-1', '1.5', '1e10', '1;drop', '', '501', '+5', '01', ' 5', '5&limit=5'].map(
      (limit): [string, ErrorCode] => [`/v1/conversations?limit=${limit}`, 'limit_out_of_range'],
    ),
    ['/v1/attachments?limit=0', 'limit_out_of_range'],
    ['/messages?limit=abc', 'limit_out_of_range'],
    ['/api/sequence/arc_reconstruction?limit=0', 'limit_out_of_range'],
    ['/api/webhooks/events?limit=0', 'limit_out_of_range'],
    ...['TRUE', '1', 'yes', '', 'true&include_pipeline=true'].map((value): [string, ErrorCode] => [
      `/api/content/msg_1?include_pipeline=${value}`,
      'request_invalid',
    ]),
    ['/api/content/msg_1?include_stego=True', 'request_invalid'],
    ...['RAW', 'other', '', 'raw&view=raw'].map((value): [string, ErrorCode] => [
      `/api/content/msg_1?view=${value}`,
      'request_invalid',
    ]),
    ['/v1/attachments?redacted=yes', 'request_invalid'],
    ['/v1/attachments?origin_city=', 'request_invalid'],
    ['/v1/attachments?origin_city=a&origin_city=b', 'request_invalid'],
    ['/v1/attachments?origin_city=%00', 'request_invalid'],
    ['/v1/attachments?origin_city=%', 'request_invalid'],
    ['/v1/attachments?origin_city=%ff', 'request_invalid'],
    ['/v1/attachments?origin_city=%ED%A0%80', 'request_invalid'],
    ['/v1/conversations?starting_after=%ff', 'request_invalid'],
    ['/v1/conversations?l%69mit=5&limit=5', 'limit_out_of_range'],
    [`/v1/attachments?origin_city=${'a'.repeat(201)}`, 'request_invalid'],
    ['/v1/attachments?message_id=oops', 'request_invalid'],
    ['/v1/attachments?message_id=msg_999', 'not_found'],
    ['/messages?conversation=oops', 'request_invalid'],
    ['/messages?conversation=conv_999', 'not_found'],
    ['/messages?opening=1', 'request_invalid'],
    ['/v1/conversations?starting_after=conv_3&ending_before=conv_2', 'sequence_conflict'],
    ['/v1/attachments?starting_after=att_3&ending_before=att_2', 'sequence_conflict'],
    ['/messages?starting_after=msg_3&ending_before=msg_2', 'sequence_conflict'],
    ['/messages?opening=true&starting_after=msg_3&ending_before=msg_2', 'sequence_conflict'],
    ['/api/sequence/arc_reconstruction?starting_after=entry_3&ending_before=entry_2', 'sequence_conflict'],
    ...[
      '',
      'msg_1',
      'conv_',
      'conv_0',
      'conv_01',
      'conv_1x',
      'conv_-1',
      "conv_1' OR 1=1 --",
      'conv_9'.repeat(40),
    ].map((cursor): [string, ErrorCode] => [
      `/v1/conversations?starting_after=${encodeURIComponent(cursor)}`,
      'cursor_invalid',
    ]),
    ['/v1/conversations?starting_after=conv_1&starting_after=conv_1', 'cursor_invalid'],
    ['/v1/conversations?ending_before=conv_999', 'cursor_not_found'],
    ['/v1/attachments?starting_after=att_999', 'cursor_not_found'],
    ['/messages?starting_after=msg_999', 'cursor_not_found'],
    ['/api/sequence/arc_reconstruction?starting_after=entry_999', 'cursor_not_found'],
    ['/api/webhooks/events?starting_after=nope', 'cursor_not_found'],
    ['/api/webhooks/events?starting_after=%07', 'cursor_invalid'],
    ['/api/sequence/other', 'not_found'],
    ["/api/sequence/x'%20OR%201=1", 'not_found'],
    ['/api/content/..', 'not_found'],
    ['/api/content/%2e%2e', 'not_found'],
    ['/api/content/msg_1%2f..', 'not_found'],
    ['/api/content/a%2fb', 'not_found'],
    [`/api/content/${'x'.repeat(10_240)}`, 'not_found'],
    [`/api/content/msg_${'9'.repeat(10_240)}`, 'not_found'],
    ['/api/content/msg_999', 'not_found'],
    ['/api/content/msg_1%', 'request_invalid'],
    ['/api/content/%ff', 'request_invalid'],
    ['/api/content/', 'not_found'],
    ['/api/content/msg_1/', 'not_found'],
    ['/v1/attachments/att_999', 'not_found'],
    ['/v1/attachments/1', 'not_found'],
    ['/v1/conversations/conv_999', 'not_found'],
    ['/v1/conversations/__proto__', 'not_found'],
    ['//messages', 'not_found'],
    ['*', 'not_found'],
    ['', 'not_found'],
  ];
  test.each(INPUTS)('O1 O3 O6 O7 %s: %s', async (target, code) => {
    expectApiError(await ask(target), code);
  });

  test.each([
    '/v1/conversations?starting_after=conv_2&ending_before=conv_2',
    '/v1/attachments?starting_after=att_2&ending_before=att_2',
    '/messages?starting_after=msg_2&ending_before=msg_2',
    '/messages?opening=true&starting_after=msg_1&ending_before=msg_1',
    '/api/sequence/arc_reconstruction?starting_after=entry_3&ending_before=entry_3',
  ])('equal cursors are an empty window: %s', async (target) => {
    const { status, json } = await ask(target);
    expect([status, json.data, json.has_more]).toEqual([200, [], false]);
  });

  test.each<[why: string, payload: unknown, path: string]>([
    ['NUL', { layer: 'a\0b' }, 'payload.layer'],
    ['lone surrogate', { layer: 'a\ud800' }, 'payload.layer'],
    ['NUL in a field that is not known', { layer: 'a', more: ['b', '\0'] }, 'payload.more.1'],
    ['lone surrogate in a name', { layer: 'a', 'b\udc00': 1 }, 'payload.b?'],
  ])('O4 an event payload with %s is refused', async (why, payload, path) => {
    const answer = await ask('/api/webhooks/ingest', { body: { id: why, type: 'mirror.detected', payload } });
    expectApiError(answer, 'event_invalid');
    expect(answer.json.error.message).toBe(`${path}: must not hold NUL or half of a surrogate pair`);
    expect((await ask('/api/webhooks/events')).json.data).toEqual([]);
  });

  // Every body that is stored, and each kind of value that the two engines, or two parsers, would take for another one.
  const EVENT = (id: string, type: string, payload: string) =>
    `{"id":${id},"type":${type},"payload":${payload}}`;
  const MIRROR = (layer: string, more = '') => EVENT('"e"', '"mirror.detected"', `{"layer":${layer}${more}}`);
  const TOKEN = (client: string, more = '') =>
    `{"client_id":${client},"observer_tier":"internal","requested_tier":"external"${more}}`;
  const DEEP = `${'['.repeat(1e5)}${']'.repeat(1e5)}`;
  const AT = { ingest: '/api/webhooks/ingest', token: '/api/auth/token' };
  test.each<[why: string, at: keyof typeof AT, body: string]>([
    ...['"a\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', `"${'x'.repeat(3000)}"`, '1e400', '""'].flatMap(
      (value): [string, keyof typeof AT, string][] => [
        [`${value.slice(0, 16)} as id`, 'ingest', EVENT(value, '"mirror.detected"', '{"layer":"x"}')],
        [`${value.slice(0, 16)} as type`, 'ingest', EVENT('"e"', value, '{"layer":"x"}')],
        [`${value.slice(0, 16)} as client_id`, 'token', TOKEN(value)],
      ],
    ),
    ['NUL in a payload', 'ingest', MIRROR('"a\\u0000"')],
    ['NUL in a name', 'ingest', MIRROR('"a"', ',"b\\u0000":1')],
    ['half of a pair in a payload', 'ingest', MIRROR('"a\\ud83d"')],
    ['1e400 in a payload', 'ingest', MIRROR('"a"', ',"b":1e400')],
    ['100,000 levels in a payload', 'ingest', MIRROR('"a"', `,"b":${DEEP}`)],
    ['100,000 levels beside a payload', 'ingest', `{"b":${DEEP},${MIRROR('"a"').slice(1)}`],
    ['5,000 levels in a token request', 'token', TOKEN('"c"', `,"b":${'['.repeat(5e3)}${']'.repeat(5e3)}`)],
    ['a key twice in a payload', 'ingest', MIRROR('"a"', ',"layer":"b"')],
    ['a key twice in a payload, once escaped', 'ingest', MIRROR('"a"', ',"l\\u0061yer":"b"')],
    ['a key twice in an event', 'ingest', `{"id":"d",${MIRROR('"a"').slice(1)}`],
    ['a key twice in a token request', 'token', TOKEN('"c"', ',"requested_tier":"internal"')],
    [
      'a message number of 3,000 digits',
      'ingest',
      EVENT('"e"', '"message.reordered"', `{"id":"msg_${'9'.repeat(3000)}","entry":"entry_1","sequence":1}`),
    ],
  ])('O4 %s is 400 before storage', async (_, at, body) => {
    const headers = [['content-type', 'application/json'] as const];
    const answer = await ask(AT[at], { body: Buffer.from(body), headers });
    expect([answer.status, answer.json.error?.code]).toEqual([
      400,
      expect.stringMatching(at === 'token' ? /^request_invalid$/ : /^event_(?:invalid|type_unknown)$/),
    ]);
    expect((await ask('/api/webhooks/events')).json.data).toEqual([]);
  });

  test('O4 an event payload with a whole surrogate pair is accepted', async () => {
    const body = { id: 'pair', type: 'mirror.detected', payload: { layer: '\ud83d\ude00' } };
    expect((await ask('/api/webhooks/ingest', { body })).status).toBe(200);
  });

  test('O1 a filter is a parameter', async () => {
    const { json } = await ask(`/v1/attachments?origin_city=${encodeURIComponent("oslo' OR '1'='1")}`);
    expect(json.data).toEqual([]);
  });

  test('unknown names are ignored, an absolute target is its path', async () => {
    expect((await ask('/messages?nonsense=1&nonsense=2&__proto__=3')).status).toBe(206);
    expect((await ask('http://archive.example/api/health?x')).status).toBe(200);
  });

  const REQUEST = { client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' };
  const TYPES: [headers: [string, string][], status: number][] = [
    [[['content-type', 'application/json']], 200],
    [[['content-type', 'Application/JSON; charset="UTF-8"']], 200],
    [
      [
        ['content-type', 'application/json'],
        ['content-encoding', 'identity'],
      ],
      200,
    ],
    [[['content-type', 'application/json; charset=latin1']], 415],
    [[['content-type', 'text/plain']], 415],
    [[['content-type', 'application/x-www-form-urlencoded']], 415],
    [[['content-type', '']], 415],
    [
      [
        ['content-type', 'application/json'],
        ['content-type', 'application/json'],
      ],
      415,
    ],
    [
      [
        ['content-type', 'application/json'],
        ['content-encoding', 'gzip'],
      ],
      415,
    ],
  ];
  test.each(TYPES)('O8 %j is %i', async (headers, status) => {
    const answer = await ask('/api/auth/token', { headers, body: REQUEST });
    if (status === 415) expectApiError(answer, 'media_type_unsupported');
    else expect(answer.status).toBe(200);
  });

  const BROKEN: [string, Uint8Array][] = [
    ['empty', Buffer.from('')],
    ['cut', Buffer.from('{"client_id":"c"')],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['array', Buffer.from('[]')],
    ['null', Buffer.from('null')],
    ['number', Buffer.from('1')],
    ['missing field', Buffer.from('{"client_id":"c","observer_tier":"internal"}')],
    ['empty id', Buffer.from(JSON.stringify({ ...REQUEST, client_id: '' }))],
    ['control character', Buffer.from(JSON.stringify({ ...REQUEST, client_id: 'a\0b' }))],
    ['lone surrogate', Buffer.from(JSON.stringify({ ...REQUEST, client_id: 'a\ud800' }))],
    ['number for text', Buffer.from(JSON.stringify({ ...REQUEST, client_id: 1 }))],
    ['depth 8,000', Buffer.from('['.repeat(8_000) + ']'.repeat(8_000))],
  ];
  test.each(BROKEN)('a token request that is %s is 400', async (_, body) => {
    const headers = [['content-type', 'application/json'] as const];
    expectApiError(await ask('/api/auth/token', { body, headers }), 'request_invalid');
  });

  test('P5 a body over the limit is 413', async () => {
    const body = Buffer.alloc(MAX_REQUEST_BYTES + 1, 0x20);
    for (const path of ['/api/auth/token', '/api/webhooks/ingest']) {
      expectApiError(await ask(path, { body }), 'payload_too_large');
    }
  });
});
