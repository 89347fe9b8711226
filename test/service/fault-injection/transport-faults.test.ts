// Transport faults on real sockets: what a client sees of reset, cut, slow and cut-json.
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createService } from '../../../src/service/index.ts';
import { listen, type Listener } from '../../../src/service/http/port.ts';
import { createFaultPlan, parseTransportFaults } from '../../../src/service/fault-injection/index.ts';
import { ASSET_URL, sampleArchive, tokenFor, type Sample } from '../../support/archive.ts';

let sample: Sample;
let listener: Listener;
const failures: unknown[] = [];
afterEach(async () => {
  await listener.close(0);
  await sample.close();
});

/** Serves lists whose requests all meet this fault. Returns a token. */
async function servesWith(kind: string): Promise<string> {
  sample = await sampleArchive({ conversations: 400 });
  const onFailure = (_id: string, error: unknown) => void failures.push(error);
  const line = {
    ...parseTransportFaults('1', kind),
    seed: 1,
    latency: 0,
    sleep: (ms: number) => sleep(ms / 10),
  };
  const service = createService(sample.archive, {
    assetUrl: ASSET_URL,
    version: '0',
    faults: createFaultPlan(sample.archive, { transport: line }),
    onFailure,
  });
  listener = await listen(service, { host: '127.0.0.1', port: 0, onFailure });
  return tokenFor(service);
}

/** What comes of a list request: status, bytes of the body, bytes promised, and the error it ended with. */
async function meet(kind: string) {
  const token = await servesWith(kind);
  const seen = { status: 0, bytes: 0, promised: 0, error: '' };
  const failed = (error: NodeJS.ErrnoException) => void (seen.error = error.code ?? error.message);
  await new Promise<void>((resolve) => {
    const sent = request(`${listener.url}/v1/conversations?limit=400`, {
      headers: { authorization: `Bearer ${token}` },
      agent: false,
    });
    sent.on('error', failed).on('close', resolve);
    sent.on('response', (reply: IncomingMessage) => {
      seen.status = reply.statusCode ?? 0;
      seen.promised = Number(reply.headers['content-length']);
      reply.on('data', (chunk: Buffer) => (seen.bytes += chunk.length)).on('error', failed);
    });
    sent.end();
  });
  return seen;
}

test('reset: the connection closes without a response, and no failure is reported', async () => {
  expect(await meet('reset')).toEqual({ status: 0, bytes: 0, promised: 0, error: 'ECONNRESET' });
  expect(failures).toEqual([]);
});

test('cut: the body ends in the middle', async () => {
  const { status, bytes, promised, error } = await meet('cut');
  expect([status, error]).toEqual([200, 'ECONNRESET']);
  expect(bytes).toBe(Math.floor(promised / 2));
  expect(failures).toEqual([]);
});

test('slow: the body arrives whole', async () => {
  const { status, bytes, promised, error } = await meet('slow');
  expect([status, bytes, error]).toEqual([200, promised, '']);
});

test.each(['429', '503'])('%s is a response like any other', async (kind) => {
  expect(await meet(kind)).toMatchObject({ status: Number(kind), error: '' });
});

/** The bytes of one response as a socket gives them, and the ids of the list where its text is whole. */
async function rawResponse(token: string): Promise<string> {
  const { hostname, port } = new URL(listener.url);
  const socket = connect(Number(port), hostname);
  const target = '/v1/conversations?limit=3';
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  );
  return text(socket);
}

test('cut-json: status 200, a complete frame of either kind, and JSON that ends early', async () => {
  const token = await servesWith('cut-json');
  const whole = JSON.stringify(JSON.parse(await (await listedWithoutFaults(token)).text()));
  const framings = new Set<string>();
  const lengths = new Set<number>();
  for (let read = 0; read < 12; read++) {
    const raw = await rawResponse(token);
    const end = raw.indexOf('\r\n\r\n');
    const [head, sent] = [raw.slice(0, end).toLowerCase(), raw.slice(end + 4)];
    expect(head.startsWith('http/1.1 200 ok')).toBe(true);
    expect(head).toContain('content-type: application/json');
    const promised = /content-length: (\d+)/.exec(head)?.[1];
    const body = promised === undefined ? dechunked(sent) : sent;
    framings.add(promised === undefined ? 'chunked' : 'length');
    expect(head.includes('transfer-encoding: chunked')).toBe(promised === undefined);
    if (promised !== undefined) expect(Buffer.byteLength(sent)).toBe(Number(promised));
    expect(body.length).toBeGreaterThan(0);
    expect(body.length).toBeLessThan(whole.length);
    expect(whole.startsWith(body)).toBe(true);
    expect(() => JSON.parse(body) as unknown).toThrow();
    lengths.add(body.length);
  }
  expect(framings).toEqual(new Set(['chunked', 'length']));
  expect(lengths.size).toBeGreaterThan(6);
  expect(failures).toEqual([]);
});

test('cut-json: the same seed and requests give the same bytes', async () => {
  const run = async () => {
    const token = await servesWith('cut-json');
    const bodies: string[] = [];
    for (let read = 0; read < 5; read++) {
      bodies.push((await rawResponse(token)).split('\r\n\r\n').slice(1).join());
    }
    return bodies;
  };
  const first = await run();
  await listener.close(0);
  await sample.close();
  expect(await run()).toEqual(first);
});

/** Returns the same list from a service without faults over the same archive. */
async function listedWithoutFaults(token: string): Promise<Response> {
  const reply = await sample.service({
    method: 'GET',
    target: '/v1/conversations?limit=3',
    headers: [['authorization', `Bearer ${token}`]],
    body: null,
    peer: 'local',
  });
  return new Response(reply.body as string);
}

/** Returns the text of a chunked body. Throws where its last chunk is missing. */
function dechunked(sent: string): string {
  let body = '';
  for (let rest = sent; ;) {
    const line = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.slice(0, line), 16);
    if (!(size >= 0)) throw new Error('no last chunk');
    if (size === 0) return body;
    body += rest.slice(line + 2, line + 2 + size);
    rest = rest.slice(line + 4 + size);
  }
}
