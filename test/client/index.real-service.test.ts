// The real client against the real service: every route, the same in-process and over a port, and its files.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { allowedOriginsOf } from '../../src/download/allowed-origins.ts';
import { openFile } from '../../src/download/download-file.ts';
import {
  createInProcessTransport,
  EMBEDDED_ASSET_URL,
  EMBEDDED_BASE_URL,
} from '../../src/client/in-process.ts';
import { createClient, type Client } from '../../src/client/index.ts';
import { createNetwork, type Network } from '../../src/client/network.ts';
import type { Transport } from '../../src/client/transport.ts';
import { createAssetService } from '../../src/service/index.ts';
import { listen, type Listener } from '../../src/service/http/port.ts';
import type { FaultKind } from '../../src/faults.ts';
import { sampleArchive, type Sample } from '../support/archive.ts';
import { clientWorld, faultFrom } from './fixture.ts';

let sample: Sample;
let port: Listener;
let network: Network;
let inside: Client;
let outside: Client;
let transport: Transport;
const REQUEST = { client_id: 'test', observer_tier: 'internal', requested_tier: 'internal' };

beforeAll(async () => {
  sample = await sampleArchive({
    conversations: 5,
    messages: 3,
    attachments: 10,
    redactEvery: 4,
    service: { assetUrl: EMBEDDED_ASSET_URL },
  });
  port = await listen(sample.service, { host: '127.0.0.1', port: 0 });
  network = await createNetwork({ connectTimeoutMs: 1000, idleTimeoutMs: 1000 });
  transport = createInProcessTransport({
    [EMBEDDED_BASE_URL]: sample.service,
    [EMBEDDED_ASSET_URL]: createAssetService(sample.archive),
  });
  const world = clientWorld();
  const guest = createClient({ baseUrl: EMBEDDED_BASE_URL, transport, bearer: async () => undefined, world });
  const token = (await guest.token(REQUEST)).body.access_token;
  const bearer = async (): Promise<string> => token;
  inside = createClient({ baseUrl: EMBEDDED_BASE_URL, transport, bearer, world });
  outside = createClient({ baseUrl: port.url, transport: network.transport, bearer, world });
});

afterAll(async () => {
  await network.close();
  await port.close(0);
  await sample.close();
});

type Call = (
  client: Client,
) => Promise<{ status: number; headers: Record<string, string>; body: unknown; text: string }>;

/** The same in both ways, but for the id of the request. */
async function both(call: Call): Promise<Awaited<ReturnType<Call>>> {
  const [a, b] = [await call(inside), await call(outside)];
  for (const reply of [a, b]) {
    expect(reply).toHaveProperty('requestId', reply.headers['x-request-id']);
    delete reply.headers['x-request-id'];
    Object.assign(reply, { requestId: 'one' });
  }
  expect(b).toEqual(a);
  return a;
}

const calls: [name: string, call: Call, status: number][] = [
  ['attachments', (client) => client.attachments({ limit: 3 }), 200],
  ['attachments with a redacted one', (client) => client.attachments({ limit: 10 }), 206],
  ['attachments by city', (client) => client.attachments({ origin_city: 'oslo' }), 200],
  ['attachment', (client) => client.attachment('att_1'), 200],
  ['content raw', (client) => client.content('msg_1', { view: 'raw' }), 200],
  [
    'content lore',
    (client) => client.content('msg_1', { view: 'lore', include_pipeline: true, include_stego: true }),
    200,
  ],
  ['sequence', (client) => client.sequence('arc_reconstruction', { limit: 2 }), 200],
  ['health', (client) => client.health(), 200],
  ['events', (client) => client.events(), 200],
  ['conversations', (client) => client.conversations({ limit: 2, starting_after: 'conv_1' }), 200],
  ['conversation', (client) => client.conversation('conv_2'), 200],
  ['messages', (client) => client.messages({ conversation: 'conv_2' }), 200],
  ['get', (client) => client.get('/v1/conversations?limit=1'), 200],
  [
    'ingest',
    (client) => client.ingest({ id: 'evt_1', type: 'mirror.detected', payload: { layer: 'a' } }),
    202,
  ],
];
test.each(calls)('%s', async (_name, call, status) => {
  const reply = await both(call);
  expect([status, 200]).toContain(reply.status);
  expect(reply.text.length).toBeGreaterThan(2);
});

const faults: [name: string, call: (client: Client) => Promise<unknown>, kind: FaultKind, code: string][] = [
  ['limit', (client) => client.attachments({ limit: 0 }), 'usage', 'limit_out_of_range'],
  ['cursor', (client) => client.conversations({ starting_after: 'x y' }), 'usage', 'cursor_invalid'],
  [
    'cursor gone',
    (client) => client.conversations({ starting_after: 'conv_999' }),
    'not_found',
    'cursor_not_found',
  ],
  [
    'M1 misordered',
    (client) => client.conversations({ starting_after: 'conv_3', ending_before: 'conv_1' }),
    'conflict',
    'sequence_conflict',
  ],
  ['no such message', (client) => client.content('msg_999'), 'not_found', 'not_found'],
  ['view', (client) => client.content('msg_1', { view: 'RAW' }), 'usage', 'request_invalid'],
  ['tier', (client) => client.sequence('mirror_relay'), 'forbidden', 'scope_missing'],
  [
    'token',
    (client) => client.token({ ...REQUEST, requested_tier: 'mirror' }),
    'forbidden',
    'observer_not_permitted',
  ],
  [
    'event',
    (client) => client.ingest({ id: 'evt_9', type: 'mirror.detected', payload: {} }),
    'conflict',
    'event_invalid',
  ],
];
test.each(faults)('a fault says the same in both ways: %s', async (_name, call, kind, code) => {
  const [a, b] = [await faultFrom(call(inside), kind), await faultFrom(call(outside), kind)];
  expect(a.message).toBe(b.message);
  expect(a.detail).toMatchObject({
    code,
    request_id: expect.stringMatching(/^req_/),
    integrity: expect.any(Number),
  });
});

describe('files of the embedded archive', () => {
  test('each file has the hash of its row; a redacted row has no address', async () => {
    const { data } = (await inside.attachments({ limit: 10 })).body;
    expect(data.filter(({ redacted }) => redacted).map(({ file_url }) => file_url)).toEqual([null, null]);
    for (const row of data) {
      if (typeof row.file_url !== 'string') continue;
      const allowedOrigins = allowedOriginsOf([EMBEDDED_BASE_URL, EMBEDDED_ASSET_URL]);
      const file = await openFile(row.file_url, {
        transport,
        world: clientWorld(),
        allowedOrigins,
        timeoutMs: 1000,
      });
      const hash = createHash('sha256');
      for await (const chunk of file.bytes) hash.update(chunk);
      expect(hash.digest('hex')).toBe(row.sha256);
      expect(file).toMatchObject({ etag: `"${row.sha256}"`, acceptRanges: true, size: expect.any(Number) });
    }
  });

  test('a changed address is refused', async () => {
    const { file_url } = (await inside.attachment('att_1')).body;
    const allowedOrigins = allowedOriginsOf([EMBEDDED_ASSET_URL]);
    const options = { transport, world: clientWorld(), allowedOrigins, timeoutMs: 1000 };
    const fault = await openFile(`${file_url?.slice(0, -3)}AAA`, options).catch((error: unknown) => error);
    expect(fault).toMatchObject({ detail: { code: expect.stringMatching(/asset_forbidden|not_found/) } });
  });
});
