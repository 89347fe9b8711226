// Many streams, few pieces at once: in turn, whole, and given back by those that fail or are left.
import { expect, test } from 'vitest';
import { createTurns } from '../../../src/service/http/turns.ts';

const bytes = (value: number) => Uint8Array.of(value);

test('at most so many are fetched at once, each stream keeps its order, and none waits for ever', async () => {
  let under = 0;
  let most = 0;
  const turns = createTurns(2);
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
    for await (const [value] of turns.of(stream(name))) got.push(value!);
    return got;
  };
  const all = await Promise.all([1, 2, 3, 4, 5].map(read));
  expect(all).toEqual([1, 2, 3, 4, 5].map((name) => [0, 1, 2, 3, 4].map((at) => name * 10 + at)));
  expect(most).toBe(2);
});

test('a stream that fails, and one that is left, give their turn back', async () => {
  const turns = createTurns(1);
  let ended = 0;
  const endless = async function* () {
    try {
      for (;;) yield bytes(0);
    } finally {
      ended += 1;
    }
  };
  for await (const _ of turns.of(endless())) break;
  const failing = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes(1);
    throw new Error('gone');
  };
  await expect(
    (async () => {
      for await (const _ of turns.of(failing())) continue;
    })(),
  ).rejects.toThrow('gone');
  for await (const _ of turns.of(endless())) break;
  expect(ended).toBe(2);
});
