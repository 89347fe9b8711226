// Fuzzing of a port with the real service behind it: no failure of ours and no hang, whatever arrives.
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAssetService } from '../../../src/service/index.ts';
import { listen, type Listener } from '../../../src/service/http/port.ts';
import { sampleArchive, tokenFor, type Sample } from '../../support/archive.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../support/fuzz.ts';
import { HTTP_CORPUS } from '../../support/http-corpus.ts';
import { bytesOf, httpInput } from '../../support/http-inputs.ts';
import { raw, statusOf } from '../../support/raw-request.ts';

const HANG_MS = 1_000;

let sample: Sample;
let token: string;
let ports: Listener[];
const failures: string[] = [];
beforeAll(async () => {
  sample = await sampleArchive({ conversations: 5, messages: 2, attachments: 10 });
  token = await tokenFor(sample.service, 'internal');
  const onFailure = (id: string, error: unknown) => void failures.push(`${id} ${String(error)}`);
  ports = await Promise.all(
    [sample.service, createAssetService(sample.archive, { onFailure })].map((service) =>
      listen(service, { host: '127.0.0.1', port: 0, onFailure }),
    ),
  );
});
afterAll(async () => {
  await Promise.all(ports.map((port) => port.close(0)));
  await sample.close();
});

/** Sends bytes and then the end of the connection. Returns all that comes back, or 'hang' where the port keeps it open. */
function answerTo({ port }: Listener, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    const timeout = AbortSignal.timeout(HANG_MS);
    const hang = () => {
      answer = 'hang';
      socket.destroy();
    };
    timeout.addEventListener('abort', hang, { once: true });
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    // A port may close at once what is no HTTP, and that resets a client which still sends.
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      timeout.removeEventListener('abort', hang);
      resolve(answer);
    });
    socket.end(bytes);
  });
}

/** Fails where a response is none of HTTP, is a failure of ours, or does not come. */
async function check(bytes: Buffer): Promise<void> {
  failures.length = 0;
  for (const port of ports) {
    let answer = await answerTo(port, bytes);
    // A busy machine may pause a test for a second. It does not so twice.
    if (answer === 'hang') answer = await answerTo(port, bytes);
    expect(answer === '' || /^HTTP\/1\.1 [1-5]\d\d /.test(answer), answer.slice(0, 200)).toBe(true);
    expect(answer).not.toMatch(/HTTP\/1\.1 50[0-2]/);
    expect(failures).toEqual([]);
  }
}

test.each(HTTP_CORPUS)('kept input: %s', async (_, text) => {
  await check(Buffer.from(text.replace('TOKEN', token), 'latin1'));
});

test('any request is answered or closed in time', { timeout: FUZZ_TIMEOUT_MS }, async () => {
  await fuzz({
    make(draw) {
      const bytes = bytesOf(httpInput(draw), token);
      if (bytes.byteLength > 0 && draw.below(4) === 0) bytes[draw.below(bytes.byteLength)] = draw.below(256);
      return bytes;
    },
    check,
    // Two connections for each.
    inputs: 6_000,
  });
  expect(
    statusOf(
      await raw(ports[0]!, 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    ),
  ).toBe(200);
});
