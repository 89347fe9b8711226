// A counter.

/** A number that only grows. It may be shared by processes, so its functions are asynchronous. */
export type Counter = {
  /** Adds one and returns the new number. */
  next(): Promise<number>;
  /** Returns the number, 0 before the first. */
  current(): Promise<number>;
};

/** Returns a counter in memory. `next` counts before it returns, so the order of the calls decides. */
export function createCounter(): Counter {
  let value = 0;
  return {
    next: async () => (value += 1),
    current: async () => value,
  };
}
