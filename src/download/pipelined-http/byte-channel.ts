// Hands chunks of a body from the socket that receives them to one reader, without copying them.

/** The chunks of one body, in order. It has one reader. */
export type ByteChannel = AsyncIterable<Uint8Array> & {
  push(chunk: Uint8Array): void;
  /** The last chunk was pushed. */
  end(): void;
  /** The reader gets the chunks that are here, then this error. */
  fail(error: unknown): void;
  isReaderWaiting(): boolean;
};

/**
 * Returns a channel. `onRelease` is called when the reader asks for the next chunk: the memory of the one before may be
 * used again. `onReturn` is called when the reader stops early.
 */
export function createByteChannel(onRelease: (chunk: Uint8Array) => void, onReturn: () => void): ByteChannel {
  const ready: Uint8Array[] = [];
  let held: Uint8Array | undefined;
  let reader: { resolve(result: IteratorResult<Uint8Array>): void; reject(error: unknown): void } | undefined;
  let state: 'open' | 'ended' | { error: unknown } = 'open';

  const serveReader = (): void => {
    if (reader === undefined) return;
    const { resolve, reject } = reader;
    const chunk = ready.shift();
    if (chunk === undefined && state === 'open') return;
    reader = undefined;
    held = chunk;
    if (chunk !== undefined) resolve({ value: chunk, done: false });
    else if (typeof state === 'object') reject(state.error);
    else resolve({ value: undefined, done: true });
  };
  return {
    push: (chunk) => {
      ready.push(chunk);
      serveReader();
    },
    end: () => {
      if (state === 'open') state = 'ended';
      serveReader();
    },
    fail: (error) => {
      if (state === 'open') state = { error };
      serveReader();
    },
    isReaderWaiting: () => reader !== undefined,
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const released = held;
        held = undefined;
        if (released !== undefined) onRelease(released);
        return new Promise((resolve, reject) => {
          reader = { resolve, reject };
          serveReader();
        });
      },
      return: async () => {
        onReturn();
        return { value: undefined, done: true };
      },
    }),
  };
}
