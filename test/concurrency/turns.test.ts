// Turns of the event loop: given to others after a while, and not at each call.
import { expect, test, vi } from 'vitest';
import { createTurns } from '../../src/concurrency/turns.ts';

const clock = vi.hoisted(() => ({ ms: 0 }));
vi.mock('node:process', () => ({ hrtime: () => [0, clock.ms * 1e6] }));

test('work that never waits gives others their turn after 50 ms, and not before', async () => {
  const turn = createTurns();
  const seen: number[] = [];
  setImmediate(() => seen.push(clock.ms));
  for (; seen.length === 0 && clock.ms < 200; clock.ms += 10) await turn();
  expect(seen).toEqual([60]);
});
