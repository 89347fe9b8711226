// How often a response is read, and which statuses are.
import { expect, test } from 'vitest';
import { createSender } from '../../src/client/api-call.ts';
import type { Transport } from '../../src/client/transport.ts';
import { fakeWorld } from '../support/fake-world.ts';

/** Returns a sender to a service that always answers with this status. */
function senderTo(status: number) {
  const transport: Transport = async () => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield new TextEncoder().encode('{}');
    })(),
  });
  return createSender({ transport, bearer: async () => undefined, retries: 0, world: fakeWorld() });
}

const call = { method: 'GET', url: new URL('https://archive.example/x'), withToken: false } as const;

test.each([
  [200, false, 1],
  [200, true, 1],
  [404, true, 1],
  [404, false, 0],
])('status %i, any status %s: %i reads', async (status, isAny, expected) => {
  let reads = 0;
  const sent = senderTo(status)(isAny ? { ...call, anyStatus: true } : call, (response) => {
    reads += 1;
    return response.status;
  });
  if (expected === 0) await expect(sent).rejects.toMatchObject({ kind: 'not_found' });
  else expect(await sent).toBe(status);
  expect(reads).toBe(expected);
});
