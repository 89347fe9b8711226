// The limit of concurrent chunk reads: it holds, keeps the order of each stream, and permits are returned.
import { expect, test } from 'vitest';
import { createSemaphore } from '../../../src/concurrency/semaphore.ts';
import { limitChunkReads } from '../../../src/service/http/limit-chunk-reads.ts';

const bytes = (value: number) => Uint8Array.of(value);

test('at most two chunks are read at once, each stream keeps its order, and every stream ends', async () => {
  let under = 0;
  let most = 0;
  const reads = createSemaphore(2);
  const stream = async function* (name: number) {
    for (let at = 0; at < 5; at += 1) {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
      yield bytes(name * 10 + at);
    }
  };
  const read = async (name: number) => {
    const got: number[] = [];
    for await (const [value] of limitChunkReads(stream(name), reads)) got.push(value!);
    return got;
  };
  const all = await Promise.all([1, 2, 3, 4, 5].map(read));
  expect(all).toEqual([1, 2, 3, 4, 5].map((name) => [0, 1, 2, 3, 4].map((at) => name * 10 + at)));
  expect(most).toBe(2);
});

test('a stream that fails, or is left early, returns its permit', async () => {
  const reads = createSemaphore(1);
  let ended = 0;
  const endless = async function* () {
    try {
      for (;;) yield bytes(0);
    } finally {
      ended += 1;
    }
  };
  for await (const _ of limitChunkReads(endless(), reads)) break;
  const failing = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes(1);
    throw new Error('gone');
  };
  await expect(
    (async () => {
      for await (const _ of limitChunkReads(failing(), reads)) continue;
    })(),
  ).rejects.toThrow('gone');
  for await (const _ of limitChunkReads(endless(), reads)) break;
  expect(ended).toBe(2);
});
