// Work done once for all who ask at once: nobody gets what is older than their question.
import { expect, test } from 'vitest';
import { together } from '../../src/service/together.ts';

/** Work whose runs end when they are told to; what a run gives is its number. */
function worked() {
  const runs: { end(): void; fail(): void }[] = [];
  const ask = together(
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
