// Pipelined HTTP/1.1 for files: large bodies in chunks, kept connections, and small responses to requests sent ahead.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPipelinedTransport } from '../../../src/download/pipelined-http/transport.ts';
import { openPipelinedConnection } from '../../../src/download/pipelined-http/connection.ts';
import { parseResponseHead } from '../../../src/download/pipelined-http/response-head.ts';
import type { Transport } from '../../../src/client/transport.ts';
import { BAD_ANSWERS } from '../../support/bad-answers.ts';
import { CERTIFICATES, KEY, trustAuthority } from '../../support/certificates.ts';
import { answer, misbehave, type Misbehaving, type Script } from '../../support/misbehaving-server.ts';
import { runs } from '../../support/runs.ts';

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
  const sockets = createPipelinedTransport({
    ...waits,
    monotonic: () => performance.now(),
    fallback: careful,
  });
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
  test('is complete, in few chunks whose memory is used again, also for a slow reader', async () => {
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

  test('leaves the next one on its connection alone, whenever its own reader goes on', async () => {
    const ports = new Set<number | undefined>();
    // Exactly the memory of a connection, so that all of it is lent when the body has ended.
    const bodies = [LARGE.subarray(0, 3 * 1024 * 1024), LARGE];
    const manyTurns = async () => {
      for (let turn = 0; turn < 2000; turn++) await new Promise((done) => setImmediate(done));
    };
    await withSockets(
      (socket) => {
        ports.add(socket.remotePort);
        socket.write(answer(200, bodies.shift()));
      },
      async (get) => {
        const first = (await get()).body[Symbol.asyncIterator]();
        await manyTurns();
        const next = (await get()).body[Symbol.asyncIterator]();
        const held: Uint8Array = (await next.next()).value;
        await manyTurns();
        for (let piece = 0; piece < 3; piece++) await first.next();
        await manyTurns();
        expect(LARGE.subarray(0, held.length).equals(held)).toBe(true);
        // Nor does it end with its reader.
        await first.return!();
        let received = held.length;
        for (;;) {
          const { value, done } = await next.next();
          if (done === true) break;
          received += value.length;
        }
        expect(received).toBe(LARGE.length);
        expect(ports.size).toBe(1);
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

  test('a reader that stops, and a run that ends, close the connection', async () => {
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
])('a response %s is left to the fallback transport, and so is its origin from then on', async (_, bytes) => {
  await withSockets(
    (socket) => socket.write(bytes),
    async (get, server) => {
      for (let turn = 0; turn < 2; turn++) expect((await get()).headers).toEqual({ way: 'careful' });
      expect(server.requests).toHaveLength(1);
    },
  );
});

test('property: a head is parsed as what it says, or not at all, and never throws', () => {
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
      const head = parseResponseHead(['HTTP/1.1 200 OK', ...lines].join('\r\n'));
      if (head === undefined) return;
      const lengths = lines
        .join('\r\n')
        .split('\r\n')
        .filter((line) => /^content-length:/i.test(line));
      expect(lengths).toHaveLength(1);
      expect(head.length).toBe(Number(lengths[0]!.split(':')[1]));
      expect(({} as Record<string, unknown>)['z']).toBeUndefined();
    }),
    { numRuns: runs({ quick: 200, long: 1_000 }) },
  );
});

describe.each(['http', 'https'])('pipelined requests over %s', (scheme) => {
  let distrust: () => void;
  beforeAll(() => void (distrust = trustAuthority()));
  afterAll(() => distrust());
  const MOST = 256 * 1024;
  const bodyOf = (head: string) => `file ${/GET (\S+)/.exec(head)?.[1]}`;

  /** What each of forty requests came to, in the order they were made; what is left over is asked for again. */
  async function answers(script: Script, count = 40): Promise<(string | undefined)[]> {
    const tls = { key: KEY, cert: CERTIFICATES.right };
    const server = await misbehave(script, scheme === 'https' ? tls : undefined);
    const got: (string | undefined)[] = Array.from({ length: count }, () => 'never');
    const rows = Array.from({ length: count }, (_, index) => index);
    await new Promise<void>((over) => {
      let waiting = count;
      const open = () =>
        openPipelinedConnection<number>({
          url: new URL(server.url),
          connectTimeoutMs: 300,
          idleTimeoutMs: 300,
          monotonic: () => performance.now(),
          maxWholeBytes: MOST,
          requestOf: (row) => ({ target: `/${row}`, fields: '' }),
          onHead: (_row, { status, headers }) =>
            status === 200 && headers['content-encoding'] === undefined ? 'whole' : 'unwanted',
          onBody: (row, body) => {
            got[row] = Buffer.from(body).toString();
            waiting -= 1;
          },
          onFailure: (row, why) => {
            if (why === 'unanswered') rows.unshift(row);
            else {
              got[row] = undefined;
              waiting -= 1;
            }
          },
          onProgress: () => {
            if (waiting === 0) return over();
            if (connection.freeSlots() === undefined) connection = open();
            const room = connection.freeSlots() ?? 0;
            if (room > 0 && rows.length > 0) connection.send(rows.splice(0, room));
          },
        });
      let connection = open();
      connection.send(rows.splice(0, 1));
    });
    await server.close();
    return got;
  }
  const all = Array.from({ length: 40 }, (_, index) => `file /${index}`);

  test('every response belongs to its request, however the bytes are cut', async () => {
    expect(await answers((socket, { head }) => socket.write(answer(200, bodyOf(head))))).toEqual(all);
    const bytewise = await answers((socket, { head }) => {
      for (const byte of answer(200, bodyOf(head))) socket.write(Buffer.of(byte));
    });
    expect(bytewise).toEqual(all);
  });

  test('requests are sent ahead of their responses, but not before the first response', async () => {
    let open = 0;
    let most = 0;
    let first: number | undefined;
    const got = await answers((socket, { head }) => {
      most = Math.max(most, (open += 1));
      setImmediate(() => {
        first ??= open;
        open -= 1;
        socket.write(answer(200, bodyOf(head)));
      });
    });
    expect(got).toEqual(all);
    expect([first, most]).toEqual([1, 16]);
  });

  test.each([
    ['after each, and says so', { connection: 'close' }, 1],
    ['after the third without a word, whatever was asked ahead', {}, 3],
  ])('if a server closes %s, other connections are used and no file is lost', async (_, headers, after) => {
    const answered = new WeakMap<object, number>();
    const got = await answers((socket, { head }) => {
      const count = (answered.get(socket) ?? 0) + 1;
      answered.set(socket, count);
      if (count < after) socket.write(answer(200, bodyOf(head), headers));
      else if (count === after) socket.end(answer(200, bodyOf(head), headers));
    });
    expect(got).toEqual(all);
  });

  test('a request that always ends its connection is given up, and the others are answered', async () => {
    const got = await answers((socket, { head }) => {
      if (head.includes('/20 ')) socket.destroy();
      else socket.write(answer(200, bodyOf(head)));
    });
    expect(got).toEqual(all.with(20, undefined as never));
  });

  test.each([
    ['404', answer(404, 'x')],
    ['a redirect', answer(302, '', { location: '/elsewhere' })],
    ['an encoded body', answer(200, 'x', { 'content-encoding': 'gzip' })],
    ['a body too large', answer(200, Buffer.alloc(MOST + 1))],
    ['a range', answer(206, 'x', { 'content-range': 'bytes 0-0/9' })],
    ['a body that breaks off', Buffer.from('HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\nabc')],
    ['a head that breaks off', Buffer.from('HTTP/1.1 200 X\r\ncontent-le')],
    ['no HTTP', Buffer.from('hello\r\n\r\n')],
  ])('%s fails within the timeout, and the others are answered', async (_, bytes) => {
    const silent = new WeakSet<object>();
    const got = await answers((socket, { head }) => {
      if (silent.has(socket)) return;
      if (head.includes('/20 ')) silent.add(socket);
      socket.write(head.includes('/20 ') ? bytes : answer(200, bodyOf(head)));
    });
    expect(got).toEqual(all.with(20, undefined as never));
  });

  test.each(BAD_ANSWERS)('$id $fault gives no file', async ({ script }) => {
    const broken = new WeakSet<object>();
    const got = await answers((socket, request, count) => {
      if (broken.has(socket)) return;
      if (request.head.includes('/3 ')) {
        broken.add(socket);
        script(socket, request, count);
      } else socket.write(answer(200, bodyOf(request.head)));
    }, 5);
    expect(got).toEqual(all.slice(0, 5).with(3, undefined as never));
  });
});
