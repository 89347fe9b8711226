// An independent validator accepts the responses of every operation with every documented status.
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildOpenApi } from '../../src/contract/openapi.ts';
import { ROUTES, type Route, type RouteName } from '../../src/contract/routes.ts';
import { createService, DatabaseAccessError, type Archive } from '../../src/service/index.ts';
import { ASSET_URL, sampleArchive, tokenFor, type Sample } from '../support/archive.ts';
import { call, type CallOptions } from '../support/call.ts';
import { documented, checkedByOpenApi } from '../support/openapi-check.ts';
import { sha256Of } from '../support/digest.ts';

const OPTIONS = { assetUrl: ASSET_URL, version: '0' };
const names = Object.keys(ROUTES) as RouteName[];
const visited = new Set<string>();
let sample: Sample;
let tokens: Record<'external' | 'internal' | 'mirror', string>;

beforeAll(async () => {
  sample = await sampleArchive({ mirrorEvery: 7 });
  tokens = {
    external: await tokenFor(sample.service, 'external'),
    internal: await tokenFor(sample.service, 'internal'),
    mirror: await tokenFor(sample.service, 'mirror'),
  };
});
afterAll(() => sample.close());

const seen = (operation: string, status: number) => void visited.add(`${operation} ${status}`);
const checkedService = (archive: Archive) => checkedByOpenApi(createService(archive, OPTIONS), { seen });
const ask = (target: string, options: CallOptions = {}) =>
  call(checkedService(sample.archive), target, { token: tokens.mirror, ...options });

/** Where each operation is asked, with a body where it takes one. */
const ASKED: Record<RouteName, { target: string; body?: object }> = {
  token: {
    target: '/api/auth/token',
    body: { client_id: 'c', observer_tier: 'mirror', requested_tier: 'external' },
  },
  attachments: { target: '/v1/attachments?redacted=false' },
  attachment: { target: '/v1/attachments/att_1' },
  content: { target: '/api/content/msg_1?include_stego=true&include_pipeline=true' },
  sequence: { target: '/api/sequence/mirror_relay' },
  health: { target: '/api/health' },
  live: { target: ROUTES.live.path },
  ready: { target: ROUTES.ready.path },
  ingest: {
    target: '/api/webhooks/ingest',
    body: { id: 'e1', type: 'mirror.detected', payload: { layer: 'x' } },
  },
  events: { target: '/api/webhooks/events' },
  conversations: { target: '/v1/conversations' },
  conversation: { target: '/v1/conversations/conv_1' },
  messages: { target: '/messages' },
  messages_v1: { target: '/v1/messages?opening=true' },
  search: { target: '/v1/search?q=letter&facet=year' },
  openapi: { target: '/openapi.json' },
};
const LISTS = new Set<RouteName>(['attachments', 'conversations', 'messages', 'messages_v1']);
const join = (target: string, query: string) => `${target}${target.includes('?') ? '&' : '?'}${query}`;

test('an independent validator accepts the document as OpenAPI 3.1, and refuses a broken one', async () => {
  const document = JSON.parse(JSON.stringify(buildOpenApi('1.0.0'))) as { paths: Record<string, object> };
  expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  document.paths['/v1/attachments'] = { get: { responses: 'none' } };
  expect((await new Validator().validate(document)).valid).toBe(false);
});

describe.each(names)('%s', (name) => {
  const route: Route = ROUTES[name];
  const { target, body } = ASKED[name];
  const given = body === undefined ? {} : { body };

  test('succeeds', async () => {
    expect([200, 206]).toContain((await ask(target, given)).status);
    if (route.method === 'GET') await ask(target, { method: 'HEAD' });
    if (LISTS.has(name)) {
      const partial = target.replace('redacted=false', 'redacted=true');
      expect((await ask(partial, { token: tokens.external })).status).toBe(206);
      expect((await ask(join(target, 'starting_after=none'))).status).toBe(400);
    }
  });

  test('refuses a reader without permission', async () => {
    if (route.scope === null) return;
    expect((await ask(target, { ...given, token: 'wrong' })).status).toBe(401);
    const none = await tokenWithoutScope();
    expect((await ask(target, { ...given, token: none })).status).toBe(403);
    const service = checkedService(sample.archive);
    const guess = () =>
      call(service, target, { ...given, token: 'wrong', peer: `10.0.0.${names.indexOf(name)}` });
    for (let tries = 0; tries < 300; tries += 1) expect((await guess()).status).toBe(401);
    expect((await guess()).status).toBe(429);
  });

  test('refuses invalid requests', async () => {
    if (body !== undefined) {
      expect((await ask(target, { body: Buffer.from('{') })).status).toBe(400);
      expect((await ask(target, { ...given, headers: [['content-type', 'text/plain']] })).status).toBe(415);
      expect((await ask(target, { body: Buffer.alloc(2 ** 20 + 1) })).status).toBe(413);
    }
    if (route.path.includes('{')) {
      expect((await ask(route.path.replace(/\{\w+\}/, 'x_1'))).status).toBe(404);
      expect((await ask(route.path.replace(/\{\w+\}/, '%zz'))).status).toBe(400);
    }
    if (name === 'search') {
      expect((await ask('/v1/search?q=(')).status).toBe(400);
      expect((await ask('/v1/search?q=letter&starting_after=msg_99999')).status).toBe(404);
    }
    const statuses = documented().find(({ operation }) => operation === name)!.statuses;
    if (statuses.includes(409) && route.method === 'GET') {
      const id =
        { conversations: 'conv', attachments: 'att', events: 'evt', sequence: 'evt' }[name as string] ??
        'msg';
      const [one, other] = id === 'evt' ? ['e1', 'e2'] : [`${id}_1`, `${id}_2`];
      await ask('/api/webhooks/ingest', { body: { ...ASKED.ingest.body, id: 'e1' } });
      await ask('/api/webhooks/ingest', { body: { ...ASKED.ingest.body, id: 'e2' } });
      expect((await ask(join(target, `starting_after=${other}&ending_before=${one}`))).status).toBe(409);
      expect((await ask(join(target, 'limit=0'))).status).toBe(400);
      expect(
        (await ask(join(target, `starting_after=${id === 'evt' ? 'none' : `${id}_99999`}`))).status,
      ).toBe(404);
    }
  });

  test('fails with a documented response', async () => {
    if (name === 'live' || name === 'openapi') return;
    for (const [error, status] of [
      [new Error('broken'), 500],
      [new DatabaseAccessError('unreachable', '57P01', undefined), 503],
    ] as const) {
      const fail = () => Promise.reject(error);
      const database = {
        ...sample.archive.database,
        version: undefined,
        get: fail,
        all: fail,
        tryTransaction: fail,
      };
      expect((await call(checkedService({ ...sample.archive, database }), target, given)).status).toBe(
        name === 'ready' ? 503 : status,
      );
    }
  });
});

test('every documented status was seen', async () => {
  const event = ASKED.ingest.body!;
  expect((await ask('/api/webhooks/ingest', { body: { ...event, payload: { layer: 'y' } } })).status).toBe(
    409,
  );
  const high = { client_id: 'c', observer_tier: 'external', requested_tier: 'mirror' };
  expect((await ask('/api/auth/token', { body: high })).status).toBe(403);
  const service = checkedService(sample.archive);
  for (let tokens = 0; tokens < 60; tokens += 1)
    await call(service, '/api/auth/token', { body: ASKED.token.body, peer: '10.1.0.1' });
  expect((await call(service, '/api/auth/token', { body: ASKED.token.body, peer: '10.1.0.1' })).status).toBe(
    429,
  );
  expect((await ask('/api/content/msg_7', { token: tokens.external })).status).toBe(403);

  // Headers and names are judged by the port, before any operation; so is what is wrong with a bare path. To be live
  // takes nothing that could fail, and to be ready is to say what failed.
  const byThePort = (status: number, operation: string) =>
    status === 431 ||
    status === 417 ||
    (status === 400 && ['health', 'live', 'ready', 'openapi'].includes(operation)) ||
    (['live', 'openapi'].includes(operation) && status >= 500) ||
    (operation === 'ready' && status === 500);
  const all = documented().flatMap(({ operation, statuses }) =>
    statuses.filter((status) => !byThePort(status, operation)).map((status) => `${operation} ${status}`),
  );
  expect(all.filter((pair) => !visited.has(pair))).toEqual([]);
});

test('a planted violation is found', async () => {
  const planted = (change: (body: string) => string, status?: number) =>
    call(
      checkedByOpenApi(async (request) => {
        const response = await createService(sample.archive, OPTIONS)(request);
        return { ...response, status: status ?? response.status, body: change(response.body as string) };
      }),
      '/v1/attachments?limit=2',
      { token: tokens.mirror },
    );
  expect((await planted((body) => body)).status).toBe(200);
  for (const [from, to] of [
    ['"integrity":1', '"integrity":2'],
    ['"redacted":false', '"redacted":"no"'],
    ['"id":"att_1",', ''],
    ['"data":[', '"rows":['],
  ] as const) {
    await expect(
      planted((body) => body.replace(from, to)),
      from,
    ).rejects.toThrow('breaks openapi.json');
  }
  await expect(planted((body) => body, 418)).rejects.toThrow('status 418');
});

/** A token without any scope that is known, as only a database could hold it. */
async function tokenWithoutScope(): Promise<string> {
  const token = 'arx_none';
  await sample.archive.database.run(
    'INSERT INTO tokens VALUES ($1, $2, $3, $4, $5) ON CONFLICT (sha256) DO NOTHING',
    [sha256Of(token), 'c', 'external', 'none', 8e15],
  );
  return token;
}
