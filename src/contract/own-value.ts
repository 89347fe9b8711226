// Looks up foreign text in a table: `constructor` and `__proto__` are names that every object has.

/** Returns the value that a table has itself under a name; undefined for every other name. */
export function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
