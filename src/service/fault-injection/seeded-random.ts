// Chance by seed: the same numbers for the same text, with nothing to remember between draws.

/** Numbers in [0, 1). */
export type Random = () => number;

/** A counter-based generator (the finaliser of MurmurHash3 over a Weyl sequence), started by a text. */
export function randomFrom(text: string): Random {
  let state = mix(hashOf(text));
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    return mix(state) >>> 0;
  };
  return () => next() / 2 ** 32;
}

/** An integer from `least` to `most`. */
export function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** One of the values, each equally often; undefined where there is none. */
export function oneOf<T>(random: Random, values: readonly T[]): T | undefined {
  return values[Math.floor(random() * values.length)];
}

/** The values in another order, if there is one. */
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

/** FNV-1a over the UTF-16 units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
