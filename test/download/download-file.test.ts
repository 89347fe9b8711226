// Downloading a file, by both transports: redirects, addresses, ranges, limits, and when a request is made again.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { createNetwork } from '../../src/client/network.ts';
import { TransportFault, type TransportReply } from '../../src/client/transport.ts';
import { allowedOriginsOf } from '../../src/download/allowed-origins.ts';
import { decodedBody } from '../../src/download/decoded-body.ts';
import { downloadFile, openFile, type DownloadOptions } from '../../src/download/download-file.ts';
import { MAX_UNSIZED_BYTES, type OpenFile } from '../../src/download/file-response.ts';
import { createPipelinedTransport } from '../../src/download/pipelined-http/transport.ts';
import type { FaultKind } from '../../src/faults.ts';
import { clientWorld, faultFrom } from '../client/fixture.ts';
import { BAD_ANSWERS } from '../support/bad-answers.ts';
import { sha256Of } from '../support/digest.ts';
import { fakeWorld } from '../support/fake-world.ts';
import {
  always,
  answer,
  flood,
  misbehave,
  type Misbehaving,
  type Script,
} from '../support/misbehaving-server.ts';

const redirect = (location: string, status = 302): Buffer => answer(status, '', { location });

const BYTES = Buffer.from('the bytes of a file');
/** Both transports must behave alike. */
const TRANSPORTS = ['pipelined HTTP', 'the transport of the API'] as const;
let isPipelined = false;

async function withFiles(
  script: Script,
  work: (
    server: Misbehaving,
    open: (path: string, more?: Partial<DownloadOptions>) => Promise<OpenFile>,
  ) => Promise<void>,
): Promise<void> {
  const server = await misbehave(script);
  const waits = { connectTimeoutMs: 1000, idleTimeoutMs: 1000 };
  const network = await createNetwork(waits);
  const apiTransport = network.transport;
  const pipelined = createPipelinedTransport({
    ...waits,
    monotonic: () => performance.now(),
    fallback: apiTransport,
  });
  try {
    await work(server, (path, more) =>
      openFile(path.startsWith('/') ? server.url + path : path, {
        transport: isPipelined ? pipelined.transport : apiTransport,
        world: clientWorld(),
        allowedOrigins: allowedOriginsOf([server.url]),
        timeoutMs: 2000,
        ...more,
      }),
    );
  } finally {
    pipelined.close();
    await network.close();
    await server.close();
  }
}

async function read(file: OpenFile): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe.each(TRANSPORTS)('E: files by %s', (transport) => {
  beforeEach(() => void (isPipelined = transport === 'pipelined HTTP'));

  test.each(BAD_ANSWERS)('$id $fault', async ({ script, kind, words, requests, timeoutMs = 2000 }) => {
    await withFiles(script, async (server, open) => {
      const fault = await faultFrom(open('/files/a', { timeoutMs }), kind);
      expect(fault.message).toMatch(words);
      if (requests !== undefined) expect(server.requests.length).toBeLessThanOrEqual(requests + 1);
    });
  });

  test('a file is read as sent, without a token and unencoded', async () => {
    const etag = `"${sha256Of(BYTES)}"`;
    await withFiles(always(answer(200, BYTES, { etag, 'accept-ranges': 'bytes' })), async (server, open) => {
      const file = await open('/files/a');
      expect(await read(file)).toEqual(BYTES);
      expect(file).toMatchObject({ status: 200, from: 0, size: BYTES.length, etag, acceptRanges: true });
      expect(server.requests[0]?.head).toMatch(/accept-encoding: identity/);
      expect(server.requests[0]?.head).not.toMatch(/authorization/i);
    });
  });

  test('a range goes on where it was asked for', async () => {
    const part = answer(206, BYTES.subarray(4), {
      'content-range': `bytes 4-${BYTES.length - 1}/${BYTES.length}`,
    });
    await withFiles(always(part), async (server, open) => {
      const file = await open('/files/a', { range: { from: 4, ifRange: '"x"' } });
      expect(file).toMatchObject({ status: 206, from: 4, size: BYTES.length, acceptRanges: true });
      expect(await read(file)).toEqual(BYTES.subarray(4));
      expect(server.requests[0]?.head).toMatch(/range: bytes=4-\r\nif-range: "x"/);
    });
  });

  test('a whole file may answer a range', async () => {
    await withFiles(always(answer(200, BYTES)), async (_server, open) => {
      expect(await open('/files/a', { range: { from: 4, ifRange: '"x"' } })).toMatchObject({
        status: 200,
        from: 0,
      });
    });
  });

  test('E2 three redirects on the same origin are followed', async () => {
    await withFiles(
      (socket, _request, count) => socket.write(count < 3 ? redirect(`/files/${count}`) : answer(200, BYTES)),
      async (server, open) => {
        expect(await read(await open('/files/a'))).toEqual(BYTES);
        expect(server.requests).toHaveLength(4);
      },
    );
  });

  test('E3 a redirect to an origin allowed by name is followed', async () => {
    const other = await misbehave(always(answer(200, BYTES)));
    await withFiles(always(redirect(`${other.url}/x`)), async (server, open) => {
      const allowedOrigins = allowedOriginsOf([server.url], [`127.0.0.1:${other.port}`]);
      expect(await read(await open('/files/a', { allowedOrigins }))).toEqual(BYTES);
      expect(other.requests[0]?.head).not.toMatch(/authorization/i);
    });
    await other.close();
  });

  const page = (headers: string): string => `HTTP/1.1 200 X\r\n${headers}\r\n\r\n`;
  const refused: [id: string, what: string, script: Script, kind: FaultKind, words: RegExp][] = [
    [
      'E3',
      'redirect to another port',
      always(redirect('http://127.0.0.1:1/x')),
      'protocol',
      /redirects to 127\.0\.0\.1:1 /,
    ],
    [
      'E3',
      'redirect to another host',
      always(redirect('//localhost/x')),
      'protocol',
      /redirects to localhost /,
    ],
    [
      'E3',
      'redirect to another scheme',
      always(redirect('file:///etc/passwd')),
      'protocol',
      /redirects to elsewhere/,
    ],
    ['E4', 'redirect loop', always(redirect('/files/a')), 'protocol', /redirected more than 3 times/],
    [
      'A18',
      'an error in JSON',
      always(answer(403, '{"error":{"code":"asset_redacted","message":"m"}}')),
      'forbidden',
      /^the service refused the request: m$/,
    ],
    ['A22', 'busy', always(answer(503)), 'busy', /after|cannot answer/],
    [
      'D6',
      '206 unasked',
      always(answer(206, BYTES, { 'content-range': 'bytes 0-18/19' })),
      'protocol',
      /another range/,
    ],
    ['A16', 'status 999', always(answer(999, BYTES)), 'protocol', /status 999/],
    ['A13', 'silent', () => {}, 'network', /no answer within 0\.3 s/],
  ];
  test.each(refused)('%s %s', async (_id, _what, script, kind, words) => {
    await withFiles(script, async (_server, open) => {
      const fault = await faultFrom(open('/files/a', { timeoutMs: 300 }), kind);
      expect(fault.message).toMatch(words);
    });
  });

  test.each([
    [
      'gzip',
      /^the server says that the file has the content encoding gzip, and it has not$/,
      'integrity',
      false,
    ],
    ['zstd', /content encoding zstd, which cannot be decoded$/, 'protocol', true],
    ['gzip, gzip', /content encoding gzip, gzip, which cannot be decoded$/, 'protocol', true],
  ] as const)('A23 the encoding %s, although none was asked for', async (name, words, kind, isAgain) => {
    await withFiles(always(answer(200, BYTES, { 'content-encoding': name })), async (_server, open) => {
      const fault = await faultFrom(open('/files/a', { isAgain }).then(read), kind);
      expect(fault.message).toMatch(words);
    });
  });

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ] as const)('A23 the encoding of a file is taken off as that of any answer: %s', async (name, encode) => {
    const bytes = (async function* () {
      for (const byte of encode(BYTES)) yield Uint8Array.of(byte);
    })();
    const parts: Uint8Array[] = [];
    for await (const part of decodedBody(bytes, name, 1000)) parts.push(part);
    expect(Buffer.concat(parts)).toEqual(BYTES);
  });

  test('A23 of a file without a size, not more is decoded than a file may have', async () => {
    const bytes = (async function* () {
      yield gzipSync(Buffer.alloc(100_000));
    })();
    const read = async (): Promise<void> => {
      for await (const _ of decodedBody(bytes, 'gzip', 99_999));
    };
    await faultFrom(read(), 'protocol');
  });

  test('a part of an encoded file is not taken for one of the decoded file', async () => {
    const part = answer(206, BYTES.subarray(4), {
      'content-range': `bytes 4-${BYTES.length - 1}/${BYTES.length}`,
      'content-encoding': 'gzip',
    });
    await withFiles(always(part), async (_server, open) => {
      const range = { from: 4, ifRange: '"x"' };
      const fault = await faultFrom(open('/files/a', { range }), 'protocol');
      expect(fault.message).toMatch(/another range/);
    });
  });

  const cut: [id: string, what: string, script: Script, words: RegExp][] = [
    ['A4', 'cut', always(page('content-length: 100') + 'abc', { end: true }), /cut after 3 of 100 bytes/],
    [
      'A5',
      'no last chunk',
      always(page('transfer-encoding: chunked') + '3\r\nabc\r\n', { end: true }),
      /cut after 3 bytes/,
    ],
    ['A11', 'drip', flood(page('content-length: 10000'), 'x', 10), /too slow, \d+ bytes in 0\.\d s/],
    [
      'A13',
      'stops for ever',
      always(page('content-length: 100') + 'abc'),
      /no more data came|too slow, 3 bytes/,
    ],
  ];
  test.each(cut)('%s the body: %s', async (_id, _what, script, words) => {
    await withFiles(script, async (_server, open) => {
      const fault = await faultFrom(open('/files/a', { timeoutMs: 300 }).then(read), 'network');
      expect(fault.message).toMatch(words);
    });
  });

  test('the wrong range is refused', async () => {
    const part = answer(206, BYTES, { 'content-range': 'bytes 0-18/19' });
    await withFiles(always(part), async (_server, open) => {
      await faultFrom(open('/files/a', { range: { from: 4, ifRange: '"x"' } }), 'protocol');
    });
  });

  test.each([
    ['file:///etc/passwd'],
    ['data:text/plain,x'],
    ['javascript:alert(1)'],
    ['ftp://archive.test/x'],
    ['https://evil.test/x'],
    ['http://user:pass@127.0.0.1/x'],
    ['x'],
    [''],
  ])('E6 %s is unsafe', async (address) => {
    await withFiles(always(answer(200)), async (server, open) => {
      await faultFrom(open(address), 'unsafe');
      expect(server.requests).toHaveLength(0);
    });
  });

  test('E4 a loop ends after the third hop', async () => {
    await withFiles(always(redirect('/files/a')), async (server, open) => {
      await faultFrom(open('/files/a'), 'protocol');
      expect(server.requests).toHaveLength(4);
    });
  });

  test('E9 from https to http, even where both are allowed', async () => {
    const opening = openFile('https://archive.test/x', {
      transport: async () => ({
        status: 302,
        headers: { location: 'http://archive.test/x' },
        body: (async function* () {})(),
      }),
      world: clientWorld(),
      allowedOrigins: new Set(['https://archive.test', 'http://archive.test']),
      timeoutMs: 1000,
    });
    expect((await faultFrom(opening, 'protocol')).message).toBe(
      'the server redirects to archive.test (status 302), which arx does not follow',
    );
  });

  test('--allow-asset-host takes hosts only', async () => {
    expect([...allowedOriginsOf([], ['a.test', 'b.test:8443', '[::1]:1'])]).toEqual([
      'https://a.test',
      'https://b.test:8443',
      'https://[::1]:1',
      'http://[::1]:1',
    ]);
    for (const host of ['a.test/x', 'u@a.test', '', 'http://a']) {
      await faultFrom((async () => allowedOriginsOf([], [host]))(), 'usage');
    }
  });

  test('the run ends in the middle of a file', async () => {
    const controller = new AbortController();
    await withFiles(always(page('content-length: 100') + 'abc'), async (_server, open) => {
      const file = await open('/files/a', { world: clientWorld({ signal: controller.signal }) });
      const reading = read(file);
      controller.abort(new Error('interrupted by the test'));
      await expect(reading).rejects.toThrow('interrupted by the test');
    });
  });
});

describe('a body without an end', () => {
  const chunk = new Uint8Array(64 * 1024 * 1024);
  const take = (headers: Record<string, string>, size: number | undefined): Promise<number> =>
    downloadFile(
      'https://archive.test/x',
      {
        transport: async () => ({
          status: 200,
          headers,
          body: (async function* () {
            for (let bytes = 0; bytes <= MAX_UNSIZED_BYTES; bytes += chunk.length) yield chunk;
          })(),
        }),
        world: clientWorld(),
        allowedOrigins: new Set(['https://archive.test']),
        timeoutMs: 1000,
        size,
      },
      {
        resumePoint: () => undefined,
        discard: async () => {},
        receive: async ({ bytes }) => {
          let read = 0;
          for await (const each of bytes) read += each.length;
          return read;
        },
      },
    );

  test('is not read beyond 4 GiB where nothing says its size', async () => {
    const fault = await faultFrom(take({}, undefined), 'protocol');
    expect(fault.message).toBe('archive.test:443: file of unknown size is larger than 4294967296 bytes');
  });

  test.each([
    ['the server', { 'content-length': '9000000000' }, undefined],
    ['the catalogue', {}, 9_000_000_000],
  ])('may be larger where %s says so', async (_who, headers, size) => {
    expect(await take(headers, size)).toBeGreaterThan(MAX_UNSIZED_BYTES);
  });
});

describe('retries', () => {
  const empty = async function* (): AsyncGenerator<Uint8Array> {};
  const cut = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('x');
    throw new TransportFault('network', 'cut', true, { retryable: true });
  };
  /** Downloads with `retries` from a service that gives these responses, the last one again and again. */
  async function requestsMade(replies: Pick<TransportReply, 'status' | 'body'>[], retries: number) {
    let requests = 0;
    const fault = await downloadFile(
      'https://archive.test/x',
      {
        transport: async () => ({ headers: {}, ...replies[Math.min(requests++, replies.length - 1)]! }),
        world: fakeWorld(),
        allowedOrigins: new Set(['https://archive.test']),
        timeoutMs: 1000,
        retries,
      },
      {
        resumePoint: () => undefined,
        discard: async () => {},
        receive: async ({ bytes }) => {
          for await (const _ of bytes) continue;
        },
      },
    ).then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
    return [requests, fault];
  }

  test.each([0, 1, 4])('%i retries: refused requests and cut bodies share them', async (retries) => {
    const unavailable = { status: 503, body: empty() };
    const replies = [unavailable, { status: 200, body: cut() }, unavailable, { status: 200, body: cut() }];
    const [requests] = await requestsMade([...replies, ...replies], retries);
    expect(requests).toBe(retries + 1);
  });

  test('a file that comes at last is no fault', async () => {
    const replies = [
      { status: 503, body: empty() },
      { status: 200, body: cut() },
      { status: 200, body: empty() },
    ];
    expect(await requestsMade(replies, 4)).toEqual([3, undefined]);
  });

  test('an error that no retry can change is final', async () => {
    expect(await requestsMade([{ status: 404, body: empty() }], 4)).toEqual([1, expect.any(String)]);
  });
});
