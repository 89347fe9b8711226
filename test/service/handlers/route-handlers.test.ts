// Every route: statuses, methods, strictly parsed 2xx bodies, and unexpected failures (group R).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { SentAttachment } from '../../../src/contract/attachment.ts';
import { Content } from '../../../src/contract/content.ts';
import { Conversation, Message } from '../../../src/contract/conversation.ts';
import { ERROR_STATUS, type ErrorCode } from '../../../src/contract/error.ts';
import { Acknowledgement, Envelope } from '../../../src/contract/event.ts';
import { Health } from '../../../src/contract/health.ts';
import { sentListOf } from '../../../src/contract/list.ts';
import { ROUTES, type RouteName } from '../../../src/contract/routes.ts';
import { SentSequence } from '../../../src/contract/sequence.ts';
import { Token } from '../../../src/contract/access-token.ts';
import type { Tier } from '../../../src/contract/tier.ts';
import { createAssetService, createService, errorName } from '../../../src/service/index.ts';
import { ASSET_URL } from '../../support/archive.ts';
import { askedByTier, type Asked } from '../../support/asked.ts';
import { call } from '../../support/call.ts';
import { strict } from '../../support/strict.ts';
import { expectHeaders, expectApiError, PATHS } from '../../support/reply.ts';

let sample: Asked['sample'];
let ask: Asked['ask'];
beforeAll(async () => {
  ({ sample, ask } = await askedByTier());
});
afterAll(() => sample.close());

/** What redacted rows lack, and what rows above the tier lack. */
const REDACTED = [
  'content_type',
  'origin_city',
  'source',
  'bytes',
  'detected_type',
  'trailing_bytes',
  'integrity',
];
const ABOVE = [...REDACTED, 'sha256', 'reason', 'decorative_layer', 'first_visible'];
const BODIES: [target: string, tier: Tier, status: number, schema: z.ZodType, mayLack?: string[]][] = [
  [
    '/v1/attachments?redacted=false',
    'internal',
    200,
    sentListOf(SentAttachment),
    ['origin_city', 'detected_type', 'reason'],
  ],
  ['/v1/attachments', 'internal', 206, sentListOf(SentAttachment), ABOVE],
  ['/v1/attachments?origin_city=nowhere', 'internal', 200, sentListOf(SentAttachment)],
  ['/v1/attachments/att_2', 'internal', 200, SentAttachment, ['reason']],
  ['/v1/attachments/att_4', 'internal', 200, SentAttachment, REDACTED],
  ['/v1/attachments/att_51', 'internal', 200, SentAttachment, ABOVE],
  [
    '/api/content/msg_1',
    'external',
    200,
    Content,
    ['channel', 'parts', 'pipeline', 'stego', 'withheld', 'unavailable', 'raw_url', 'truncated'],
  ],
  [
    '/api/content/msg_3?view=raw&include_stego=true&include_pipeline=true',
    'internal',
    200,
    Content,
    ['channel', 'parts', 'withheld', 'unavailable', 'raw_url', 'truncated'],
  ],
  [
    '/api/content/msg_3?view=lore',
    'internal',
    200,
    Content,
    ['pipeline', 'stego', 'withheld', 'unavailable', 'raw_url', 'truncated'],
  ],
  [
    '/api/content/msg_3?view=lore&include_stego=true&include_pipeline=true',
    'internal',
    200,
    Content,
    ['withheld', 'unavailable', 'raw_url', 'truncated'],
  ],
  [
    '/api/content/msg_7?view=lore&include_pipeline=true',
    'mirror',
    200,
    Content,
    ['stego', 'withheld', 'unavailable', 'raw_url', 'truncated'],
  ],
  ['/api/sequence/arc_reconstruction?limit=500', 'internal', 200, SentSequence, ['source']],
  ['/api/sequence/mirror_relay', 'mirror', 200, SentSequence],
  ['/api/webhooks/events', 'internal', 200, sentListOf(Envelope), ['failures', 'error']],
  ['/v1/conversations', 'mirror', 200, sentListOf(Conversation)],
  ['/v1/conversations', 'external', 206, sentListOf(Conversation), ['source', 'integrity']],
  ['/messages', 'mirror', 200, sentListOf(Message), ['channel']],
  ['/v1/messages', 'internal', 206, sentListOf(Message), ['channel', 'source', 'integrity']],
  ['/v1/messages?conversation=conv_2&opening=true', 'internal', 200, sentListOf(Message), ['channel']],
  ['/api/health', 'internal', 200, Health],
];

describe('2xx bodies have every declared field and no other', () => {
  test.each(BODIES)('%s as %s is %i', async (target, tier, status, schema, mayLack = []) => {
    await ask('/api/webhooks/ingest', {
      body: { id: 'r1', type: 'mirror.detected', payload: { layer: 'x' } },
    });
    const answer = await ask(target, { tier });
    expect(answer.status, answer.text).toBe(status);
    expectHeaders(answer);
    strict(schema, mayLack).parse(answer.json);
    if (answer.json.object === 'list') expect(answer.json.status).toBe(status === 206 ? 'partial' : 'stable');
  });

  test('one conversation is its record with a list of its messages', async () => {
    const { status, json } = await ask('/v1/conversations/conv_2');
    expect(status).toBe(200);
    const { messages, ...record } = json;
    strict(Conversation).parse(record);
    // Only messages of chats have a channel.
    strict(sentListOf(Message), ['channel']).parse(messages);
    expect(messages.data.map(({ id }: { id: string }) => id)).toEqual(['msg_2', 'msg_12', 'msg_22']);
  });

  test('token and acknowledgement', async () => {
    const body = { client_id: 'c', observer_tier: 'internal', requested_tier: 'external' };
    const { status, json } = await ask('/api/auth/token', { body });
    expect(status).toBe(200);
    strict(Token).parse(json);
    expect(json).toMatchObject({
      scope: ['read:messages', 'read:attachments'],
      access_tier: 'external',
      issued_by: 'mirror',
      timeline_offset_ms: 0,
      session_drift_ms: 0,
      expires_at: new Date(sample.archive.now() + 3_600_000).toISOString(),
    });
    expect(json.access_token).toMatch(/^arx_[\w-]{43}$/);
    const event = { id: 'a1', type: 'contact.flagged', payload: { contact: 'o1@sample.example' } };
    const acknowledged = await ask('/api/webhooks/ingest', { body: event });
    expect(acknowledged.status).toBe(200);
    strict(Acknowledgement).parse(acknowledged.json);
    expect(acknowledged.json).toEqual({
      accepted: true,
      event_id: 'a1',
      type: 'contact.flagged',
      status: 'queued',
    });
  });

  test('the OpenAPI document', async () => {
    const { status, json } = await call(sample.service, '/openapi.json');
    expect(status).toBe(200);
    expect(json.openapi).toMatch(/^3\.1/);
    expect(Object.keys(json.paths)).toContain('/v1/attachments');
  });

  test('a redacted row shows only the fields that interface 2.1 allows', async () => {
    const { json } = await ask('/v1/attachments/att_4');
    expect(json).toMatchObject({ redacted: true, file_url: null, filename: 'picture-4.png' });
    for (const field of REDACTED) expect(json).not.toHaveProperty(field);
  });
});

describe('methods', () => {
  test.each(Object.keys(ROUTES) as RouteName[])(
    'Q10 %s: OPTIONS says what it allows, TRACE is 405',
    async (name) => {
      const options = await call(sample.service, PATHS[name], { method: 'OPTIONS' });
      expect(options.status).toBe(204);
      expect(options.text).toBe('');
      const allow = ROUTES[name].method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS';
      expect(options.headers['allow']).toBe(allow);
      for (const method of ['TRACE', 'DELETE', 'get', ROUTES[name].method === 'GET' ? 'POST' : 'GET']) {
        const answer = await ask(PATHS[name], { method });
        expectApiError(answer, 'method_not_allowed');
        expect(answer.headers['allow']).toBe(allow);
      }
    },
  );

  test('Q10 OPTIONS of * says what the service allows', async () => {
    const { status, headers } = await ask('*', { method: 'OPTIONS' });
    expect([status, headers['allow']]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
    expectApiError(await ask('*', { method: 'GET' }), 'not_found');
  });

  test('HEAD is GET without the body', async () => {
    for (const target of ['/v1/attachments?limit=4', '/api/health', '/api/content/msg_1', '/nowhere']) {
      const get = await ask(target);
      const head = await ask(target, { method: 'HEAD' });
      expect(head.text).toBe('');
      const { 'x-request-id': _, ...headers } = get.headers;
      expect(head.headers).toMatchObject(headers);
      expect(head.status).toBe(get.status);
    }
  });
});

describe('unexpected failures', () => {
  const broken = (error: unknown) => {
    const database = { ...sample.archive.database, get: () => Promise.reject(error) };
    return createService({ ...sample.archive, database }, { assetUrl: ASSET_URL, version: '0' });
  };
  const STORE: [string, unknown, ErrorCode][] = [
    ['busy', Object.assign(new Error('database is locked'), { errcode: 5 }), 'store_unavailable'],
    ['full', Object.assign(new Error('disk is full'), { errcode: 13 }), 'store_unavailable'],
    ['io', Object.assign(new Error('disk I/O'), { errcode: 4874 }), 'store_unavailable'],
    ['ENOSPC', Object.assign(new Error('no space'), { code: 'ENOSPC' }), 'store_unavailable'],
    ['corrupt', Object.assign(new Error('malformed /home/x.db'), { errcode: 11 }), 'storage_damaged'],
    ['bug', new TypeError('SELECT x is not a function'), 'internal'],
    ['text', 'secret', 'internal'],
  ];
  test('each is reported with the request id of its response; an ApiError is not', async () => {
    const failures: [string, unknown][] = [];
    const onFailure = (requestId: string, error: unknown) => void failures.push([requestId, error]);
    const cause = new TypeError('secret');
    const database = { ...sample.archive.database, get: () => Promise.reject(cause) };
    const options = { assetUrl: ASSET_URL, version: '0', onFailure };
    const api = await call(createService({ ...sample.archive, database }, options), '/api/health');
    const files = await call(
      createAssetService({ ...sample.archive, database }, options),
      '/files/att_1/external/20000/x',
    );
    expect(failures).toEqual([
      [api.json.error.request_id, cause],
      [files.json.error.request_id, cause],
    ]);
    await call(createService(sample.archive, options), '/nowhere');
    expect(failures).toHaveLength(2);
    expect(errorName(cause)).toBe('TypeError');
    expect(errorName(Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode: 11 }))).toBe(
      'Error ERR_SQLITE_ERROR 11',
    );
  });

  test.each(STORE)('P11 R6 %s', async (_, error, code) => {
    const answer = await call(broken(error), '/api/health');
    expect(answer.status).toBe(ERROR_STATUS[code]);
    expect(answer.json.error.code).toBe(code);
    expect(answer.json.error.integrity).toBe(0);
    expect(answer.text).not.toMatch(/locked|disk|secret|SELECT|home/);
    expect(answer.headers['retry-after']).toBe(code === 'store_unavailable' ? '1' : undefined);
  });
});
