// Turns of the event loop: given to others after a while, and not at each call.
import { expect, test } from 'vitest';
import { createTurns } from '../../src/concurrency/turns.ts';

test('work that never waits gives others their turn after 50 ms, and not before', async () => {
  let now = 0;
  const turn = createTurns(() => now);
  const seen: number[] = [];
  setImmediate(() => seen.push(now));
  for (; seen.length === 0 && now < 200; now += 10) await turn();
  expect(seen).toEqual([60]);
});
