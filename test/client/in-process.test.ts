// The transport of the archive in this process: nothing of it waits, so it gives others their turn itself.
import { expect, test } from 'vitest';
import { createInProcessTransport, EMBEDDED_BASE_URL } from '../../src/client/in-process.ts';

const MAX_MS = 20_000;

test('signals and timers have their turn between requests that never wait', async () => {
  const transport = createInProcessTransport({
    [EMBEDDED_BASE_URL]: async () => ({ status: 200, headers: {}, body: '{}' }),
  });
  const interrupted = new AbortController();
  setImmediate(() => interrupted.abort(new Error('interrupted')));
  const until = performance.now() + MAX_MS;
  const readOn = async (): Promise<void> => {
    while (performance.now() < until) {
      await transport({
        method: 'GET',
        url: new URL(EMBEDDED_BASE_URL),
        headers: {},
        signal: interrupted.signal,
      });
    }
  };
  await expect(readOn()).rejects.toThrow('interrupted');
});
