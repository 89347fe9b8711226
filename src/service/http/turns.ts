// Streams take turns: however many there are, only a few pieces are under way at once, and short answers go between them.

export type Turns = {
  /** The same pieces; each is fetched when it is this stream's turn. */
  of(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
};

/** `most` pieces of all streams together are fetched at once, in the order in which they were asked for. */
export function createTurns(most: number): Turns {
  let free = most;
  const queue: (() => void)[] = [];
  const take = (): Promise<void> | undefined => {
    if (free === 0) return new Promise((resolve) => void queue.push(resolve));
    free -= 1;
    return undefined;
  };
  const give = (): void => {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async *of(stream) {
      const pieces = stream[Symbol.asyncIterator]();
      try {
        for (;;) {
          await take();
          const piece = await pieces.next().finally(give);
          if (piece.done === true) return;
          yield piece.value;
        }
      } finally {
        await pieces.return?.();
      }
    },
  };
}
