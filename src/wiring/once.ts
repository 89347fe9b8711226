// Makes a value at the first call and returns the same one afterwards.

/** Returns a function that calls `make` once and gives its promise to every caller. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
