// Work that many ask for at once, done once for all of them.

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
