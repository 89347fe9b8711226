// SIGKILL of the real walk at every kind of moment (bad inputs M7, I1): the log is unbroken, and no row is lost or given twice.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openKillBench, type KillBench } from '../support/killed-walk.ts';

/** More of them: `npm run bench kill`. */
const WALKS = 8;

let bench: KillBench;
beforeAll(async () => {
  bench = await openKillBench();
});
afterAll(() => bench.close());

test.each(Array.from({ length: WALKS }, (_, seed) => seed))('killed by seed %i', async (seed) => {
  const { place, problem, runs } = await bench.walk(seed);
  expect({ problem, runs }).toEqual({ problem: undefined, runs });
  // A moment may come after the end.
  if (place !== 'moment') expect(runs[0]?.killed).toBe(true);
});
