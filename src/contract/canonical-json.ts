// Canonical JSON (RFC 8785): one text for each value, so that equal values have equal hashes.
import { createHash } from 'node:crypto';
import { ExactNumber } from './exact-json.ts';

/**
 * Returns the canonical JSON of a value: keys sorted by UTF-16 code units, no white space, members that are undefined left
 * out. Unlike RFC 8785 it writes a lone surrogate as its escape, because archives hold them, and an ExactNumber as it was
 * received. Throws TypeError for values that JSON cannot express (NaN, functions, bigint).
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('JSON cannot express this number');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== 'object') throw new TypeError(`JSON cannot express a ${typeof value}`);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Returns the SHA-256 in lower-case hex. Text is hashed as UTF-8. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
