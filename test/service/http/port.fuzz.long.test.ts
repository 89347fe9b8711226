// Fuzzing of a port with the real service behind it: no failure of ours and no hang, whatever arrives.
import { channel } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { duplexPair, type Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAssetService, createService } from '../../../src/service/index.ts';
import { listen, type Listener } from '../../../src/service/http/port.ts';
import { ASSET_URL, sampleArchive, tokenFor, type Sample } from '../../support/archive.ts';
import { fuzz, FUZZ_TIMEOUT_MS, type FuzzTarget } from '../../support/fuzz.ts';
import { HTTP_CORPUS } from '../../support/http-corpus.ts';
import { bytesOf, httpInput } from '../../support/http-inputs.ts';
import { raw, statusOf } from '../../support/raw-request.ts';

const HANG_MS = 1_000;

let sample: Sample;
let token: string;
let ports: Listener[];
let servers: Server[];
const failures: string[] = [];
beforeAll(async () => {
  sample = await sampleArchive({ conversations: 5, messages: 2, attachments: 10 });
  // Without the check of each response against the OpenAPI document, which takes most of the time.
  const service = createService(sample.archive, { assetUrl: ASSET_URL, version: '0.0.0-test' });
  token = await tokenFor(service, 'internal');
  const onFailure = (id: string, error: unknown) => void failures.push(`${id} ${String(error)}`);
  ports = await Promise.all(
    [service, createAssetService(sample.archive, { onFailure })].map((service) =>
      listen(service, { host: '127.0.0.1', port: 0, onFailure }),
    ),
  );
  servers = [];
  for (const port of ports) servers.push(await serverOf(port));
});
afterAll(async () => {
  await Promise.all(ports.map((port) => port.close(0)));
  await sample.close();
});

/** Returns the server of Node behind a port, which Node names with each request. */
async function serverOf(port: Listener): Promise<Server> {
  const started = channel('http.server.request.start');
  let server: Server | undefined;
  const listener = (message: unknown) => void ({ server } = message as { server: Server });
  started.subscribe(listener);
  await raw(port, 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  started.unsubscribe(listener);
  return server!;
}

/** Returns a connection to a server that does not leave this process, which costs less than one of TCP. */
function connectWithin(server: Server): Duplex {
  const [here, there] = duplexPair();
  Object.assign(there, { remoteAddress: '127.0.0.1', remotePort: 1 });
  // As TCP tells it to both sides.
  there.once('close', () => here.destroy());
  here.once('close', () => there.destroy());
  server.emit('connection', there);
  return here;
}

const connectTo = ({ port }: Listener): Duplex => connect({ port, host: '127.0.0.1', allowHalfOpen: true });

/** Sends bytes and then the end of the connection. Returns all that comes back, or 'hang' where the port keeps it open. */
function answerTo(open: () => Duplex, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = open();
    let answer = '';
    const timer = setTimeout(() => {
      answer = 'hang';
      socket.destroy();
    }, HANG_MS);
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    // A port may close at once what is no HTTP, and that resets a client which still sends.
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.end(bytes);
  });
}

/** Fails where a response is none of HTTP, is a failure of ours, or does not come. */
async function check(open: () => Duplex, bytes: Buffer): Promise<void> {
  failures.length = 0;
  let answer = await answerTo(open, bytes);
  // A busy machine may pause a test for a second. It does not so twice.
  if (answer === 'hang') answer = await answerTo(open, bytes);
  const isAnswer = answer === '' || /^HTTP\/1\.1 [1-5]\d\d /.test(answer);
  if (!isAnswer || /HTTP\/1\.1 50[0-2]/.test(answer)) throw new Error(answer.slice(0, 200));
  if (failures.length > 0) throw new Error(failures.join('\n'));
}

test.each(HTTP_CORPUS)('kept input: %s', async (_, text) => {
  const bytes = Buffer.from(text.replace('TOKEN', token), 'latin1');
  for (const port of ports) await check(() => connectTo(port), bytes);
  for (const server of servers) await check(() => connectWithin(server), bytes);
});

type Input = { isFiles: boolean; bytes: Buffer };
const show = ({ isFiles, bytes }: Input) =>
  `${isFiles ? 'files' : 'service'} ${JSON.stringify(bytes.toString('latin1'))}`;
const make: FuzzTarget<Input>['make'] = (draw) => {
  const bytes = bytesOf(httpInput(draw), token);
  if (bytes.byteLength > 0 && draw.below(4) === 0) bytes[draw.below(bytes.byteLength)] = draw.below(256);
  return { isFiles: draw.below(4) === 0, bytes };
};

test('any request is answered or closed in time, without sockets', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make,
    check: ({ isFiles, bytes }) => check(() => connectWithin(servers[isFiles ? 1 : 0]!), bytes),
    show,
    // A connection for each.
    inputs: 40_000,
  }),
);

test('any request is answered or closed in time', { timeout: FUZZ_TIMEOUT_MS }, async () => {
  await fuzz({
    make,
    check: ({ isFiles, bytes }) => check(() => connectTo(ports[isFiles ? 1 : 0]!), bytes),
    show,
    // A connection of TCP for each.
    inputs: 12_000,
  });
  expect(
    statusOf(
      await raw(ports[0]!, 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    ),
  ).toBe(200);
});
