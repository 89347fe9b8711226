// A counting semaphore: limits how many pieces of work run at the same time.

/** Limits how many pieces of work run at the same time. */
export type Semaphore = {
  /**
   * Resolves when a permit is free, in the order of the calls. Call the function it returns when the work is done;
   * further calls of it do nothing.
   */
  acquire(): Promise<() => void>;
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
  return {
    async acquire() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return releaseOnce();
    },
    waiting: () => waiting.length,
  };
}
