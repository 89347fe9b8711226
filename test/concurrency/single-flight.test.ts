// Work done once for all who ask at once: nobody gets what is older than their question.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { firstPerTick, coalescePerTick, singleFlight } from '../../src/concurrency/single-flight.ts';

/** Work whose runs end when the test ends them. The result of a run is its number. */
function worked(share = singleFlight<number>) {
  const runs: { end(): void; fail(): void }[] = [];
  const ask = share(
    () =>
      new Promise<number>((resolve, reject) => {
        const nth = runs.length;
        runs.push({ end: () => resolve(nth), fail: () => reject(new Error(`run ${nth}`)) });
      }),
  );
  return { runs, ask };
}

test('who asks while it runs shares the next run, and no more run than that', async () => {
  const { runs, ask } = worked();
  const first = ask();
  const others = [ask(), ask(), ask()];
  expect(runs).toHaveLength(1);
  runs[0]!.end();
  expect(await first).toBe(0);
  await expect.poll(() => runs.length).toBe(2);
  const last = ask();
  runs[1]!.end();
  expect(await Promise.all(others)).toEqual([1, 1, 1]);
  await expect.poll(() => runs.length).toBe(3);
  runs[2]!.end();
  expect(await last).toBe(2);
});

test('a run that fails fails for those who share it, and the next begins all the same', async () => {
  const { runs, ask } = worked();
  const first = ask();
  const second = ask();
  runs[0]!.fail();
  await expect(first).rejects.toThrow('run 0');
  await expect.poll(() => runs.length).toBe(2);
  runs[1]!.end();
  expect(await second).toBe(1);
  const third = ask();
  runs[2]!.end();
  expect(await third).toBe(2);
});

test('of a turn all share one run, and the next turn does not wait for it', async () => {
  const { runs, ask } = worked(coalescePerTick);
  const [first, second] = [ask(), ask()];
  expect(runs).toHaveLength(0);
  await turn();
  expect(runs).toHaveLength(1);
  const later = ask();
  await turn();
  expect(runs).toHaveLength(2);
  runs[1]!.end();
  expect(await later).toBe(1);
  runs[0]!.fail();
  await expect(first).rejects.toThrow('run 0');
  await expect(second).rejects.toThrow('run 0');
});

test('of a turn all share the run that the first of them began', async () => {
  const { runs, ask } = worked(firstPerTick);
  const [first, second] = [ask(), ask()];
  expect(runs).toHaveLength(1);
  await turn();
  const later = ask();
  expect(runs).toHaveLength(2);
  runs[1]!.end();
  expect(await later).toBe(1);
  runs[0]!.fail();
  await expect(first).rejects.toThrow('run 0');
  await expect(second).rejects.toThrow('run 0');
});
