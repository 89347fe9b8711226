// Reads an asynchronous list ahead of its consumer.

/** Yields the items of `items` in their order, while up to `maxItems` of them are read before they are asked for. */
export async function* readAhead<T>(items: AsyncIterable<T>, maxItems: number): AsyncGenerator<T> {
  const ready: T[] = [];
  let isEnded = false;
  let wakeConsumer = (): void => {};
  let wakeReader = (): void => {};
  const reading = (async () => {
    for await (const item of items) {
      ready.push(item);
      wakeConsumer();
      // Nobody wakes a reader that begins to wait after the end.
      if (ready.length >= maxItems && !isEnded) await new Promise<void>((resolve) => (wakeReader = resolve));
      if (isEnded) return;
    }
  })();
  reading
    .catch(() => {})
    .finally(() => {
      isEnded = true;
      wakeConsumer();
    });
  try {
    for (;;) {
      const item = ready.shift();
      if (item !== undefined) {
        wakeReader();
        yield item;
      } else if (isEnded) return await reading;
      else await new Promise<void>((resolve) => (wakeConsumer = resolve));
    }
  } finally {
    isEnded = true;
    wakeReader();
    await reading.catch(() => {});
  }
}
