// Reads values at dot paths of JSON, by own fields only.
import { ExactNumber } from '../../contract/exact-json.ts';
import { foldedName } from '../../contract/field-names.ts';

/** A JSON object. */
export type JsonRecord = Record<string, unknown>;

/** Returns whether a value is a JSON object. */
export function isRecord(value: unknown): value is JsonRecord {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** Returns an own field of a value, undefined where there is none. */
export function ownField(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns the keys of an object by their names in one spelling. Of several keys one that is spelled so counts, else the first. */
export function keysByName(value: JsonRecord): Map<string, string> {
  const keys = new Map<string, string>();
  for (const key of Object.keys(value)) {
    const name = foldedName(key);
    if (key === name || !keys.has(name)) keys.set(name, key);
  }
  return keys;
}

/** Returns an own field of a value in any spelling; undefined where there is none. `name` is in one spelling (see foldedName). */
export function fieldNamed(value: unknown, name: string): unknown {
  if (!isRecord(value) || Object.hasOwn(value, name)) return ownField(value, name);
  const key = Object.keys(value).find((each) => each.length >= name.length && foldedName(each) === name);
  return key === undefined ? undefined : value[key];
}

/** Returns the value at a dot path of own fields, undefined where there is none. The empty path is the whole value. */
export function valueAtPath(value: unknown, path: string): unknown {
  if (path === '') return value;
  // Most paths are one name, and each row of a list is asked for it.
  return path.includes('.') ? path.split('.').reduce<unknown>(ownField, value) : ownField(value, path);
}
