// A number that only grows, one at a time.

export type Counter = {
  /** The new number. */
  next(): Promise<number>;
  /** The number now, 0 before the first. */
  now(): Promise<number>;
};

/** Counts in this process, from 0; `next` counts before it returns, so that the order of the calls decides. */
export function createCounter(): Counter {
  let value = 0;
  return {
    next: async () => (value += 1),
    now: async () => value,
  };
}
