// The semaphore: never more permits than it has, in the order of the calls.
import { expect, test } from 'vitest';
import { createSemaphore } from '../../src/concurrency/semaphore.ts';

test('permits are given in the order of the calls, and never more than there are', async () => {
  const semaphore = createSemaphore(2);
  const order: number[] = [];
  let held = 0;
  let maxHeld = 0;
  await Promise.all(
    Array.from({ length: 7 }, async (_, index) => {
      const release = await semaphore.acquire();
      order.push(index);
      maxHeld = Math.max(maxHeld, ++held);
      await new Promise((resolve) => setImmediate(resolve));
      held -= 1;
      release();
    }),
  );
  expect([order, maxHeld]).toEqual([[0, 1, 2, 3, 4, 5, 6], 2]);
});

test('a permit that is released twice is one permit', async () => {
  const semaphore = createSemaphore(1);
  const release = await semaphore.acquire();
  release();
  release();
  await semaphore.acquire();
  const second = semaphore.acquire().then(() => 'acquired');
  const waited = new Promise((resolve) => setImmediate(() => resolve('waiting')));
  expect(await Promise.race([second, waited])).toBe('waiting');
});

test('who waits leaves with the signal, and the others keep their order', async () => {
  const semaphore = createSemaphore(1);
  const release = await semaphore.acquire();
  const gone = new AbortController();
  const order: string[] = [];
  const first = semaphore.acquire(gone.signal).catch((error: Error) => order.push(error.message));
  const second = semaphore.acquire(new AbortController().signal).then((done) => {
    order.push('second');
    done();
  });
  expect(semaphore.waiting()).toBe(2);
  gone.abort(new Error('gone'));
  expect(semaphore.waiting()).toBe(1);
  await first;
  release();
  await second;
  expect(order).toEqual(['gone', 'second']);
  await expect(semaphore.acquire(gone.signal)).rejects.toThrow('gone');
  (await semaphore.acquire())();
});
