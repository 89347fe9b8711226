// The concurrent map: results in order, a limit on the calls, and no call left running.
import { expect, test } from 'vitest';
import { mapConcurrent } from '../../src/concurrency/map-concurrent.ts';

async function* numbers(count: number): AsyncGenerator<number> {
  for (let each = 0; each < count; each++) yield each;
}
const ticks = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
};

test('results come in the order of the items, whichever call ends first', async () => {
  let running = 0;
  let maxRunning = 0;
  const results: number[] = [];
  const work = async (item: number): Promise<number> => {
    maxRunning = Math.max(maxRunning, ++running);
    await ticks((7 * item) % 5);
    running -= 1;
    return 10 * item;
  };
  for await (const result of mapConcurrent(numbers(9), 3, work)) results.push(result);
  expect(results).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80]);
  expect(maxRunning).toBe(3);
});

test('after a failure no call is running any more', async () => {
  let running = 0;
  const work = async (item: number): Promise<number> => {
    running += 1;
    await ticks(item + 1);
    running -= 1;
    if (item === 1) throw new Error('item 1');
    return item;
  };
  const read = async (): Promise<void> => {
    for await (const _ of mapConcurrent(numbers(9), 4, work)) continue;
  };
  await expect(read()).rejects.toThrow('item 1');
  expect(running).toBe(0);
});
