// A counting semaphore: limits how many pieces of work run at the same time.
import { whenAborted } from './when-aborted.ts';

/** Limits how many pieces of work run at the same time. */
export type Semaphore = {
  /**
   * Resolves when a permit is free, in the order of the calls. Call the function it returns when the work is done;
   * further calls of it do nothing. Throws the reason of the signal, and waits no longer, when that is aborted.
   */
  acquire(signal?: AbortSignal): Promise<() => void>;
  /** Returns how many calls of `acquire` wait. */
  waiting(): number;
};

/** Returns a semaphore with `permits` permits. */
export function createSemaphore(permits: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = permits;
  const releaseOnce = (): (() => void) => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    };
  };
  const turn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        ignore?.();
        resolve();
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(signal?.reason as Error);
      };
      waiting.push(begin);
      const ignore = signal && whenAborted(signal, leave);
    });
  return {
    async acquire(signal) {
      signal?.throwIfAborted();
      if (free > 0) free -= 1;
      else await turn(signal);
      return releaseOnce();
    },
    waiting: () => waiting.length,
  };
}
