// The thread that decodes a picture is ended where it takes too long, takes too much memory, or the run is interrupted.
import { describe, expect, test } from 'vitest';
import { decodeWithLimits } from '../../../src/format/picture/limited-decoder.ts';
import { Fault } from '../../../src/faults.ts';
import { fakeWorld } from '../../support/fake-world.ts';
import { pngFile, scene } from '../../support/pictures.ts';
import { thread } from '../../support/threads.ts';

const job = { file: pngFile(scene(30, 20)), maxWidth: 10, maxHeight: 10 };

test('a picture is decoded in the thread', async () => {
  const result = await decodeWithLimits(job, fakeWorld({ thread }));
  expect(result).toMatchObject({ pixels: { width: 10, height: 7 } });
});

/** A thread that never answers. */
function silentThread(): { thread: typeof thread; isEnded(): boolean } {
  let isEnded = false;
  const worker = { once: () => worker, terminate: async () => void (isEnded = true) };
  return { thread: () => worker as never, isEnded: () => isEnded };
}

describe('a thread that does not answer is ended', () => {
  test.each([
    ['after 20 s', { ms: 20_001, rss: 0 }, 'it was not decoded within 20 s'],
    ['above 1.5 GB', { ms: 50, rss: 1_500_000_001 }, 'it needs too much memory'],
  ])('%s', async (_, later, failure) => {
    const silent = silentThread();
    let now = { ms: 0, rss: 0 };
    let check = (): void => {};
    const world = fakeWorld({
      thread: silent.thread,
      monotonic: () => now.ms,
      usage: () => ({ rss: now.rss, cpuMs: 0 }),
      every: (_ms, call) => {
        check = call;
        return () => (check = () => {});
      },
    });
    const result = decodeWithLimits(job, world);
    check();
    expect(silent.isEnded()).toBe(false);
    now = later;
    check();
    expect(await result).toEqual({ failure });
    expect(silent.isEnded()).toBe(true);
  });

  test('when the run is interrupted', async () => {
    const silent = silentThread();
    const controller = new AbortController();
    const result = decodeWithLimits(job, fakeWorld({ thread: silent.thread, signal: controller.signal }));
    controller.abort(new Fault('interrupted', 'interrupted'));
    await expect(result).rejects.toMatchObject({ kind: 'interrupted' });
    expect(silent.isEnded()).toBe(true);
  });
});
