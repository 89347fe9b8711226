// The type of one statement about the interface, and the functions that make one.

/**
 * One statement about the interface. `section` is a section number of the interface, e.g. `4.7`. A `documented` fact stands in the
 * interface; an `assumption` is what our service does where the interface says "not shown".
 */
export type Fact = { section: string; topic: string; fact: string; origin: 'documented' | 'assumption' };

/** Facts of one section and one origin, from `[topic, fact]` pairs. */
type Pairs = readonly (readonly [topic: string, fact: string])[];

/** Returns what the interface itself says in this section. */
export function documented(section: string, pairs: Pairs): Fact[] {
  return pairs.map(([topic, fact]) => ({ section, topic, fact, origin: 'documented' }));
}

/** Returns what our service does where this section of the interface is silent. */
export function assumed(section: string, pairs: Pairs): Fact[] {
  return pairs.map(([topic, fact]) => ({ section, topic, fact, origin: 'assumption' }));
}
