// Transport faults on real sockets: what a client sees of reset, cut and slow.
import { request, type IncomingMessage } from 'node:http';
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

/** What comes of a list request: status, bytes of the body, bytes promised, and the error it ended with. */
async function meet(kind: string) {
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
  const token = await tokenFor(service);
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
