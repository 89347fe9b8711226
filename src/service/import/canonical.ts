// One text for equal JSON values, so that what is read twice from an export has one hash.
import { Buffer } from 'node:buffer';

/** UTF-8 JSON with sorted keys and no spaces. Throws a RangeError for values nested deeper than the stack is. */
export function canonicalBytes(value: unknown): Uint8Array {
  return Buffer.from(canonical(value));
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const fields = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${fields.join(',')}}`;
}
