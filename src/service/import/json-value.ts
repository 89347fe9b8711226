// Looks into parsed JSON of which nothing is known.
import { ExactNumber } from '../../contract/exact-json.ts';

/** Returns the text at a path of keys in a JSON value; null when it is absent, empty or no text. */
export function textAt(value: unknown, ...path: string[]): string | null {
  const found = valueAt(value, ...path);
  return typeof found === 'string' && found !== '' ? found : null;
}

/** Returns the whole number at a path of keys, not negative; null when there is no such number. */
export function countAt(value: unknown, ...path: string[]): number | null {
  const found = valueAt(value, ...path);
  return Number.isSafeInteger(found) && (found as number) >= 0 ? (found as number) : null;
}

/** Returns the number at a path of keys, rounded to 64 bits; null when there is none. */
export function numberAt(value: unknown, ...path: string[]): number | null {
  const found = valueAt(value, ...path);
  if (found instanceof ExactNumber) return Number(found.text);
  return typeof found === 'number' ? found : null;
}

/** Returns the objects of the list at a path of keys; none when there is no list. */
export function objectsAt(value: unknown, ...path: string[]): Record<string, unknown>[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** Yields the objects of a list. */
export function* objectsOf(list: Iterable<unknown> | undefined): Generator<Record<string, unknown>> {
  for (const entry of list ?? []) if (isObject(entry)) yield entry;
}

/** Returns whether a JSON value is an object, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

function valueAt(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    value,
  );
}
