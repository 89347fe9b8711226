// Compares names of fields that services spell in different ways.

/** Returns a field name in one spelling: `firstMessageId`, `First-Message-ID` and `first_message_id` are the same. */
export function foldedName(name: string): string {
  // Most names are in that spelling, and each row of a list may be asked for several.
  return /[^a-z0-9]/.test(name) ? name.replaceAll(/[_\-\s]/g, '').toLowerCase() : name;
}

/** Spellings that a lookup remembers; a hostile service may send a new one in every row. */
const MAX_SPELLINGS = 1000;

/** Returns a lookup of names in any spelling, for the fields of many rows. `byName` has its values by their names in one spelling. */
export function spellingLookup<Value>(
  byName: ReadonlyMap<string, Value>,
): (name: string) => Value | undefined {
  const known = new Map<string, Value | undefined>();
  return (name) => {
    const value = known.get(name);
    if (value !== undefined || known.has(name)) return value;
    const found = byName.get(foldedName(name));
    if (known.size < MAX_SPELLINGS) known.set(name, found);
    return found;
  };
}
