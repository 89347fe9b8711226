// The client's own rules: same replies by both transports, fallback of /messages, renewal, acknowledgements, raw reads.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createInProcessTransport, EMBEDDED_BASE_URL } from '../../src/client/in-process.ts';
import { createClient, type Client, type ClientOptions } from '../../src/client/index.ts';
import { createNetwork } from '../../src/client/network.ts';
import { TransportFault } from '../../src/client/transport.ts';
import type { Service, ServiceRequest, ServiceResponse } from '../../src/contract/exchange.ts';
import { hintText, type FaultKind } from '../../src/faults.ts';
import { pathOf } from '../../src/contract/routes.ts';
import { always, answer } from '../support/misbehaving-server.ts';
import { against, clientWorld, faultFrom, NOW, TOKEN } from './fixture.ts';

const DATE = new Date(NOW).toUTCString();
const EVENT = { id: 'evt_1', type: 'mirror.detected', payload: { layer: 'a' } };
const ACK = { accepted: true, event_id: 'evt_1', type: 'mirror.detected', status: 'queued' };

function json(status: number, body: unknown, headers: Record<string, string> = {}): ServiceResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', date: DATE, 'x-request-id': 'req_9', ...headers },
    body: JSON.stringify(body),
  };
}

/** Answers by path; everything else is 404. */
function serviceOf(routes: Record<string, (request: ServiceRequest) => ServiceResponse>): Service {
  return async (request) => {
    const route = routes[request.target.split('?')[0] ?? ''];
    return route?.(request) ?? json(404, { error: { code: 'not_found', message: 'no such thing' } });
  };
}

function embedded(service: Service, more: Partial<ClientOptions> = {}): Client {
  return createClient({
    baseUrl: EMBEDDED_BASE_URL,
    transport: createInProcessTransport({ [EMBEDDED_BASE_URL]: service }),
    bearer: async () => TOKEN,
    world: clientWorld(),
    ...more,
  });
}

/** A bare port for a service, with what node:http adds of its own. */
async function ported(service: Service, work: (client: Client) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
      const { method = '', url = '' } = request;
      void service({ method, target: url, headers, body: Buffer.concat(chunks), peer: 'x' }).then((reply) => {
        response.writeHead(reply.status, reply.headers).end(reply.body as string);
      });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const network = await createNetwork({ connectTimeoutMs: 1000, idleTimeoutMs: 1000 });
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await work(
      createClient({
        baseUrl,
        transport: network.transport,
        bearer: async () => TOKEN,
        world: clientWorld(),
      }),
    );
  } finally {
    await network.close();
    server.close();
  }
}

test('both transports give identical replies and faults', async () => {
  const service = serviceOf({
    '/v1/attachments': ({ target, headers }) =>
      json(206, {
        status: 'partial',
        data: [],
        target,
        auth: headers.find(([name]) => name === 'authorization')?.[1],
      }),
    '/api/health': ({ headers }) =>
      json(200, { status: 'ok', auth: headers.some(([name]) => name === 'authorization') }),
    '/api/webhooks/ingest': ({ body }) =>
      json(202, { ...ACK, sent: new TextDecoder().decode(body as Uint8Array) }),
  });
  const calls: ((client: Client) => Promise<unknown>)[] = [
    (client) => client.attachments({ origin_city: 'são paulo & co', limit: 5, redacted: undefined }),
    (client) => client.health(),
    (client) => client.ingest(EVENT),
    (client) => client.get('/v1/attachments?limit=1'),
    (client) => client.conversation('a/b ?#%'),
  ];
  const run = (client: Client): Promise<unknown[]> =>
    Promise.all(calls.map((call) => call(client).catch((e: unknown) => e)));
  const inside = await run(embedded(service));
  await ported(service, async (client) => expect(await run(client)).toEqual(inside));
  expect(inside[0]).toEqual({
    status: 206,
    headers: { 'content-type': 'application/json', date: DATE, 'x-request-id': 'req_9' },
    body: {
      status: 'partial',
      data: [],
      target: '/v1/attachments?origin_city=s%C3%A3o+paulo+%26+co&limit=5',
      auth: `Bearer ${TOKEN}`,
    },
    text: expect.stringMatching(/^\{"status":"partial"/),
    serverTime: NOW,
    requestId: 'req_9',
  });
  expect(inside[1]).toMatchObject({ body: { auth: false } });
  expect(inside[2]).toMatchObject({ body: { sent: JSON.stringify(EVENT) } });
  expect(inside[3]).toMatchObject({ body: expect.any(Uint8Array) });
});

test('ids that would change the path are never sent', async () => {
  const client = embedded(serviceOf({}));
  for (const id of ['', '.', '..']) {
    await faultFrom(client.attachment(id), 'usage');
    await faultFrom(client.content(id), 'usage');
    await faultFrom(client.sequence(id), 'usage');
  }
  expect(pathOf('content', { id: 'a/../b' })).toBe('/api/content/a%2F..%2Fb');
});

test('an origin that is not the archive is refused in-process', async () => {
  await faultFrom(embedded(serviceOf({}), { baseUrl: 'https://evil.test' }).health(), 'unsafe');
});

describe('/messages', () => {
  const page = (): ServiceResponse => json(200, { data: [{ id: 'msg_1' }] });

  function counted(routes: Record<string, () => ServiceResponse>): { asked: string[]; client: Client } {
    const asked: string[] = [];
    const service = serviceOf(routes);
    const client = embedded((request) => {
      asked.push(request.target);
      return service(request);
    });
    return { asked, client };
  }

  test('falls back to /v1/messages once and remembers it', async () => {
    const { asked, client } = counted({ '/v1/messages': page });
    await client.messages();
    await client.messages();
    expect(asked).toEqual(['/messages', '/v1/messages', '/v1/messages']);
  });

  test('a 404 of one that exists is a 404', async () => {
    let there = true;
    const { asked, client } = counted({
      '/messages': () =>
        there ? page() : json(404, { error: { code: 'cursor_not_found', message: 'gone' } }),
    });
    await client.messages();
    there = false;
    await faultFrom(client.messages(), 'not_found');
    expect(asked).toEqual(['/messages', '/messages']);
  });

  test('neither: the first answer counts', async () => {
    const { client } = counted({
      '/messages': () => json(404, { error: { code: 'cursor_not_found', message: 'gone' } }),
    });
    expect((await faultFrom(client.messages(), 'not_found')).detail.code).toBe('cursor_not_found');
  });
});

describe('tokens', () => {
  const expired = json(401, {
    error: { code: 'token_expired', message: 'expired at 2026-01-02T03:00:00.000Z' },
  });
  const guarded = (good: string, asked: string[] = []): Service =>
    serviceOf({
      '/v1/attachments': ({ headers }) => {
        const auth = headers.find(([name]) => name === 'authorization')?.[1] ?? '';
        asked.push(auth);
        return auth === `Bearer ${good}` ? json(200, []) : expired;
      },
    });

  test('L3 expired between check and use: one 401, then auth', async () => {
    const asked: string[] = [];
    const fault = await faultFrom(embedded(guarded('other', asked)).attachments(), 'auth');
    expect(fault.message).toBe('token expired at 2026-01-02T03:00:00.000Z');
    expect(fault.detail).toMatchObject({ code: 'token_expired', hint: 'arx login' });
    expect(asked).toHaveLength(1);
  });

  test('renewed once, for all reads that met the same expiry', async () => {
    let token = 'old-token';
    let renewals = 0;
    const client = embedded(guarded('new-token'), {
      bearer: async () => token,
      renew: async () => {
        renewals += 1;
        await Promise.resolve();
        token = 'new-token';
        return true;
      },
    });
    const replies = await Promise.all([client.attachments(), client.attachments(), client.attachments()]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(renewals).toBe(1);
  });

  test('a token that was replaced meanwhile is taken without another renewal', async () => {
    const tokens = ['old-token', 'new-token', 'new-token'];
    const client = embedded(guarded('new-token'), {
      bearer: async () => tokens.shift(),
      renew: async () => {
        throw new Error('renewed');
      },
    });
    expect((await client.attachments()).status).toBe(200);
  });

  test('a renewal that does not help ends there', async () => {
    const asked: string[] = [];
    const client = embedded(guarded('never', asked), { renew: async () => true });
    await faultFrom(client.attachments(), 'auth');
    expect(asked).toHaveLength(2);
  });

  test.each(['a\r\nx: y', 'a b', 'ü', ''])('B14 the token %j is never sent', async (token) => {
    const asked: string[] = [];
    await faultFrom(embedded(guarded('x', asked), { bearer: async () => token }).attachments(), 'usage');
    expect(asked).toEqual([]);
  });

  test('a token is asked for only where the route takes one', async () => {
    const client = embedded(serviceOf({ '/api/health': () => json(200, { status: 'ok' }) }), {
      bearer: async () => {
        throw new Error('asked');
      },
    });
    await client.health();
    await client.get('/api/health?x=1');
    await expect(client.attachments()).rejects.toThrow('asked');
  });

  const NEW = {
    access_token: 'arx_new',
    scope: [],
    access_tier: 'internal',
    issued_by: 'mirror',
    timeline_offset_ms: 0,
    session_drift_ms: 0,
    source_integrity: 1,
  };
  test.each([
    ['L1 local clock 14 years ahead', '2040-01-01T00:00:00Z', DATE],
    ['L1 local clock 400 days behind', '2024-11-28T00:00:00Z', DATE],
    ['L6 no Date', '2026-01-02T03:04:05Z', ''],
    ['L6 Date in the far future', '2026-01-02T03:04:05Z', 'Fri, 01 Jan 2100 00:00:00 GMT'],
    ['L6 Date that is none', '2026-01-02T03:04:05Z', '2026-01-02'],
  ])('%s: a fresh token is fresh', async (_name, local, date) => {
    const expires_at = new Date(NOW + 3_600_000).toISOString();
    const service = serviceOf({ '/api/auth/token': () => json(200, { ...NEW, expires_at }, { date }) });
    const client = embedded(service, { world: clientWorld({ now: () => Date.parse(local) }) });
    const reply = await client.token({
      client_id: 'c',
      observer_tier: 'internal',
      requested_tier: 'internal',
    });
    expect(reply.body.expires_at).toBe(expires_at);
    expect(reply.serverTime).toBe(
      date === DATE ? NOW : date.startsWith('Fri') ? Date.parse(date) : undefined,
    );
  });
});

test.each([
  ['Fri, 01 Jan 2100 00:00:00 GMT', '2100-01-01T01:00:00.000Z'],
  ['', new Date(NOW + 3_600_000).toISOString()],
])('expires_in counts from the Date of the answer, else from now: %s', async (date, expires_at) => {
  const body = {
    access_token: 'arx_new',
    expires_in: 3600,
    scope: 'read:messages read:sequence',
    access_tier: 'internal',
    issued_by: 'mirror',
    timeline_offset_ms: 0,
    session_drift_ms: 0,
    source_integrity: 1,
  };
  const client = embedded(serviceOf({ '/api/auth/token': () => json(200, body, { date }) }));
  const reply = await client.token({ client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' });
  expect(reply.body).toMatchObject({ expires_at, scope: ['read:messages', 'read:sequence'] });
});

test.each([
  ['application/x-www-form-urlencoded', 'access_token=arx_new&scope=read'],
  ['text/plain', 'arx_new'],
  ['application/xml', '<token>arx_new</token>'],
])('a new token is in no message, also where it comes as %s', async (type, body) => {
  const answer = { ...json(200, ''), headers: { 'content-type': type }, body };
  const client = embedded(serviceOf({ '/api/auth/token': () => answer }));
  const request = { client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' };
  const { message, detail } = await faultFrom(client.token(request), 'protocol');
  expect(message).toBe(`expected JSON, got ${type}`);
  expect(hintText(detail.hint ?? '')).toContain('--token-file');
});

test('a login that is refused with status 200 says why, and nothing of other tokens', async () => {
  const answer = json(200, { ok: false, error: { code: 'observer_not_permitted', request_id: null } });
  const client = embedded(serviceOf({ '/api/auth/token': () => answer }));
  const request = { client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' };
  const { message, detail } = await faultFrom(client.token(request), 'protocol');
  expect(message).toBe('answer has status 200 but says error observer_not_permitted');
  expect([detail.code, detail.hint]).toEqual(['observer_not_permitted', undefined]);
});

describe('ingest', () => {
  test.each<[what: string, ack: unknown, kind: FaultKind]>([
    ['accepted false', { ...ACK, accepted: false }, 'conflict'],
    ['another id', { ...ACK, event_id: 'evt_2' }, 'unconfirmed'],
    ['another id and accepted false', { ...ACK, event_id: 'evt_2', accepted: false }, 'unconfirmed'],
    ['another type', { ...ACK, type: 'contact.flagged' }, 'unconfirmed'],
    ['no id', { ...ACK, event_id: undefined }, 'unconfirmed'],
    ['text', 'ok', 'unconfirmed'],
    ['an error', { ok: false, error: { code: 'slow_down', request_id: null } }, 'unconfirmed'],
  ])('M9 an acknowledgement with %s', async (_what, ack, kind) => {
    const client = embedded(serviceOf({ '/api/webhooks/ingest': () => json(202, ack) }));
    const { detail } = await faultFrom(client.ingest(EVENT), kind);
    expect(/events reconcile|send it again/.test(hintText(detail.hint ?? ''))).toBe(kind === 'unconfirmed');
  });

  test.each([
    ['without a body', { ...json(204, ''), body: '' }],
    ['with an empty body', { ...json(200, ''), body: '' }],
    ['of another type', { ...json(202, ''), headers: { 'content-type': 'text/plain' }, body: 'Accepted' }],
  ])('M9 a success %s leaves it open whether the event was accepted', async (_what, answer) => {
    const client = embedded(serviceOf({ '/api/webhooks/ingest': () => answer }));
    const { message, detail } = await faultFrom(client.ingest(EVENT), 'unconfirmed');
    expect(message).toContain('event evt_1 may have been accepted: ');
    // The same answer would come again.
    expect(detail.retryable).not.toBe(true);
  });

  test('M9 a web page is no acknowledgement: the base URL is wrong', async () => {
    const page = { ...json(200, ''), headers: { 'content-type': 'text/html' }, body: '<html>' };
    const client = embedded(serviceOf({ '/api/webhooks/ingest': () => page }));
    await faultFrom(client.ingest(EVENT), 'protocol');
  });

  test('M9 an acknowledgement with two values for accepted is refused', async () => {
    const twice = JSON.stringify(ACK).replace('"accepted":true', '"accepted":false,"accepted":true');
    const client = embedded(serviceOf({ '/api/webhooks/ingest': () => ({ ...json(202, {}), body: twice }) }));
    const { message } = await faultFrom(client.ingest(EVENT), 'unconfirmed');
    expect(message).toContain('answer has two values for one key: accepted');
  });

  test('M8 silent after sending: unconfirmed, with the id', async () => {
    await against(
      () => {},
      async ({ client, server }) => {
        const fault = await faultFrom(client.ingest(EVENT), 'unconfirmed');
        expect(fault.message).toMatch(/^event evt_1 may have been accepted: /);
        expect(fault.detail.hint).toBe('send again with the same id');
        expect(server.requests).toHaveLength(1);
      },
      { timeoutMs: 1_000 },
    );
  });

  test('M8 reset after sending: sent again with the same id, then unconfirmed', async () => {
    await against(
      (socket) => socket.resetAndDestroy(),
      async ({ client, server }) => {
        await faultFrom(client.ingest(EVENT), 'unconfirmed');
        expect(server.requests.map(({ body }) => body)).toEqual(Array(5).fill(JSON.stringify(EVENT)));
      },
    );
  });

  test('M8 cut, then busy to the end: still unconfirmed', async () => {
    await against(
      (socket, _request, count) => (count === 0 ? socket.destroy() : socket.write(answer(503))),
      async ({ client }) => {
        await faultFrom(client.ingest(EVENT), 'unconfirmed');
      },
    );
  });

  test('I6 the acknowledgement of a second try is as good', async () => {
    await against(
      (socket, _request, count) =>
        count === 0 ? socket.destroy() : socket.write(answer(202, JSON.stringify(ACK))),
      async ({ client }) => {
        expect((await client.ingest(EVENT)).body).toEqual(ACK);
      },
    );
  });

  test('never reached, or answered with 503 only: not unconfirmed', async () => {
    await against(always(answer(503)), async ({ client }) => {
      await faultFrom(client.ingest(EVENT), 'busy');
    });
    const unreached = embedded(serviceOf({}), {
      transport: async () => {
        throw new TransportFault('network', 'cannot reach x:1 (refused)', false, { retryable: true });
      },
    });
    await faultFrom(unreached.ingest(EVENT), 'network');
  });

  test('a token request is not sent twice once it may have arrived', async () => {
    await against(
      (socket) => socket.destroy(),
      async ({ client, server }) => {
        await faultFrom(client.token({ client_id: 'c', observer_tier: 'a', requested_tier: 'a' }), 'network');
        expect(server.requests).toHaveLength(1);
        expect(server.requests[0]?.head).not.toMatch(/authorization/i);
      },
    );
  });
});

describe('get', () => {
  test('the body as received, whatever it is', async () => {
    await against(
      always(answer(200, Buffer.from([0xff, 0x41]), { 'content-type': 'image/x' })),
      async ({ client }) => {
        const reply = await client.get('/anything?x=1');
        expect(Buffer.from(reply.body)).toEqual(Buffer.from([0xff, 0x41]));
        expect(reply.text).toBe('\ufffdA');
      },
    );
  });

  test('-v shows each request with its drift, and retries', async () => {
    await against(always(answer(200, '[]', { 'x-drift-ratio': '0.13' })), async ({ client, lines }) => {
      await client.conversations({ limit: 2 });
      expect(lines).toEqual([
        expect.stringMatching(/^GET \/v1\/conversations\?limit=2: 200, \d+ ms, drift 0\.13$/),
      ]);
    });
  });
});
