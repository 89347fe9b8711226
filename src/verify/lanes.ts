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

/** Turns for at most `atOnce` at a time, in the order they are asked for. What a turn gives is to be called, once, at its end. */
export function inTurns(atOnce: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  const turn = (): (() => void) => {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    };
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return turn();
  };
}

/** The items, read up to `most` ahead of the reader. */
export async function* readAhead<T>(items: AsyncIterable<T>, most: number): AsyncGenerator<T> {
  const ready: T[] = [];
  let isOver = false;
  let wake = (): void => {};
  let room = (): void => {};
  const pump = (async () => {
    for await (const item of items) {
      ready.push(item);
      wake();
      if (ready.length >= most) await new Promise<void>((resolve) => (room = resolve));
      if (isOver) return;
    }
  })();
  pump
    .catch(() => {})
    .finally(() => {
      isOver = true;
      wake();
    });
  try {
    for (;;) {
      const item = ready.shift();
      if (item !== undefined) {
        room();
        yield item;
      } else if (isOver) return await pump;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    isOver = true;
    room();
    await pump.catch(() => {});
  }
}
