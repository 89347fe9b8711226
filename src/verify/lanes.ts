// Work on several things at once whose results come in the order of the things.

/**
 * Begins `work` for at most `atOnce` items ahead of the reader. It is begun in order, so what it does before it first
 * waits is in order too. Whatever ends the generator, no work is running when it has ended.
 */
export async function* inLanes<In, Out>(
  items: AsyncIterable<In>,
  atOnce: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out> {
  const running: Promise<Out>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // Handled when it is awaited; an abort may leave it behind.
      result.catch(() => undefined);
      running.push(result);
      if (running.length >= atOnce) yield await running.shift()!;
    }
    while (running.length > 0) yield await running.shift()!;
  } finally {
    await Promise.allSettled(running);
  }
}
