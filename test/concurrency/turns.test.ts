// Turns of the event loop: given to others after a while, and not at each call.
import { expect, test } from 'vitest';
import { createTurns } from '../../src/concurrency/turns.ts';

const MAX_MS = 2000;

test('work that never waits gives others their turn after a while, and not before', async () => {
  let calls = 0;
  const seen: number[] = [];
  setImmediate(() => seen.push(calls));
  const turn = createTurns();
  for (const until = performance.now() + MAX_MS; seen.length === 0 && performance.now() < until; calls++)
    await turn();
  expect(seen[0]).toBeGreaterThan(10);
});
