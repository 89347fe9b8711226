// Shares one run of some work between callers that ask for it at the same time.
import { setImmediate as endOfTick } from 'node:timers/promises';

/**
 * Returns a function that runs `work` at most once at a time. Callers that come while it runs share the next run, which
 * begins after they called, so nobody gets a result older than their call. A rejection goes to all who share the run.
 */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const ask = (): Promise<T> => {
    if (running === undefined) {
      running = work().finally(() => (running = undefined));
      return running;
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return ask();
      });
    return next;
  };
  return ask;
}

/**
 * Returns a function that runs `work` once for all calls of one tick of the event loop. The run begins at the end of the
 * tick and does not wait for an earlier run, which may hang. A rejection goes to all who share the run.
 */
export function coalescePerTick<T>(work: () => Promise<T>): () => Promise<T> {
  let next: Promise<T> | undefined;
  return () => {
    next ??= endOfTick().then(() => {
      next = undefined;
      return work();
    });
    return next;
  };
}

/** Like {@link coalescePerTick}, but the run begins at once, with the first call: for work that is cheap to begin. */
export function firstPerTick<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    if (running === undefined) {
      running = work();
      void endOfTick().then(() => (running = undefined));
    }
    return running;
  };
}
