// Values that are made when they are first needed, because making them takes part of every start and few runs need them.

/** Returns a function that calls `make` at its first call, and returns the same value afterwards. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
