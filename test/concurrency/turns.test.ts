// Turns of the event loop: given to others after a while, and not at each call.
import { expect, test } from 'vitest';
import { createTurns } from '../../src/concurrency/turns.ts';

const MAX_MS = 2000;

test('work that never waits gives others their turn after a while, and not before', async () => {
  let calls = 0;
  let callsAtTurn: number | undefined;
  setImmediate(() => (callsAtTurn = calls));
  const turn = createTurns();
  for (const until = performance.now() + MAX_MS; callsAtTurn === undefined && performance.now() < until; calls++)
    await turn();
  expect(callsAtTurn).toBeGreaterThan(10);
});
