// Decodes a picture in a thread of its own, with limits of time and memory.
import type { World } from '../../world.ts';
import type { PictureJob, PictureResult } from './decode-picture.ts';

const MAX_TIME_MS = 20_000;
/** Memory that the process may grow by. */
const MAX_GROWTH_BYTES = 1_500_000_000;
const CHECK_INTERVAL_MS = 50;

/** Returns the picture, or why there is none. Throws the signal's reason where the run is interrupted. */
export async function decodeWithLimits(
  job: PictureJob,
  world: Pick<World, 'thread' | 'signal' | 'every' | 'monotonic' | 'usage'>,
): Promise<PictureResult> {
  const { signal } = world;
  signal.throwIfAborted();
  const worker = world.thread?.('picture-worker', job);
  if (worker === undefined) return (await import('./decode-picture.ts')).decodePicture(job);
  const start = { ms: world.monotonic(), rss: world.usage().rss };
  let stopChecking = (): void => {};
  let onAbort = (): void => {};
  try {
    return await new Promise<PictureResult>((resolve, reject) => {
      onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      stopChecking = world.every(CHECK_INTERVAL_MS, () => {
        if (world.monotonic() - start.ms > MAX_TIME_MS)
          resolve({ failure: `it was not decoded within ${MAX_TIME_MS / 1000} s` });
        else if (world.usage().rss - start.rss > MAX_GROWTH_BYTES)
          resolve({ failure: 'it needs too much memory' });
      });
      worker.once('message', resolve);
      worker.once('exit', () => reject(new Error('the thread of the picture ended early')));
      worker.once('error', (error: Error & { code?: string }) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve({ failure: 'it needs too much memory' });
        else reject(error);
      });
    });
  } finally {
    stopChecking();
    signal.removeEventListener('abort', onAbort);
    await worker.terminate();
  }
}
