// Bodies of requests: read only where they are wanted, in one buffer, with limits in bytes and chunks.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_REQUEST_BYTES, MAX_TOKEN_REQUEST_BYTES } from '../../../src/contract/scalars.ts';
import { listen, type Listener, type PortLimits } from '../../../src/service/http/port.ts';
import { sampleArchive, tokenFor, type Sample } from '../../support/archive.ts';
import { moved } from '../../support/event.ts';
import { bodyOf, errorOf, raw, statusOf } from '../../support/raw-request.ts';

let sample: Sample;
let listener: Listener;
let token: string;
const start = async (limits: Partial<PortLimits> = {}) => {
  listener = await listen(sample.service, { host: '127.0.0.1', port: 0, limits });
};
beforeEach(async () => {
  sample = await sampleArchive();
  token = await tokenFor(sample.service, 'internal');
});
afterEach(async () => {
  await listener.close(0);
  await sample.close();
});

const head = (path: string, ...lines: string[]) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
const bearer = () => `Authorization: Bearer ${token}`;
const INGEST = '/api/webhooks/ingest';
const JSON_TYPE = 'Content-Type: application/json';
const TOKEN = JSON.stringify({ client_id: 'c', observer_tier: 'external', requested_tier: 'external' });

describe('an answer that does not depend on the body does not wait for it', () => {
  test.each<[why: string, path: string, lines: () => string[], status: number]>([
    ['no token', INGEST, () => [JSON_TYPE], 401],
    ['a wrong token', INGEST, () => ['Authorization: Bearer x', JSON_TYPE], 401],
    ['an unknown path', '/nowhere', () => [], 404],
    ['another method', '/v1/attachments', () => [bearer()], 405],
    ['an unknown type', INGEST, () => [bearer(), 'Content-Type: text/plain'], 415],
    ['a compressed body', INGEST, () => [bearer(), JSON_TYPE, 'Content-Encoding: gzip'], 415],
    ['a token request that is too long', '/api/auth/token', () => [JSON_TYPE], 413],
  ])('%s', async (_, path, lines, status) => {
    await start();
    const length = MAX_TOKEN_REQUEST_BYTES + 1;
    const answer = await raw(listener, head(path, ...lines(), `Content-Length: ${length}`) + '{', '}}');
    expect(statusOf(answer)).toBe(status);
    expect(answer).toMatch(/^connection: close\r$/im);
    const expecting = head(path, ...lines(), `Content-Length: ${length}`, 'Expect: 100-continue');
    expect(statusOf(await raw(listener, expecting))).toBe(status);
  });

  test('a body that has arrived with its request leaves the connection open', async () => {
    await start();
    const answers = await raw(
      listener,
      head('/nowhere', 'Content-Length: 2') +
        '{}' +
        head('/nowhere', 'Connection: close', 'Content-Length: 2') +
        '{}',
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 404']);
  });

  test('the rest of the body is dropped, and the client gets to read the answer', async () => {
    await start();
    const body = 'a'.repeat(MAX_REQUEST_BYTES);
    const answer = await raw(listener, head(INGEST, JSON_TYPE, `Content-Length: ${body.length}`) + body);
    expect(errorOf(answer).code).toBe('token_invalid');
  });
});

test('100 Continue is sent for a body that is wanted', async () => {
  await start();
  const lines = [JSON_TYPE, 'Connection: close', 'Expect: 100-continue', `Content-Length: ${TOKEN.length}`];
  const answer = await raw(listener, head('/api/auth/token', ...lines) + TOKEN);
  expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
});

test('a body of chunks of any size is read as it was sent', async () => {
  await start();
  const event = JSON.stringify({ ...moved('e1', 1, 5), padding: 'ä'.repeat(20_000) });
  const bytes = Buffer.from(event);
  let chunks = '';
  for (let at = 0, size = 1; at < bytes.length; at += size, size = ((size * 7) % 1_000) + 1) {
    const chunk = bytes.subarray(at, at + size);
    chunks += `${chunk.length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`;
  }
  const lines = [bearer(), JSON_TYPE, 'Connection: close', 'Transfer-Encoding: chunked'];
  const answer = await raw(listener, `${head(INGEST, ...lines)}${chunks}0\r\n\r\n`);
  expect(JSON.parse(bodyOf(answer).replace(/^\w+\r\n|\r\n0\r\n\r\n$/g, ''))).toMatchObject({
    accepted: true,
  });
});

test.each(['gzip, chunked', 'deflate,chunked', 'chunked, chunked', 'x, chunked'])(
  'Q3 a body in another transfer coding is refused: %s',
  async (coding) => {
    await start();
    const lines = [bearer(), JSON_TYPE, 'Connection: close', `Transfer-Encoding: ${coding}`];
    const event = JSON.stringify(moved('e1', 1, 5));
    const chunk = `${event.length.toString(16)}\r\n${event}\r\n0\r\n\r\n`;
    const answer = await raw(listener, head(INGEST, ...lines) + chunk);
    expect([statusOf(answer), errorOf(answer).code]).toEqual([400, 'request_invalid']);
  },
);

test.each(['/nowhere', INGEST])(
  'P5 a body of very many chunks is refused long before its end: %s',
  async (path) => {
    await start();
    const chunks = '1\r\na\r\n'.repeat(40_000);
    const request = head(path, bearer(), JSON_TYPE, 'Transfer-Encoding: chunked') + chunks;
    // The connection may be reset before the client reads the answer.
    const answer = await raw(listener, request).catch((error: Error) => error.message);
    if (answer !== 'read ECONNRESET') expect(statusOf(answer)).toBe(path === INGEST ? 413 : 404);
  },
);

/** Sends the start of a body that the service waits for. */
async function unfinished(bytes: number): Promise<Socket> {
  const socket = connect(listener.port, '127.0.0.1');
  socket.on('error', () => {});
  const lines = [bearer(), JSON_TYPE, 'Expect: 100-continue', `Content-Length: ${bytes + 1}`];
  socket.write(head(INGEST, ...lines));
  await once(socket, 'data');
  socket.write('a'.repeat(bytes));
  return socket;
}

test('bodies above the limit of all bodies get 503, and are accepted when others have ended', async () => {
  await start({ maxBodyBytes: 100_000 });
  const first = await unfinished(90_000);
  const lines = [bearer(), JSON_TYPE, 'Connection: close', 'Content-Length: 50000'];
  const ask = () => raw(listener, head(INGEST, ...lines) + ' '.repeat(50_000));
  let answer = await ask();
  for (let nth = 0; nth < 1_000 && statusOf(answer) === 400; nth += 1) answer = await ask();
  expect(errorOf(answer).code).toBe('store_unavailable');
  expect(answer).toMatch(/^retry-after: 1\r$/im);
  first.destroy();
  for (let nth = 0; nth < 1_000 && statusOf(answer) === 503; nth += 1) answer = await ask();
  expect(errorOf(answer).code).toBe('event_invalid');
});
