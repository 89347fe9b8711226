// The limits of downloads, in virtual time.
import { expect, test } from 'vitest';
import { createDownloadLimits, FileLeftOut } from '../../src/download/download-limits.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const { signal } = new AbortController();

async function* body(chunks: number, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < chunks; at += 1) yield Buffer.alloc(chunkBytes, at);
}

function limits(values: { bytesPerSecond?: number; maxBytes?: number }) {
  const clock = new VirtualClock();
  const world = { monotonic: () => clock.now, sleep: (ms: number) => clock.sleep(ms) };
  return { clock, limits: createDownloadLimits(values, world) };
}

test('several bodies together come at the allowed rate', async () => {
  const { clock, limits: shared } = limits({ bytesPerSecond: 100_000 });
  const arrived: [ms: number, bytes: number][] = [];
  const read = async (chunks: number, chunkBytes: number): Promise<void> => {
    for await (const piece of shared.limited(body(chunks, chunkBytes), 0, signal))
      arrived.push([clock.now, piece.length]);
  };
  await clock.run(Promise.all([read(3, 100_000), read(1, 100_000), read(100, 1000)]));
  let bytes = 0;
  for (const [ms, count] of arrived) {
    bytes += count;
    // Never more than the rate allows, but for the little that a late timer may make up for.
    expect(bytes).toBeLessThanOrEqual(100_000 * ((ms + 100) / 1000));
  }
  expect(bytes).toBe(500_000);
  expect(clock.now).toBeGreaterThanOrEqual(4900);
  expect(clock.now).toBeLessThanOrEqual(5000);
});

test('bytes stay what they are, and a large chunk comes in pieces', async () => {
  const { clock, limits: one } = limits({ bytesPerSecond: 1000 });
  const pieces: Uint8Array[] = [];
  const read = async (): Promise<void> => {
    for await (const piece of one.limited(body(2, 550), 1100, signal)) pieces.push(piece);
  };
  await clock.run(read());
  expect(Buffer.concat(pieces)).toEqual(Buffer.concat([Buffer.alloc(550, 0), Buffer.alloc(550, 1)]));
  expect(Math.max(...pieces.map(({ length }) => length))).toBe(100);
});

test('time in which nothing was asked for allows no burst later', async () => {
  const { clock, limits: one } = limits({ bytesPerSecond: 1000 });
  const read = async (): Promise<void> => {
    await clock.sleep(60_000);
    for await (const _ of one.limited(body(1, 2000), 2000, signal));
  };
  await clock.run(read());
  expect(clock.now).toBeGreaterThanOrEqual(61_900);
});

test('a wait ends with the run', async () => {
  const controller = new AbortController();
  const sleep = async (_: number, stop?: AbortSignal): Promise<void> => {
    controller.abort(new Error('stopped'));
    stop?.throwIfAborted();
  };
  const one = createDownloadLimits({ bytesPerSecond: 1 }, { monotonic: () => 0, sleep });
  await expect(async () => {
    for await (const _ of one.limited(body(1, 100), 100, controller.signal));
  }).rejects.toThrow('stopped');
});

test('no file is begun after the bytes of those before it', async () => {
  const { limits: all } = limits({ maxBytes: 100 });
  all.begin('att_1', 60);
  all.begin('att_2', 60);
  expect(() => all.begin('att_3', 7)).toThrow(FileLeftOut);
});

test('a file of unknown size counts with the bytes that came', async () => {
  const { limits: all } = limits({ maxBytes: 100 });
  all.begin('att_1', undefined);
  for await (const _ of all.limited(body(1, 99), undefined, signal));
  all.begin('att_2', undefined);
  for await (const _ of all.limited(body(1, 1), undefined, signal));
  expect(() => all.begin('att_3', undefined)).toThrow(FileLeftOut);
});
