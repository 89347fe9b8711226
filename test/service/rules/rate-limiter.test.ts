// The rate limiter: each peer has its own window of one minute.
import { expect, test } from 'vitest';
import { createRateLimiter } from '../../../src/service/rules/rate-limiter.ts';

test('a limiter counts each peer on its own and starts again after a minute', async () => {
  const limiter = createRateLimiter(2);
  const takes = [limiter.take('a', 0), limiter.take('a', 1), limiter.take('a', 30_000)];
  expect(await Promise.all(takes)).toEqual([0, 0, 30]);
  expect(await limiter.take('b', 30_000)).toBe(0);
  expect(await limiter.take('a', 59_999)).toBe(1);
  expect(await limiter.take('a', 60_000)).toBe(0);
  for (let n = 0; n < 20_000; n += 1) await limiter.take(`peer ${n}`, 70_000);
  expect(await limiter.take('a', 70_000)).toBe(0);
});
