// Reads values that a service wraps or writes as text: those of MongoDB, as {"$oid": "…"}, and null as text.
import { isRecord, type JsonRecord } from './json-path.ts';

/** Names of MongoDB Extended JSON for values that JSON has as a text or a number. */
const WRAPPERS: ReadonlySet<string> = new Set(
  '$oid $date $numberLong $numberInt $numberDouble $numberDecimal $uuid'.split(' '),
);

/** Returns the record with the values that are in such objects; itself where there are none. */
export function withPlainValues(record: JsonRecord): JsonRecord {
  let changed: JsonRecord | undefined;
  for (const name in record) {
    const value = record[name];
    const plain = plainValue(value);
    if (plain === value) continue;
    // Not by a literal: a field may be named __proto__.
    changed ??= Object.fromEntries(Object.entries(record));
    changed[name] = plain;
  }
  return changed ?? record;
}

function plainValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !isRecord(value)) return value;
  const [name, ...others] = Object.keys(value);
  if (name === undefined || others.length > 0 || !WRAPPERS.has(name)) return value;
  return plainValue(value[name]);
}

/** Returns the record with null in place of `null` and of empty text in these fields, where no text has that meaning. */
export function withoutNullTexts(record: JsonRecord, names: readonly string[]): JsonRecord {
  const found = names.filter((name) => isNullText(record[name]));
  return found.length === 0
    ? record
    : { ...record, ...Object.fromEntries(found.map((name) => [name, null])) };
}

/** Returns whether a text stands for null. */
export function isNullText(value: unknown): boolean {
  return value === '' || (typeof value === 'string' && value.length === 4 && value.toLowerCase() === 'null');
}
