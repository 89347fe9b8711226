// A response that was cut on the way is tried again, however its transfer ended; a whole one of a wrong shape is not.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answer, type Script } from '../support/misbehaving-server.ts';
import { against, faultFrom, type Bench } from './fixture.ts';

/** No server here is silent, and this machine may be slow. */
const patiently = (script: Script, work: (bench: Bench) => Promise<void>): Promise<void> =>
  against(script, work, {}, undefined, 60_000);

const WHOLE = '{"object":"list","data":[{"id":"conv_1"}],"has_more":false}';
const HEAD = 'HTTP/1.1 200 X\r\ncontent-type: application/json\r\n';
const half = (bytes: Buffer): Buffer => bytes.subarray(0, Math.floor(bytes.length / 2));
const cutJson = WHOLE.slice(0, 30);

/** Ways to cut a body: the bytes that are sent, and whether the connection ends after them. */
const CUTS: Record<string, { bytes: Buffer | string; end?: true }> = {
  'JSON that ends early with a right content-length': { bytes: answer(200, cutJson) },
  'JSON that ends in the middle of a character': {
    bytes: answer(200, Buffer.from('{"data":[{"id":"ä').subarray(0, -1)),
  },
  'an empty body': { bytes: answer(200, '') },
  'white space alone': { bytes: answer(200, ' \n') },
  'a content-length that is not reached': { bytes: `${HEAD}content-length: 900\r\n\r\n${WHOLE}`, end: true },
  'no last chunk': {
    bytes: `${HEAD}transfer-encoding: chunked\r\n\r\n${WHOLE.length.toString(16)}\r\n${WHOLE}\r\n`,
    end: true,
  },
  'a whole last chunk of cut JSON': {
    bytes: `${HEAD}transfer-encoding: chunked\r\n\r\n1e\r\n${cutJson}\r\n0\r\n\r\n`,
  },
  'no length, the connection ends': { bytes: `${HEAD}connection: close\r\n\r\n${cutJson}`, end: true },
  'gzip that ends early': { bytes: answer(200, half(gzipSync(WHOLE)), { 'content-encoding': 'gzip' }) },
  'an empty gzip': { bytes: answer(200, '', { 'content-encoding': 'gzip' }) },
  'deflate that ends early': {
    bytes: answer(200, half(deflateSync(WHOLE)), { 'content-encoding': 'deflate' }),
  },
  'brotli that ends early': {
    bytes: answer(200, half(brotliCompressSync(WHOLE)), { 'content-encoding': 'br' }),
  },
};

/** Answers the first `times` requests with a cut body, the others with a whole one. */
function cutting({ bytes, end }: (typeof CUTS)[string], times: number, whole = WHOLE): Script {
  return (socket, _request, count) => {
    socket.write(count < times ? bytes : answer(200, whole));
    if (count < times && end === true) socket.end();
  };
}

describe.each(Object.entries(CUTS))('%s', (_, cut) => {
  test('is tried again', async () => {
    await patiently(cutting(cut, 2), async ({ client, server, world }) => {
      expect((await client.conversations()).body.data).toMatchObject([{ id: 'conv_1' }]);
      expect([server.requests.length, world.slept.length]).toEqual([3, 2]);
    });
  });

  test('is a network fault after all tries', async () => {
    await patiently(cutting(cut, Infinity), async ({ client, server }) => {
      const fault = await faultFrom(client.conversations(), 'network');
      expect(fault.message).toMatch(/\bcut\b.*\(after 5 tries\)$/);
      expect(server.requests).toHaveLength(5);
    });
  });
});

const CUT_JSON = CUTS['JSON that ends early with a right content-length']!;
const EVENT = { id: 'evt_1', type: 'mirror.detected', payload: {} } as const;

test('an event whose acknowledgement was cut is sent again with its id; it stays unconfirmed where none comes whole', async () => {
  const ack = '{"accepted":true,"event_id":"evt_1","type":"mirror.detected","status":"queued"}';
  await patiently(cutting(CUT_JSON, 1, ack), async ({ client, server }) => {
    expect((await client.ingest(EVENT)).body.accepted).toBe(true);
    expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
  });
  await patiently(cutting(CUT_JSON, Infinity), async ({ client }) => {
    const fault = await faultFrom(client.ingest(EVENT), 'unconfirmed');
    expect(fault.message).toContain('event evt_1 may have been accepted');
  });
});

test('a request that is not safe to repeat is sent once', async () => {
  await patiently(cutting(CUT_JSON, Infinity), async ({ client, server }) => {
    await faultFrom(client.token({ client_id: 'a', observer_tier: 'b', requested_tier: 'b' }), 'network');
    expect(server.requests).toHaveLength(1);
  });
});

test.each([
  ['a record in place of a list', '{"id":"conv_1"}'],
  ['no JSON', '{"data":[nope]}'],
  ['a page of HTML', '<html>'],
])('%s is a protocol fault at once', async (_, body) => {
  await patiently(
    (socket) => socket.write(answer(200, body)),
    async ({ client, server }) => {
      await faultFrom(client.conversations(), 'protocol');
      expect(server.requests).toHaveLength(1);
    },
  );
});

test.each(['', 'content-length: 9\r\n'])(
  'no content (204) is no cut answer, and no record, with the headers "%s"',
  async (headers) => {
    await patiently(
      (socket) => socket.write(`HTTP/1.1 204 X\r\n${headers}\r\n`),
      async ({ client, server }) => {
        const fault = await faultFrom(client.conversation('conv_1'), 'protocol');
        expect(fault.message).toContain('no body (status 204)');
        expect(server.requests).toHaveLength(1);
      },
    );
  },
);

test('a 304 may state the length of the body that it does not have', async () => {
  await patiently(
    (socket) => socket.write('HTTP/1.1 304 X\r\ncontent-length: 9\r\n\r\n'),
    async ({ client, server }) => {
      const fault = await faultFrom(client.conversation('conv_1'), 'protocol');
      expect(fault.message).toContain('status 304 (not modified)');
      expect(server.requests).toHaveLength(1);
    },
  );
});

test.each([401, 402, 405, 406, 410, 418, 422, 423, 451])(
  'a fault of status %d keeps its status',
  async (status) => {
    await patiently(
      (socket) => socket.write(answer(status, '{"error":{"message":"No"}}')),
      async ({ client, server }) => {
        const error: unknown = await client.conversations().catch((reason: unknown) => reason);
        expect(error).toMatchObject({
          detail: { status },
          kind: status === 401 ? 'auth' : expect.any(String),
        });
        // A list that is not there may be at another path, so another list is asked for, too.
        expect(server.requests).toHaveLength(status === 410 ? 2 : 1);
      },
    );
  },
);

test.each([408, 425, 429, 500, 502, 503, 504])('status %d is tried again', async (status) => {
  await patiently(
    (socket, _request, count) => socket.write(count === 0 ? answer(status) : answer(200, WHOLE)),
    async ({ client, server }) => {
      await client.conversations();
      expect(server.requests).toHaveLength(2);
    },
  );
});
