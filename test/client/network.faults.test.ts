// Group A of the bad inputs: a server that breaks HTTP or breaks off, met by the real client over a real socket.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createNetwork } from '../../src/client/network.ts';
import { createClient } from '../../src/client/index.ts';
import { hintText } from '../../src/faults.ts';
import { BAD_ANSWERS, head, silent, type BadAnswer } from '../support/bad-answers.ts';
import { always, answer, flood, misbehave } from '../support/misbehaving-server.ts';
import { SELF_SIGNED } from '../support/self-signed.ts';
import { against, clientWorld, faultFrom, TOKEN } from './fixture.ts';

afterEach(() => void vi.unstubAllEnvs());

const OK = answer(200, '{"status":"stable","data":[]}');

const CASES: BadAnswer[] = [
  ...BAD_ANSWERS,
  {
    id: 'A3',
    fault: 'reset in the middle of the body',
    script: (socket) => {
      socket.write(head('HTTP/1.1 200 X\ncontent-length: 100\n\n') + '{"a', () => socket.resetAndDestroy());
    },
    kind: 'network',
    words: /cut after \d+ of 100 bytes|connection lost/,
    requests: 5,
  },
  {
    id: 'A4',
    fault: 'content-length 100, three bytes, FIN',
    script: always(head('HTTP/1.1 200 X\ncontent-length: 100\n\n') + '{"a', { end: true }),
    kind: 'network',
    words: /cut after 3 of 100 bytes/,
    requests: 5,
  },
  {
    id: 'A4',
    fault: 'the same on a connection that closes anyway',
    script: always(head('HTTP/1.1 200 X\nconnection: close\ncontent-length: 100\n\n') + '{"a', { end: true }),
    kind: 'network',
    words: /cut after 3 of 100 bytes/,
  },
  {
    id: 'A5',
    fault: 'chunked without a last chunk',
    script: always(head('HTTP/1.1 200 X\ntransfer-encoding: chunked\n\n2\n{}\n'), { end: true }),
    kind: 'network',
    words: /cut after 2 bytes/,
  },
  {
    id: 'A5',
    fault: 'chunked without a last chunk, connection: close',
    script: always(head('HTTP/1.1 200 X\nconnection: close\ntransfer-encoding: chunked\n\n2\n{}\n'), {
      end: true,
    }),
    kind: 'network',
    words: /cut after 2 bytes/,
  },
  {
    id: 'A8',
    fault: 'a chunk size that is no number',
    script: always(head('HTTP/1.1 200 X\ntransfer-encoding: chunked\n\nzz\n{}\n0\n\n')),
    kind: 'protocol',
    words: /server broke HTTP rules/,
  },
  {
    id: 'A11',
    fault: 'the body drips for ever',
    script: flood(head('HTTP/1.1 200 X\ncontent-length: 1000\n\n'), ' ', 20),
    kind: 'network',
    words: /no answer within 0\.3 s/,
    requests: 1,
    timeoutMs: 300,
  },
  {
    id: 'A18',
    fault: 'a login page',
    script: always(
      answer(200, `<html>\u001b[2J\n<b>${TOKEN} ${'x'.repeat(500)}`, { 'content-type': 'text/html' }),
    ),
    kind: 'protocol',
    words: /^expected JSON, got text\/html: <html>\ufffd\[2J <b>\[token\] x+…$/,
  },
  {
    id: 'A19',
    fault: '200 with an error body',
    script: always(answer(200, '{"error":{"code":"token_invalid","message":"no","request_id":"req_1"}}')),
    kind: 'protocol',
    words: /status 200 but says error token_invalid/,
  },
  {
    id: 'A23',
    fault: 'two encodings',
    script: always(answer(200, gzipSync(gzipSync('{}')), { 'content-encoding': 'gzip, gzip' })),
    kind: 'protocol',
    words: /2 content encodings/,
  },
  {
    id: 'A23',
    fault: 'six encodings',
    script: always(answer(200, '{}', { 'content-encoding': 'gzip,gzip,gzip,gzip,gzip,gzip' })),
    kind: 'protocol',
    words: /6 content encodings/,
  },
  {
    id: 'A23',
    fault: 'an unknown encoding',
    script: always(answer(200, '{}', { 'content-encoding': 'constructor' })),
    kind: 'protocol',
    words: /was not requested/,
  },
  {
    id: 'A23',
    fault: 'not gzip as it says',
    script: always(answer(200, '{}', { 'content-encoding': 'gzip' })),
    kind: 'protocol',
    words: /not gzip as it says/,
  },
];

describe('A: server misbehaviour', () => {
  test.each(CASES)('$id $fault', async ({ script, kind, words, requests, timeoutMs = 2000 }) => {
    await against(
      script,
      async ({ client, server }) => {
        const fault = await faultFrom(client.attachments(), kind);
        expect(fault.message).toMatch(words);
        if (requests !== undefined) expect(server.requests).toHaveLength(requests);
      },
      { timeoutMs },
    );
  });

  test('A1 connection refused', async () => {
    const server = await misbehave(silent);
    await server.close();
    const network = await createNetwork({ connectTimeoutMs: 1000, idleTimeoutMs: 1000 });
    const world = clientWorld();
    const client = createClient({
      baseUrl: server.url,
      transport: network.transport,
      bearer: async () => TOKEN,
      world,
    });
    const fault = await faultFrom(client.health(), 'network');
    expect(fault.message).toBe(`cannot reach 127.0.0.1:${server.port} (refused) (after 5 tries)`);
    expect(hintText(fault.detail.hint ?? '')).toMatch(/base URL/);
    expect(world.slept).toHaveLength(4);
    await network.close();
  });

  test('A7 a body longer than content-length: the rest is dropped, the connection not used again', async () => {
    const ports = new Set<number | undefined>();
    await against(
      (socket) => {
        ports.add(socket.remotePort);
        socket.write(Buffer.concat([OK, Buffer.from('HTTP/1.1 200 X\r\ncontent-length: 4\r\n\r\nevil')]));
      },
      async ({ client }) => {
        expect((await client.attachments()).body).toEqual({ status: 'stable', data: [] });
        expect((await client.attachments()).body).toEqual({ status: 'stable', data: [] });
        expect(ports.size).toBe(2);
      },
    );
  });

  test('A21 three bad gateways, then an answer', async () => {
    await against(
      (socket, _request, count) => socket.write(count < 3 ? answer([500, 502, 504][count] ?? 503) : OK),
      async ({ client, world, lines }) => {
        expect((await client.attachments()).status).toBe(200);
        expect(world.slept).toEqual([250, 500, 1000]);
        expect(lines).toContain('attempt 2 of 5 after 500, waiting 0.3 s');
        expect(lines).toContain('attempt 4 of 5 after 504, waiting 1.0 s');
      },
    );
  });

  test('A21 never an answer', async () => {
    const body =
      '{"error":{"code":"store_unavailable","message":"Locked.","request_id":"req_7","integrity":0.5}}';
    await against(always(answer(503, body)), async ({ client, server }) => {
      const fault = await faultFrom(client.attachments(), 'busy');
      expect(fault.message).toBe('the service cannot answer now: locked (after 5 tries)');
      expect(fault.detail).toMatchObject({
        code: 'store_unavailable',
        request_id: 'req_7',
        integrity: 0.5,
        status: 503,
      });
      expect(server.requests).toHaveLength(5);
    });
  });

  test.each([
    ['1', [1000]],
    ['60', [60_000]],
    ['-5', [250]],
    ['abc', [250]],
    ['Fri, 02 Jan 2026 03:04:00 GMT', [250]],
    ['Fri, 02 Jan 2026 03:04:35 GMT', [30_000]],
  ])('A22 Retry-After: %s', async (after, slept) => {
    await against(
      (socket, _request, count) => socket.write(count === 0 ? answer(503, '', { 'retry-after': after }) : OK),
      async ({ client, world }) => {
        await client.attachments();
        expect(world.slept).toEqual(slept);
      },
    );
  });

  test.each([['86400'], ['Sat, 03 Jan 2026 03:04:05 GMT']])(
    'A22 Retry-After: %s is too long',
    async (after) => {
      await against(always(answer(429, '', { 'retry-after': after })), async ({ client, world, server }) => {
        const fault = await faultFrom(client.attachments(), 'busy');
        expect(fault.message).toMatch(/server asks to wait 86400 s/);
        expect(world.slept).toEqual([]);
        expect(server.requests).toHaveLength(1);
      });
    },
  );

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['X-GZIP', gzipSync],
    ['identity', (text: string) => Buffer.from(text)],
  ])('A23 one encoding is taken off: %s', async (encoding, encode) => {
    const body = '{"data":[]}';
    await against(always(answer(200, encode(body), { 'content-encoding': encoding })), async ({ client }) => {
      expect((await client.attachments()).text).toBe(body);
    });
  });

  test('A23 a gzip bomb of 200 MiB costs no memory', async () => {
    const bomb = Buffer.concat(Array<Buffer>(200).fill(gzipSync(Buffer.alloc(1024 * 1024), { level: 9 })));
    await against(always(answer(200, bomb, { 'content-encoding': 'gzip' })), async ({ client }) => {
      const before = process.memoryUsage().rss;
      const fault = await faultFrom(client.attachments(), 'protocol');
      expect(fault.message).toMatch(/larger than 16777216 bytes/);
      expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(80);
    });
  });

  test.each(['', '0'])(
    'E15 a self-signed certificate, NODE_TLS_REJECT_UNAUTHORIZED=%s',
    async (unauthorized) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', unauthorized);
      await against(
        always(OK),
        async ({ client, server }) => {
          const fault = await faultFrom(client.attachments(), 'network');
          expect(fault.message).toMatch(
            /^cannot reach 127\.0\.0\.1:\d+ \(TLS: certificate is self-signed\)$/,
          );
          expect(server.requests).toHaveLength(0);
        },
        {},
        SELF_SIGNED,
      );
    },
  );

  test('K2 the run ends during a request: its own reason comes out', async () => {
    const controller = new AbortController();
    await against(
      () => controller.abort(new Error('interrupted by the test')),
      async ({ client }) => {
        await expect(client.attachments()).rejects.toThrow('interrupted by the test');
      },
      { world: clientWorld({ signal: controller.signal }) },
    );
  });
});
