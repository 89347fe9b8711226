// Maps a list with several calls running at the same time; results come in the order of the items.

/**
 * Yields `work(item)` for every item, in order, with at most `limit` calls running or waiting to be read. The calls begin
 * in order, so what `work` does before its first await happens in order too. When the generator has ended, for whatever
 * reason, no call is running any more.
 */
export async function* mapConcurrent<In, Out>(
  items: Iterable<In> | AsyncIterable<In>,
  limit: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out> {
  const running: Promise<Out>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // It is awaited below, but an early end may leave it unread.
      result.catch(() => undefined);
      running.push(result);
      if (running.length >= limit) yield await running.shift()!;
    }
    while (running.length > 0) yield await running.shift()!;
  } finally {
    await Promise.allSettled(running);
  }
}
