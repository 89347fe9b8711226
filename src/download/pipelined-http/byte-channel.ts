// Pieces of a body between the socket that fills them and the one reader that takes them, without copies.

export type ByteChannel = AsyncIterable<Uint8Array> & {
  push(piece: Uint8Array): void;
  /** No more will come. */
  end(): void;
  /** What is there is still given, then this is thrown. */
  fail(error: unknown): void;
  /** The reader waits for a piece. */
  isReaderWaiting(): boolean;
};

/** `taken`: the reader is done with a piece and its memory may be used again; `left`: it wants no more. */
export function createByteChannel(taken: (piece: Uint8Array) => void, left: () => void): ByteChannel {
  const ready: Uint8Array[] = [];
  let held: Uint8Array | undefined;
  let waiting:
    { resolve(result: IteratorResult<Uint8Array>): void; reject(error: unknown): void } | undefined;
  let last: 'open' | 'ended' | { error: unknown } = 'open';

  const serve = (): void => {
    if (waiting === undefined) return;
    const { resolve, reject } = waiting;
    const piece = ready.shift();
    if (piece === undefined && last === 'open') return;
    waiting = undefined;
    held = piece;
    if (piece !== undefined) resolve({ value: piece, done: false });
    else if (typeof last === 'object') reject(last.error);
    else resolve({ value: undefined, done: true });
  };
  return {
    push: (piece) => {
      ready.push(piece);
      serve();
    },
    end: () => {
      if (last === 'open') last = 'ended';
      serve();
    },
    fail: (error) => {
      if (last === 'open') last = { error };
      serve();
    },
    isReaderWaiting: () => waiting !== undefined,
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const done = held;
        held = undefined;
        if (done !== undefined) taken(done);
        return new Promise((resolve, reject) => {
          waiting = { resolve, reject };
          serve();
        });
      },
      return: async () => {
        left();
        return { value: undefined, done: true };
      },
    }),
  };
}
