// JSON with one spelling for each value, so that equal values have equal hashes (RFC 8785: sorted keys, no spaces).
import { createHash } from 'node:crypto';

/**
 * Keys sort by UTF-16 code units; undefined members are left out. Unlike RFC 8785 a lone surrogate is kept as its
 * escape, because archives hold them. Throws TypeError for what JSON cannot say (NaN, functions, bigint).
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('a number that JSON cannot say');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} is not JSON`);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Lower-case hex. Text is hashed as UTF-8. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
