import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Service, ServiceRequest, ServiceResponse } from '../../../src/contract/exchange.ts';
import { MAX_REQUEST_BYTES } from '../../../src/contract/scalars.ts';
import { wholeBody } from '../../../src/service/handlers/body.ts';
import { errorResponse } from '../../../src/service/handlers/error-response.ts';
import { createAssetService, createService, openArchive } from '../../../src/service/index.ts';
import { listen, type Listener, type PortLimits } from '../../../src/service/http/port.ts';
import { NO_OBSERVER } from '../../../src/service/http/request-tracker.ts';
import { ApiError } from '../../../src/service/rules/api-error.ts';
import { bodyOf, errorOf, raw, statusOf } from '../../support/raw-request.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { sha256Of } from '../../support/digest.ts';

const open: Listener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close(0)));
});

let serial = 0;
/** A service that reads the body and answers /x by `answer`, and refuses the rest without reading it, as ours does. */
async function start(answer: Service, limits: Partial<PortLimits> = {}) {
  const seen: ServiceRequest[] = [];
  const service: Service = async (request) => {
    if (!request.target.startsWith('/x')) {
      return errorResponse(new ApiError('not_found', 'nothing here'), `req_${++serial}`, 0.5);
    }
    const body = await wholeBody(request, MAX_REQUEST_BYTES).catch((error: ApiError) => error);
    if (body instanceof ApiError) return errorResponse(body, `req_${++serial}`, 0.5);
    seen.push({ ...request, body: request.body === null ? null : body });
    return answer(request);
  };
  const listener = await listen(service, { host: '127.0.0.1', port: 0, limits });
  open.push(listener);
  return { listener, seen };
}

const hello: Service = async () => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: 'hello',
});

const HEAD = 'Host: localhost\r\nConnection: close\r\n';

test('a request reaches the service unchanged, and so does the response the client', async () => {
  const { listener, seen } = await start(async () => ({
    status: 206,
    headers: { 'content-type': 'text/plain', date: 'Tue, 14 Nov 2023 22:13:20 GMT', 'x-own': '1' },
    body: 'grüß',
  }));
  const answer = await raw(
    listener,
    `POST /x%2F?a=1&a=2 HTTP/1.1\r\n${HEAD}X-Twice: 1\r\nX-Twice: 2\r\nContent-Length: 3\r\n\r\nabc`,
  );
  expect(seen).toEqual([
    {
      method: 'POST',
      target: '/x%2F?a=1&a=2',
      headers: [
        ['host', 'localhost'],
        ['connection', 'close'],
        ['x-twice', '1'],
        ['x-twice', '2'],
        ['content-length', '3'],
      ],
      body: Buffer.from('abc'),
      peer: '127.0.0.1',
      gone: expect.any(Function) as unknown,
    },
  ]);
  expect(statusOf(answer)).toBe(206);
  expect(answer).toMatch(/^content-length: 6\r$/m);
  expect(answer).toMatch(/^x-own: 1\r$/m);
  expect(answer.match(/^date: .*(?=\r$)/gim)).toEqual(['date: Tue, 14 Nov 2023 22:13:20 GMT']);
  expect(Buffer.from(bodyOf(answer), 'latin1').toString()).toBe('grüß');
});

test('a pipelined request is not answered before the one in front of it', async () => {
  let answerAll = (): void => {};
  const gate = new Promise<void>((resolve) => (answerAll = resolve));
  const { listener } = await start(async (request) => {
    if (request.target === '/x2') await gate;
    return hello(request);
  });
  const socket = connect(listener.port, '127.0.0.1');
  socket.on('error', () => {});
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  socket.write(ask('/x1') + ask('/x2'));
  let answers = '';
  for await (const chunk of socket) {
    answers += (chunk as Buffer).toString('latin1');
    if (answers.endsWith('hello')) socket.write('no request\r\n\r\n');
  }
  answerAll();
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
});

describe('pipelining', () => {
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const gated = async (limits: Partial<PortLimits> = {}) => {
    let answerAll = (): void => {};
    const gate = new Promise<void>((resolve) => (answerAll = resolve));
    const { listener, seen } = await start(async (request) => {
      if (request.target === '/x-wait') await gate;
      return hello(request);
    }, limits);
    return { listener, seen, answerAll };
  };
  /** Sends text, and returns the connection with what was answered so far. */
  const say = (listener: Listener, text: string) => {
    const socket = connect(listener.port, '127.0.0.1');
    const said = { socket, answers: '', closed: new Promise((resolve) => socket.once('close', resolve)) };
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => (said.answers += chunk.toString('latin1')));
    socket.write(text);
    return said;
  };

  test('requests of other connections are answered between those of one', async () => {
    const { listener, seen } = await start(hello);
    const many = say(listener, ask('/x').repeat(30));
    const other = say(listener, ask('/x-other'));
    await expect.poll(() => other.answers).toMatch(/hello$/);
    expect(seen.findIndex(({ target }) => target === '/x-other')).toBeLessThan(10);
    await expect.poll(() => many.answers.match(/hello/g)).toHaveLength(30);
    many.socket.destroy();
    other.socket.destroy();
  });

  test.each([
    ['Connection: close', '1.1\r\nHost: localhost\r\nConnection: close'],
    ['HTTP/1.0', '1.0\r\nHost: localhost'],
  ])('requests up to one that closes (%s) are answered, those after it are not', async (_name, last) => {
    const { listener, seen } = await start(hello);
    const said = say(listener, `${ask('/x1')}GET /x2 HTTP/${last}\r\n\r\n${ask('/x3').repeat(3)}`);
    await said.closed;
    expect(said.answers.match(/hello/g)).toHaveLength(2);
    expect(seen.map(({ target }) => target).filter((path) => /\d/.test(path))).toEqual(['/x1', '/x2']);
  });

  test('only some begin before the first is answered, and all are answered in their order', async () => {
    const { listener, seen, answerAll } = await gated();
    const paths = Array.from({ length: 60 }, (_, n) => `/x${n}`);
    const said = say(listener, ask('/x-wait') + paths.map(ask).join(''));
    await raw(listener, `GET /x HTTP/1.1\r\n${HEAD}\r\n`);
    await expect.poll(() => seen.length).toBeGreaterThan(10);
    expect(seen.length).toBeLessThan(20);
    answerAll();
    await expect.poll(() => seen.map(({ target }) => target)).toEqual(expect.arrayContaining(paths));
    expect(seen.map(({ target }) => target).filter((path) => /\d/.test(path))).toEqual(paths);
    await expect.poll(() => said.answers.match(/hello/g)).toHaveLength(61);
    said.socket.destroy();
  });

  test.each([
    ['too many', ask('/x').repeat(100)],
    ['too large', ask(`/x?${'a'.repeat(10_000)}`).repeat(10)],
  ])('a connection on which %s requests wait is closed', async (_, text) => {
    const { listener, seen } = await gated();
    const { closed } = say(listener, ask('/x-wait') + text);
    await closed;
    expect(seen.length).toBeLessThan(20);
    expect(statusOf(await raw(listener, `GET /x HTTP/1.1\r\n${HEAD}\r\n`))).toBe(200);
  });

  test('the bodies of a connection that closed are no longer counted', async () => {
    const body = `Content-Length: 5000\r\n\r\n${'a'.repeat(5000)}`;
    const { listener, seen } = await gated({ maxBodyBytes: 8_000 });
    const post = `POST /x-post HTTP/1.1\r\nHost: localhost\r\n${body}`;
    const { socket, closed } = say(listener, ask('/x-wait') + post);
    await expect.poll(() => seen.some(({ target }) => target === '/x-post')).toBe(true);
    socket.resetAndDestroy();
    await closed;
    const status = async (): Promise<unknown> =>
      statusOf(await raw(listener, `POST /x HTTP/1.1\r\n${HEAD}${body}`));
    await expect.poll(status).toBe(200);
  });

  test('a stream behind another response is not read before that is sent', async () => {
    let isBegun = false;
    const { listener } = await start(async ({ target }) => ({
      ...(await hello({} as ServiceRequest)),
      body: (async function* () {
        if (target === '/x-next') isBegun = true;
        yield Buffer.alloc(target === '/x-next' ? 5 : 32 * 1024 * 1024);
      })(),
    }));
    const { socket, closed } = say(listener, ask('/x') + ask('/x-next'));
    socket.pause();
    expect(statusOf(await raw(listener, `GET /x HTTP/1.1\r\n${HEAD}\r\n`, 'HTTP'))).toBe(200);
    expect(isBegun).toBe(false);
    socket.resume();
    // Before it come 64 MiB.
    await expect.poll(() => isBegun).toBe(true);
    socket.resetAndDestroy();
    await closed;
  });

  test.each([
    ['a broken body', 'POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['CONNECT', 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['no request', 'no request\r\n\r\n'],
  ])('%s behind a request is not answered as that request', async (_, text) => {
    const { listener } = await gated();
    const said = say(listener, ask('/x-wait') + text);
    await said.closed;
    expect(said.answers).toBe('');
  });
});

test('N1 the service sees both of two Authorization headers', async () => {
  const { listener, seen } = await start(hello);
  await raw(listener, `GET /x HTTP/1.1\r\n${HEAD}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`);
  expect(seen[0]?.headers.filter(([name]) => name === 'authorization')).toHaveLength(2);
  expect(seen[0]?.body).toBeNull();
});

test('an absolute target is read as its path', async () => {
  const { listener, seen } = await start(hello);
  await raw(listener, `GET http://localhost/x?y=http://z/ HTTP/1.1\r\n${HEAD}\r\n`);
  expect(seen[0]?.target).toBe('/x?y=http://z/');
});

describe('P5 bodies over the limit', () => {
  const big = 'a'.repeat(MAX_REQUEST_BYTES);
  test('declared: refused before the body is sent', async () => {
    const { listener, seen } = await start(hello);
    const text = `POST /x HTTP/1.1\r\n${HEAD}Content-Length: ${MAX_REQUEST_BYTES + 1}\r\n\r\n`;
    const answer = await raw(listener, text, '"integrity":0.5}}');
    expect([statusOf(answer), errorOf(answer).code]).toEqual([413, 'payload_too_large']);
    expect(seen).toEqual([]);
  });
  test('declared and sent anyway: the client can still read the error', async () => {
    const { listener } = await start(hello);
    const text = `POST /x HTTP/1.1\r\n${HEAD}Content-Length: ${MAX_REQUEST_BYTES + 1}\r\n\r\n${big}a`;
    expect(statusOf(await raw(listener, text))).toBe(413);
  });
  test('endless: cut off, never kept in memory', async () => {
    const { listener, seen } = await start(hello);
    const socket = connect(listener.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`POST /x HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    let sent = 0;
    for (; sent < 64 && !socket.destroyed; sent++) {
      const more = socket.write(`100000\r\n${big}\r\n`);
      if (!more) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    }
    await closed;
    expect(sent).toBeLessThan(32);
    expect(statusOf(answer)).toBe(413);
    expect(seen).toEqual([]);
  });
  test('chunked: the same error body', async () => {
    const { listener } = await start(hello);
    const text = `POST /x HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n100001\r\n${big}a\r\n0\r\n\r\n`;
    expect(errorOf(await raw(listener, text)).code).toBe('payload_too_large');
  });
  test('a body of exactly the limit passes', async () => {
    const { listener, seen } = await start(hello);
    const text = `POST /x HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n100000\r\n${big}\r\n0\r\n\r\n`;
    expect(statusOf(await raw(listener, text))).toBe(200);
    expect(seen[0]?.body).toHaveLength(MAX_REQUEST_BYTES);
  });
});

const MANY = Array.from({ length: 10_000 }, (_, n) => `a${n}:b\r\n`).join('');
const SOME = Array.from({ length: 200 }, (_, n) => `a${n}:b\r\n`).join('');
test.each<[string, string, number, string]>([
  ['Q2 20 KiB header', `GET /x HTTP/1.1\r\n${HEAD}A: ${'b'.repeat(20_480)}\r\n\r\n`, 431, 'header_too_large'],
  ['Q2 10,000 headers', `GET /x HTTP/1.1\r\n${HEAD}${MANY}\r\n`, 431, 'header_too_large'],
  ['Q2 200 small headers', `GET /x HTTP/1.1\r\n${HEAD}${SOME}\r\n`, 431, 'header_too_large'],
  [
    'Q3 CL and TE',
    `POST /x HTTP/1.1\r\n${HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'request_invalid',
  ],
  [
    'Q3 TE identity',
    `POST /x HTTP/1.1\r\n${HEAD}Transfer-Encoding: identity\r\n\r\nabc`,
    400,
    'request_invalid',
  ],
  [
    'Q3 two CL',
    `POST /x HTTP/1.1\r\n${HEAD}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc`,
    400,
    'request_invalid',
  ],
  ['Q3 negative CL', `POST /x HTTP/1.1\r\n${HEAD}Content-Length: -3\r\n\r\nabc`, 400, 'request_invalid'],
  ['Q3 bare LF', 'GET /x HTTP/1.1\nHost: here\nA: b\n\n', 400, 'request_invalid'],
  ['Q3 NUL', `GET /x HTTP/1.1\r\n${HEAD}A: b\0c\r\n\r\n`, 400, 'request_invalid'],
  ['Q3 lower-case method', `get /x HTTP/1.1\r\n${HEAD}\r\n`, 400, 'request_invalid'],
  ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'request_invalid'],
  ['no host', 'GET /x HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'request_invalid'],
  ['two hosts', `GET /x HTTP/1.1\r\n${HEAD}Host: here\r\n\r\n`, 400, 'request_invalid'],
  ['Q10 another Expect', `GET /x HTTP/1.1\r\n${HEAD}Expect: 200-ok\r\n\r\n`, 417, 'expectation_failed'],
  ['Q10 Expect', `GET /x HTTP/1.1\r\n${HEAD}Expect: 100-continue, x\r\n\r\n`, 417, 'expectation_failed'],
  ['HTTP/2.0', `GET /x HTTP/2.0\r\n${HEAD}\r\n`, 400, 'request_invalid'],
  ['HTTP/0.9', `GET /x\r\n\r\n`, 400, 'request_invalid'],
  [
    'Q3 TE in HTTP/1.0',
    `POST /x HTTP/1.0\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'request_invalid',
  ],
  [
    'Q3 no TE',
    `POST /x HTTP/1.1\r\n${HEAD}Transfer-Encoding:\r\nContent-Length: 1\r\n\r\na`,
    400,
    'request_invalid',
  ],
  ['Q10 CONNECT', 'CONNECT here:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', 405, 'method_not_allowed'],
])('%s', async (_, text, status, code) => {
  const { listener, seen } = await start(hello);
  const answer = await raw(listener, text);
  expect(statusOf(answer)).toBe(status);
  expect(errorOf(answer)).toMatchObject({ code, integrity: 0.5 });
  expect(errorOf(answer).request_id).toMatch(/^req_\d+$/);
  expect(answer).toMatch(/^connection: close\r$/im);
  expect(seen).toEqual([]);
});

test.each([
  [
    'a broken body that nobody wants',
    `POST /nowhere HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ],
  [
    'a broken body after too many headers',
    `POST /x HTTP/1.1\r\n${HEAD}${SOME}Transfer-Encoding: a\r\n\r\nabc`,
  ],
  ['a transfer coding that Node refuses, too', `POST /x HTTP/1.1\r\n${HEAD}Transfer-Encoding: a\r\n\r\nabc`],
])('%s has one response', async (_, text) => {
  const { listener } = await start(hello);
  expect((await raw(listener, text)).match(/HTTP\/1\.1 4\d\d /g)).toHaveLength(1);
});

test('Q2 a flood of chunk extensions is refused', async () => {
  const { listener, seen } = await start(hello);
  const text = `POST /x HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n1;${'e'.repeat(20_000)}\r\na\r\n0\r\n\r\n`;
  expect(errorOf(await raw(listener, text)).code).toBe('request_invalid');
  expect(seen).toEqual([]);
  expect(statusOf(await raw(listener, `GET /x HTTP/1.1\r\n${HEAD}\r\n`))).toBe(200);
});

describe('Q10 unusual requests', () => {
  test.each([
    ['Upgrade', `GET /x HTTP/1.1\r\n${HEAD.replace('close', 'Upgrade')}Upgrade: h2c\r\n\r\n`],
    ['Expect in HTTP/1.0', `GET /x HTTP/1.0\r\n${HEAD}Expect: miracles\r\n\r\n`],
    ['TE', `GET /x HTTP/1.1\r\n${HEAD}TE: gzip, trailers\r\n\r\n`],
    [
      'Trailer',
      `GET /x HTTP/1.1\r\n${HEAD}Trailer: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na: b\r\n\r\n`,
    ],
    ['TRACE goes to the service', `TRACE /x HTTP/1.1\r\n${HEAD}\r\n`],
    ['HTTP/1.0 without host', 'GET /x HTTP/1.0\r\n\r\n'],
  ])('%s', async (_, text) => {
    const { listener } = await start(hello);
    expect(await raw(listener, text, 'hello')).toMatch(/^HTTP\/1\.1 200 [^]*hello$/);
  });
  test('100-continue is sent for a body within the limit, 413 for a larger one', async () => {
    const { listener } = await start(hello);
    const ask = (length: number) =>
      `POST /x HTTP/1.1\r\n${HEAD}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    expect(await raw(listener, `${ask(1)}a`)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/);
    expect(await raw(listener, ask(MAX_REQUEST_BYTES + 1))).toMatch(/^HTTP\/1\.1 413/);
  });
  test('a connection on which Upgrade is ignored is closed: Node drops what follows in the same packet', async () => {
    const { listener } = await start(hello);
    const upgrade = 'GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    const answer = await raw(listener, `${upgrade}GET /x HTTP/1.1\r\n${HEAD}\r\n`);
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(answer.match(/hello/g)).toHaveLength(1);
  });
  test('a client with another Expect does not have to send its body', async () => {
    const { listener } = await start(hello);
    const text = `POST /x HTTP/1.1\r\n${HEAD}Expect: 200-ok\r\nContent-Length: 9\r\n\r\n`;
    expect(statusOf(await raw(listener, text))).toBe(417);
  });
  test('HEAD has headers only', async () => {
    const { listener } = await start(async () => ({
      status: 200,
      headers: { 'content-length': '5' },
      body: '',
    }));
    expect(await raw(listener, `HEAD /x HTTP/1.1\r\n${HEAD}\r\n`)).toMatch(
      /content-length: 5\r\n[^]*\r\n\r\n$/,
    );
  });
  test.each([204, 304])('%i has no body and no length', async (status) => {
    const { listener } = await start(async () => ({ status, headers: {}, body: '' }));
    const answer = await raw(listener, `GET /x HTTP/1.1\r\n${HEAD}\r\n`);
    expect(statusOf(answer)).toBe(status);
    expect(bodyOf(answer)).toBe('');
  });
});

describe('Q1 slow clients', () => {
  test('headers that never arrive', async () => {
    const { listener } = await start(hello, {
      headersTimeoutMs: 100,
      requestTimeoutMs: 200,
      timeoutCheckMs: 25,
    });
    const answer = await raw(listener, 'GET /x HTTP/1.1\r\nHost: localhost\r\nA: ');
    expect(errorOf(answer).code).toBe('request_invalid');
  });
  test('a body that never arrives', async () => {
    const { listener, seen } = await start(hello, {
      headersTimeoutMs: 50,
      requestTimeoutMs: 100,
      timeoutCheckMs: 25,
    });
    const answer = await raw(listener, `POST /x HTTP/1.1\r\n${HEAD}Content-Length: 10\r\n\r\nabc`);
    expect(errorOf(answer).code).toBe('request_invalid');
    expect(seen).toEqual([]);
  });
  test('a stream that is not read is not produced, and its connection is closed', async () => {
    let produced = 0;
    let given!: () => void;
    const ended = new Promise<void>((resolve) => (given = resolve));
    const { listener } = await start(
      async () => ({ status: 200, headers: {}, body: endless(() => produced++, given) }),
      { idleTimeoutMs: 200 },
    );
    const socket = connect(listener.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write(`GET /x HTTP/1.1\r\n${HEAD}\r\n`);
    await ended;
    // What fits into the socket buffers of both sides.
    expect(produced * 65_536).toBeLessThan(32 * 1024 * 1024);
    socket.destroy();
  });
});

/** How many bytes of a whole answer no socket buffer holds. */
const LARGE = 64 * 1024 * 1024;
const SLOW_READERS = {
  checkIntervalMs: 60,
  maxChecks: 2,
  minBytesPerCheck: 240 * 1024,
  maxPendingBytes: LARGE,
};

/** A client that asks and then reads as `pace` does. */
async function reader(listener: Listener, pace: (socket: Socket) => void = (socket) => socket.pause()) {
  const socket = await connected(listener.port);
  socket.on('error', () => {});
  pace(socket);
  socket.write(`GET /x HTTP/1.1\r\n${HEAD}\r\n`);
  return socket;
}

describe('slow readers', () => {
  const large: Service = async () => ({ status: 200, headers: {}, body: 'x'.repeat(LARGE) });

  test('a whole body that is read in tiny steps is given up in the end', async () => {
    const { listener, seen } = await start(large, { slowReaders: SLOW_READERS });
    const socket = await reader(listener, (mine) => {
      mine.on('data', () => {
        mine.pause();
        setTimeout(() => mine.resume(), 10).unref();
      });
    });
    await once(socket, 'close');
    expect(socket.bytesRead).toBeLessThan(LARGE);
    expect(seen).toHaveLength(1);
  });

  test('a stream that is read too slowly is given up, one that is read quickly is not', async () => {
    let ended!: () => void;
    const end = new Promise<void>((resolve) => (ended = resolve));
    const body = () =>
      endless(
        () => {},
        () => ended(),
      );
    const { listener } = await start(async () => ({ status: 200, headers: {}, body: body() }), {
      slowReaders: SLOW_READERS,
    });
    const quick = await reader(listener, (socket) => socket.resume());
    const slow = await reader(listener);
    await end;
    expect([quick.destroyed, quick.bytesRead > 1024 * 1024]).toEqual([false, true]);
    quick.destroy();
    slow.destroy();
  });

  test('new requests get 503 while too many bytes wait to be read, and are accepted again later', async () => {
    const { listener } = await start(
      async ({ target }) => (target === '/x' ? large : hello)({} as ServiceRequest),
      { slowReaders: { ...SLOW_READERS, checkIntervalMs: 60_000, maxPendingBytes: LARGE - 1 } },
    );
    const socket = await reader(listener);
    const ask = () => raw(listener, `GET /x2 HTTP/1.1\r\n${HEAD}\r\n`);
    let answer = await ask();
    for (let n = 0; n < 1_000 && statusOf(answer) === 200; n += 1) answer = await ask();
    expect(errorOf(answer).code).toBe('store_unavailable');
    expect(answer).toMatch(/^retry-after: 1\r$/im);
    socket.destroy();
    for (let n = 0; n < 1_000 && statusOf(answer) !== 200; n += 1) answer = await ask();
    expect(bodyOf(answer)).toBe('hello');
  });

  test('the response to a client that left before it was made does not count', async () => {
    let answerIt!: () => void;
    const gate = new Promise<void>((resolve) => (answerIt = resolve));
    let arrived!: () => void;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const service: Service = async ({ target }) => {
      if (target !== '/x') return hello({} as ServiceRequest);
      arrived();
      await gate;
      return large({} as ServiceRequest);
    };
    let left!: () => void;
    const departure = new Promise<void>((resolve) => (left = resolve));
    const listener = await listen(service, {
      host: '127.0.0.1',
      port: 0,
      observer: { ...NO_OBSERVER, disconnected: () => left() },
      limits: { slowReaders: { ...SLOW_READERS, maxPendingBytes: LARGE - 1 } },
    });
    open.push(listener);
    const socket = await reader(listener);
    await arrival;
    socket.resetAndDestroy();
    await departure;
    answerIt();
    const answer = await raw(listener, `GET /x2 HTTP/1.1\r\n${HEAD}\r\n`);
    expect(bodyOf(answer)).toBe('hello');
  });
});

async function* endless(tick: () => void, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      tick();
      yield new Uint8Array(65_536);
    }
  } finally {
    end();
  }
}

/** Starts a service whose /x is `body`. Requests so many files of another service, which come after `resume`. */
async function startStalled(count: number, body: Omit<ServiceResponse, 'status' | 'headers'>) {
  let resume!: () => void;
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  let begun = 0;
  let allBegan!: () => void;
  const began = new Promise<void>((resolve) => (allBegan = resolve));
  async function* stalled(): AsyncGenerator<Uint8Array> {
    if (++begun === count) allBegan();
    await resumed;
    yield Buffer.from('late');
  }
  const { listener } = await start(async ({ target }) => ({
    status: 200,
    headers: {},
    ...(target === '/x' ? body : { body: stalled(), isRemote: true }),
  }));
  const ask = (path: string) => raw(listener, `GET ${path} HTTP/1.1\r\n${HEAD}\r\n`);
  const late = Array.from({ length: count }, (_, n) => ask(`/x${n + 1}`));
  await began;
  return { ask, late, resume: () => resume() };
}

async function* here(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('here');
}

test.each([
  ['a file of this machine', false],
  ['a file of another service', true],
])('%s is sent while files of another service do not come', async (_, isRemote) => {
  const { ask, late, resume } = await startStalled(8, { body: here(), isRemote });
  expect(bodyOf(await ask('/x'))).toContain('here');
  resume();
  for (const answer of await Promise.all(late)) expect(bodyOf(answer)).toContain('late');
});

test('at most 64 chunks of another service are awaited at once', async () => {
  const { ask, late, resume } = await startStalled(64, { body: here(), isRemote: true });
  let isHere = false;
  const next = ask('/x').then((answer) => {
    isHere = true;
    return answer;
  });
  expect(statusOf(await ask('/y'))).toBe(404);
  expect(isHere).toBe(false);
  resume();
  expect(bodyOf(await next)).toContain('here');
  await Promise.all(late);
});

test('Q12 the stream ends when the client disconnects', async () => {
  let ended = 0;
  let all!: () => void;
  const done = new Promise<void>((resolve) => (all = resolve));
  const { listener } = await start(async () => ({
    status: 200,
    headers: {},
    body: endless(
      () => {},
      () => ++ended === 50 && all(),
    ),
  }));
  for (let n = 0; n < 50; n++) {
    const socket = connect(listener.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`GET /x HTTP/1.1\r\n${HEAD}\r\n`);
    await once(socket, 'data');
    socket.resetAndDestroy();
  }
  await done;
  expect(statusOf(await raw(listener, `GET /y HTTP/1.1\r\n${HEAD}\r\n`))).toBe(404);
});

describe('Q4 host names that a loopback port answers to', () => {
  const ask = (listener: Listener, host: string) =>
    raw(listener, `GET /x HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  test.each(['localhost', '127.0.0.1:1', '[::1]:80', 'LOCALHOST.'])('%s', async (host) => {
    const { listener } = await start(hello);
    expect(statusOf(await ask(listener, host))).toBe(200);
  });
  test.each(['evil.example', 'localhost.evil.example', '10.0.0.1', ''])('not %s', async (host) => {
    const { listener, seen } = await start(hello);
    expect(errorOf(await ask(listener, host)).code).toBe('request_invalid');
    expect(seen).toEqual([]);
  });
  test('the host of an absolute target counts, not the Host header', async () => {
    const { listener, seen } = await start(hello);
    const to = (name: string) =>
      raw(listener, `GET http://${name}/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(errorOf(await to('evil.example')).code).toBe('request_invalid');
    expect(errorOf(await to('')).code).toBe('request_invalid');
    expect(seen).toEqual([]);
    expect(statusOf(await to('localhost:80'))).toBe(200);
  });
  test('allowed hosts are answered; an open port without a list answers to any', async () => {
    const other = async (host: string, names?: string[]) => {
      const listener = await listen(hello, {
        host,
        port: 0,
        ...(names === undefined ? {} : { allowedHosts: names }),
      });
      open.push(listener);
      return statusOf(await ask(listener, 'archive.example:80'));
    };
    expect(await other('127.0.0.1', ['archive.example'])).toBe(200);
    expect(await other('0.0.0.0')).toBe(200);
    expect(await other('0.0.0.0', ['other.example'])).toBe(400);
  });
});

test.each([
  ['two names', 'GET /x HTTP/1.1\r\nHost: a b\r\n'],
  ['an empty name', 'GET /x HTTP/1.1\r\nHost:\r\n'],
  ['a path', 'GET /x HTTP/1.1\r\nHost: a/b\r\n'],
  ['a user', 'GET /x HTTP/1.1\r\nHost: u@a\r\n'],
  ['no port number', 'GET /x HTTP/1.1\r\nHost: a:b\r\n'],
  ['a user in an absolute target', 'GET http://u@a/x HTTP/1.1\r\nHost: a\r\n'],
  ['no name in an absolute target', 'GET http:///x HTTP/1.1\r\nHost: a\r\n'],
  ['a target that is not ASCII', 'GET /x?\xff HTTP/1.1\r\nHost: a\r\n'],
])('Q4 an open port refuses a host that is none, and bytes that no URL has: %s', async (_, text) => {
  const listener = await listen(hello, { host: '0.0.0.0', port: 0 });
  open.push(listener);
  const answer = await raw(listener, `${text}Connection: close\r\n\r\n`);
  expect(statusOf(answer)).toBe(400);
});

test('a client that closes its side after the request gets the answer', async () => {
  let goOn = (): void => {};
  const { listener } = await start(async (request) => {
    if (request.target === '/x') await new Promise<void>((resolve) => (goOn = resolve));
    return hello(request);
  });
  for (const text of ['GET /x', 'POST /x'] as const) {
    const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end(`${text} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`);
    await once(socket, 'finish');
    // The port has seen the end of the first connection when it has answered on later ones.
    for (let nth = 0; nth < 3; nth += 1) await raw(listener, `GET /x2 HTTP/1.1\r\n${HEAD}\r\n`);
    goOn();
    const answer = Buffer.concat(await socket.toArray()).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*hello$/);
    socket.destroy();
  }
  const cut = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
  cut.end('POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{');
  expect(statusOf(Buffer.concat(await cut.toArray()).toString())).toBe(400);
  cut.destroy();
});

test.each(['closed', 'reset', 'half-closed'] as const)(
  'the service learns that the client has gone: %s',
  async (end) => {
    let learnt: (signal: AbortSignal) => void = () => {};
    const asked = new Promise<AbortSignal>((resolve) => (learnt = resolve));
    const { listener } = await start(async ({ gone }) => {
      const signal = gone!();
      learnt(signal);
      await once(signal, 'abort');
      throw signal.reason;
    });
    const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
    // Requests that are answered at once do not count.
    socket.write(`GET /y HTTP/1.1\r\nHost: localhost\r\n\r\nGET /x HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const signal = await asked;
    expect(signal.aborted).toBe(false);
    const ended = once(signal, 'abort');
    if (end === 'reset') socket.resetAndDestroy();
    else if (end === 'closed') socket.destroy();
    else socket.end();
    await ended;
    if (end !== 'half-closed') return;
    const answer = Buffer.concat(await socket.toArray()).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 404 [^]*HTTP\/1\.1 503 [^]*"store_unavailable"/);
    socket.destroy();
  },
);

test('a stream that fails cuts the response, so that no client takes it for whole', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half');
    throw new Error('disk');
  }
  const { listener } = await start(async () => ({
    status: 200,
    headers: { 'content-length': '8' },
    body: broken(),
  }));
  const answer = await raw(listener, `GET /x HTTP/1.1\r\n${HEAD}\r\n`);
  expect(bodyOf(answer).length).toBeLessThan(8);
  const chunked = await start(async () => ({ status: 200, headers: {}, body: broken() }));
  expect(await raw(chunked.listener, `GET /x HTTP/1.1\r\n${HEAD}\r\n`)).not.toContain('\r\n0\r\n\r\n');
});

test('a stream with fewer bytes than its head announces cuts the response, and more are not sent', async () => {
  async function* half(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half');
  }
  const failures: unknown[] = [];
  for (const length of ['8', '2']) {
    const service: Service = async ({ target }) =>
      target === '/x'
        ? { status: 206, headers: { 'content-length': length }, body: half() }
        : { status: 200, headers: {}, body: 'next' };
    const listener = await listen(service, {
      host: '127.0.0.1',
      port: 0,
      onFailure: (_, error) => failures.push(error),
    });
    open.push(listener);
    // Without an end of the connection the next response would be read as the rest of this one.
    const answer = await raw(
      listener,
      `GET /x HTTP/1.1\r\nHost: localhost\r\n\r\nGET /next HTTP/1.1\r\n${HEAD}\r\n`,
    );
    expect(bodyOf(answer).length).toBeLessThanOrEqual(4);
    expect(answer).not.toContain('next');
  }
  expect(failures.map(String)).toEqual([
    'Error: the body has 4 bytes in place of 8',
    'Error: the body has 4 bytes in place of 2',
  ]);
});

test('a failing stream is reported, a client that disconnects is not', async () => {
  const failures: [string, unknown][] = [];
  const cause = Object.assign(new Error('read'), { code: 'EIO' });
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half');
    throw cause;
  }
  let gone!: () => void;
  const went = new Promise<void>((resolve) => (gone = resolve));
  const service: Service = async ({ target }) => ({
    status: 200,
    headers: { 'x-request-id': 'req_1' },
    body: target === '/broken' ? broken() : endless(() => {}, gone),
  });
  const listener = await listen(service, {
    host: '127.0.0.1',
    port: 0,
    onFailure: (requestId, error) => void failures.push([requestId, error]),
  });
  open.push(listener);
  const socket = await reader(listener, () => {});
  await once(socket, 'data');
  socket.destroy();
  await went;
  await raw(listener, `GET /broken HTTP/1.1\r\n${HEAD}\r\n`);
  expect(failures).toEqual([['req_1', cause]]);
});

test('a service that throws gives 500 without the message of the error', async () => {
  const { listener } = await start(async () => {
    throw new Error('SELECT secret');
  });
  const answer = await raw(listener, `GET /x HTTP/1.1\r\n${HEAD}\r\n`);
  expect([statusOf(answer), errorOf(answer).code]).toEqual([500, 'internal']);
  expect(answer).not.toContain('SELECT');
});

describe('R1 close', () => {
  test('lets running requests end, also on keep-alive connections, and accepts no new ones', async () => {
    let go!: (response: ServiceResponse) => void;
    const answer = new Promise<ServiceResponse>((resolve) => (go = resolve));
    let arrived!: () => void;
    const running = new Promise<void>((resolve) => (arrived = resolve));
    const { listener } = await start(async () => (arrived(), answer));
    const agent = new Agent({ keepAlive: true });
    const reply = new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(`${listener.url}/x`, { agent }, resolve).on('error', reject).end();
    });
    const idle = connect(listener.port, '127.0.0.1');
    await once(idle, 'connect');
    await running;
    const closed = listener.close(10_000);
    await expect(connected(listener.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    go({ status: 200, headers: {}, body: 'late' });
    const response = await reply;
    expect(response.headers.connection).toBe('close');
    expect(Buffer.concat(await response.toArray()).toString()).toBe('late');
    idle.destroy();
    await closed;
    agent.destroy();
  });
  test('closes a connection whose response had begun, and an unused one, before the deadline', async () => {
    let go!: () => void;
    const rest = new Promise<void>((resolve) => (go = resolve));
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('be');
      await rest;
      yield Buffer.from('gun');
    }
    const { listener } = await start(
      async () => ({ status: 200, headers: { 'content-length': '5' }, body: body() }),
      { keepAliveTimeoutMs: 60_000 },
    );
    const silent = await connected(listener.port);
    const answer = raw(listener, 'GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const begun = await connected(listener.port);
    begun.write('GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(begun, 'data');
    const closed = listener.close(20_000_000);
    go();
    await closed;
    expect(bodyOf(await answer)).toBe('begun');
    silent.destroy();
    begun.destroy();
  });
  test('closes connections that do not end in time', async () => {
    let arrived!: () => void;
    const running = new Promise<void>((resolve) => (arrived = resolve));
    const { listener } = await start(() => (arrived(), new Promise(() => {})));
    const answer = raw(listener, `GET /x HTTP/1.1\r\n${HEAD}\r\n`);
    await running;
    await listener.close(50);
    expect(await answer).toBe('');
  });
});

function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect').then(() => socket);
}

test('R2 a port in use gives an error with the code', async () => {
  const { listener } = await start(hello);
  await expect(listen(hello, { host: '127.0.0.1', port: listener.port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
    message: `port ${listener.port} on 127.0.0.1 is in use`,
  });
});

test('R3 the port listens on the given address', async () => {
  const { listener } = await start(hello);
  expect(listener.url).toBe(`http://127.0.0.1:${listener.port}`);
  const all = await listen(hello, { host: '0.0.0.0', port: 0 });
  open.push(all);
  expect(all.url).toBe(`http://127.0.0.1:${all.port}`);
});

test('the real service and its files on two ports: errors have request ids, a file_url works', async () => {
  const dir = tempFolder('port');
  const archive = await openArchive({ sleep, dir, now: Date.now, randomBytes });
  try {
    const content = Buffer.from('a file');
    const sha256 = sha256Of(content);
    await archive.blobs.put(sha256, content);
    await archive.database.run(
      `INSERT INTO attachments (n, message, part, filename, sha256, bytes, declared_type, stored, redacted,
        decorative_layer, first_visible, source, tier) VALUES (1, 1, 1, 'a.txt', $1, 6, 'text/plain', 1, 0, 0, 1, 'local', 'external')`,
      [sha256],
    );
    const assets = await listen(createAssetService(archive), { host: '127.0.0.1', port: 0 });
    const service = createService(archive, { assetUrl: assets.url, version: '0' });
    const api = await listen(service, { host: '127.0.0.1', port: 0 });
    open.push(assets, api);

    const body = JSON.stringify({ client_id: 'c', observer_tier: 'external', requested_tier: 'external' });
    const token = await raw(
      api,
      `POST /api/auth/token HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const { access_token } = JSON.parse(bodyOf(token)) as { access_token: string };
    const list = await raw(
      api,
      `GET /v1/attachments HTTP/1.1\r\n${HEAD}Authorization: Bearer ${access_token}\r\n\r\n`,
    );
    const { file_url } = (JSON.parse(bodyOf(list)) as { data: { file_url: string }[] }).data[0]!;
    expect(new URL(file_url).origin).toBe(assets.url);
    expect(bodyOf(await raw(assets, `GET ${new URL(file_url).pathname} HTTP/1.1\r\n${HEAD}\r\n`))).toBe(
      'a file',
    );

    const ids = new Set<string | undefined>();
    for (const listener of [api, assets]) {
      for (const text of [
        'nonsense\r\n\r\n',
        'GET / HTTP/1.1\r\n\r\n',
        'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
      ]) {
        const error = errorOf(await raw(listener, text));
        expect(error.request_id).toMatch(/^req_[0-9a-f]{24}$/);
        expect(error.integrity).toBe(1);
        ids.add(error.request_id);
      }
    }
    expect(ids.size).toBe(6);
  } finally {
    await Promise.all(open.splice(0).map((listener) => listener.close(0)));
    await archive.close();
  }
});
