// Seeded pseudo-random numbers: the same text gives the same numbers.

/** Returns the next number in [0, 1). */
export type Random = () => number;

/** Returns a counter-based generator (the finaliser of MurmurHash3 over a Weyl sequence) that `seed` starts. */
export function seededRandom(seed: string): Random {
  let state = mix(hashOf(seed));
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    return mix(state) >>> 0;
  };
  return () => next() / 2 ** 32;
}

/** Returns an integer from `min` to `max`, both included. */
export function randomInteger(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

/** Returns one of the values, each with equal probability; undefined for an empty list. */
export function randomElement<T>(random: Random, values: readonly T[]): T | undefined {
  return values[Math.floor(random() * values.length)];
}

/** Returns the values in another order, where there is one. */
export function shuffled<T>(random: Random, values: readonly T[]): T[] {
  const drawn = values
    .map((value) => ({ value, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
  return drawn.every((value, at) => value === values[at]) ? drawn.toReversed() : drawn;
}

function mix(value: number): number {
  let x = value ^ (value >>> 16);
  x = Math.imul(x, 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}

/** Returns the FNV-1a hash over the UTF-16 units of a text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
