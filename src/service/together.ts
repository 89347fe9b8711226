// Work that many ask for at once, done once for all of them.
import { setImmediate as turn } from 'node:timers/promises';

/**
 * Who asks while it runs shares the next run, which begins after they asked: nobody gets what is older than their
 * question. Rejects as `work` does, for all who share it.
 */
export function together<T>(work: () => Promise<T>): () => Promise<T> {
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
 * Those who ask in the same turn of the loop share one run, which begins at its end: it does not wait for a run before,
 * which may hang. Rejects as `work` does, for all who share it.
 */
export function oncePerTurn<T>(work: () => Promise<T>): () => Promise<T> {
  let next: Promise<T> | undefined;
  return () => {
    next ??= turn().then(() => {
      next = undefined;
      return work();
    });
    return next;
  };
}

/** As {@link oncePerTurn}, but the run begins with the first of them: for work that is done as soon as it is asked for. */
export function firstPerTurn<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    if (running === undefined) {
      running = work();
      void turn().then(() => (running = undefined));
    }
    return running;
  };
}
