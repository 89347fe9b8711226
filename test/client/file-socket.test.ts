// The sockets of our own for files: large bodies in pieces, connections kept, and small answers read ahead.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFileSockets } from '../../src/client/file-socket.ts';
import { openPlainConnection } from '../../src/client/plain-answers.ts';
import { parseHead } from '../../src/client/response-head.ts';
import type { Transport } from '../../src/client/transport.ts';
import { answer, misbehave, type Misbehaving, type Script } from '../support/misbehaving-server.ts';

const careful: Transport = async () => ({
  status: 200,
  headers: { way: 'careful' },
  body: (async function* () {})(),
});
const signal = new AbortController().signal;

async function withSockets(
  script: Script,
  work: (
    get: (more?: { signal?: AbortSignal }) => ReturnType<Transport>,
    server: Misbehaving,
  ) => Promise<void>,
): Promise<void> {
  const server = await misbehave(script);
  const waits = { connectTimeoutMs: 1000, idleTimeoutMs: 1000 };
  const sockets = createFileSockets({ ...waits, monotonic: () => performance.now(), careful });
  try {
    const url = new URL(`${server.url}/x`);
    await work((more) => sockets.transport({ method: 'GET', url, headers: {}, signal, ...more }), server);
  } finally {
    sockets.close();
    await server.close();
  }
}

const random = (size: number) =>
  Buffer.from(Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) % 251));
const LARGE = random(9_000_000);

describe('a large body', () => {
  test('comes whole, in few pieces whose memory is used again, also for a slow reader', async () => {
    await withSockets(
      (socket) => socket.write(answer(200, LARGE)),
      async (get) => {
        for (const isSlow of [false, true]) {
          const { body } = await get();
          const memory = new Set<ArrayBufferLike>();
          let at = 0;
          for await (const piece of body) {
            memory.add(piece.buffer);
            // Other turns of the loop, in which the socket would write into it.
            if (isSlow) for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done));
            expect(LARGE.subarray(at, at + piece.length).equals(piece)).toBe(true);
            at += piece.length;
          }
          expect(at).toBe(LARGE.length);
          expect(memory.size).toBeLessThanOrEqual(3);
        }
      },
    );
  });

  test('A7: bytes behind it end the connection, and are no answer to anybody', async () => {
    const ports = new Set<number | undefined>();
    await withSockets(
      (socket) => {
        ports.add(socket.remotePort);
        socket.write(Buffer.concat([answer(200, 'first'), answer(200, 'other')]));
      },
      async (get) => {
        for (let turn = 0; turn < 2; turn++) {
          const pieces = [];
          for await (const piece of (await get()).body) pieces.push(Buffer.from(piece).toString());
          expect(pieces).toEqual(['first']);
        }
        expect(ports.size).toBe(2);
      },
    );
  });

  test('a reader that leaves, and a run that ends, close the connection', async () => {
    let closed = 0;
    await withSockets(
      (socket) => {
        socket.on('close', () => (closed += 1));
        socket.write(answer(200, LARGE));
      },
      async (get) => {
        for await (const _piece of (await get()).body) break;
        const run = new AbortController();
        const { body } = await get({ signal: run.signal });
        const reading = (async () => {
          for await (const _piece of body) run.abort(new Error('over'));
        })();
        await expect(reading).rejects.toThrow('over');
        await expect.poll(() => closed).toBe(2);
      },
    );
  });
});

test.each([
  ['chunked', 'HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['of no length', 'HTTP/1.1 200 X\r\n\r\nhello'],
  ['of two lengths', 'HTTP/1.1 200 X\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ['interim', 'HTTP/1.1 103 X\r\ncontent-length: 0\r\n\r\n'],
  ['of HTTP/1.0', 'HTTP/1.0 200 X\r\ncontent-length: 1\r\n\r\na'],
  ['with a folded line', 'HTTP/1.1 200 X\r\na: b\r\n c\r\ncontent-length: 1\r\n\r\na'],
  ['with a bare line feed', 'HTTP/1.1 200 X\r\na: b\nc: d\r\ncontent-length: 1\r\n\r\na'],
  ['no HTTP', 'x'.repeat(17_000)],
])('an answer %s is left to the careful transport, and so is that origin', async (_, bytes) => {
  await withSockets(
    (socket) => socket.write(bytes),
    async (get, server) => {
      for (let turn = 0; turn < 2; turn++) expect((await get()).headers).toEqual({ way: 'careful' });
      expect(server.requests).toHaveLength(1);
    },
  );
});

test('property: no head is read as anything but what it says, and none throws', () => {
  const piece = fc.constantFrom(
    'a: b',
    'Content-Length: 7',
    'content-length: 8',
    'x',
    '',
    ' y',
    'c:\0',
    'd: é',
    '__proto__: z',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 12 }))), (lines) => {
      const head = parseHead(['HTTP/1.1 200 OK', ...lines].join('\r\n'));
      if (head === undefined) return;
      const lengths = lines
        .join('\r\n')
        .split('\r\n')
        .filter((line) => /^content-length:/i.test(line));
      expect(lengths).toHaveLength(1);
      expect(head.length).toBe(Number(lengths[0]!.split(':')[1]));
      expect(({} as Record<string, unknown>)['z']).toBeUndefined();
    }),
    { numRuns: 1000 },
  );
});

describe('small files read ahead', () => {
  /** What each of ten requests came to. */
  async function answers(script: Script): Promise<(string | undefined)[]> {
    const server = await misbehave(script);
    const got: (string | undefined)[] = [];
    const rows = Array.from({ length: 10 }, (_, index) => `/${index}`);
    await new Promise<void>((over) => {
      const open = () =>
        openPlainConnection<string>({
          url: new URL(server.url),
          pathOf: (row) => row,
          timeoutMs: 300,
          monotonic: () => performance.now(),
          answered: (row, body) => {
            got[Number(row.slice(1))] = body === undefined ? undefined : Buffer.from(body).toString();
          },
          again: () => {
            const room = connection.room();
            if (room === undefined) connection = rows.length > 0 ? open() : connection;
            if (rows.length > 0) connection.ask(rows.splice(0, connection.room()));
            else if (room === undefined || room === AHEAD) over();
          },
        });
      let connection = open();
      connection.ask(rows.splice(0, 1));
    });
    await server.close();
    return got;
  }
  const AHEAD = 4;
  const all = Array.from({ length: 10 }, (_, index) => `file /${index}`);
  const bodyOf = (head: string) => `file ${/GET (\S+)/.exec(head)?.[1]}`;

  test('every answer belongs to its request, however they are cut', async () => {
    expect(await answers((socket, { head }) => socket.write(answer(200, bodyOf(head))))).toEqual(all);
    const bytewise = await answers((socket, { head }) => {
      for (const byte of answer(200, bodyOf(head))) socket.write(Buffer.of(byte));
    });
    expect(bytewise).toEqual(all);
  });

  test('a server that closes after each is asked again on others, and loses none', async () => {
    const got = await answers((socket, { head }) =>
      socket.end(answer(200, bodyOf(head), { connection: 'close' })),
    );
    expect(got).toEqual(all);
  });

  test.each([
    ['404', answer(404, 'x')],
    ['a redirect', answer(302, '', { location: '/elsewhere' })],
    ['an encoded body', answer(200, 'x', { 'content-encoding': 'gzip' })],
    ['a body too large', answer(200, Buffer.alloc(256 * 1024 + 1))],
    ['a range', answer(206, 'x', { 'content-range': 'bytes 0-0/9' })],
    ['a drip', Buffer.from('HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\nabc')],
    ['no HTTP', Buffer.from('hello\r\n\r\n')],
  ])('%s comes to nothing, without waiting for more than its time', async (_, bytes) => {
    const silent = new WeakSet<object>();
    const got = await answers((socket, { head }) => {
      if (silent.has(socket)) return;
      if (head.includes('/3 ')) silent.add(socket);
      socket.write(head.includes('/3 ') ? bytes : answer(200, bodyOf(head)));
    });
    expect(got[3]).toBeUndefined();
    for (const [index, text] of got.entries()) if (text !== undefined) expect(text).toBe(`file /${index}`);
  });
});
