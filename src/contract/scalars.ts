// The checked quantities of the wire: integrity, sha256, times, limits (interface sections 1, 2, 8).
import * as z from 'zod';

/** Share of checks a record passes, 0 to 1 (interface 1). NaN, text and values outside fail. */
export const Integrity = z.number().min(0).max(1);
export type Integrity = z.infer<typeof Integrity>;

/** 64 hex characters, either case on the wire; compare with {@link sameHash} (interface 2.1). */
export const Sha256 = z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex characters');
export type Sha256 = z.infer<typeof Sha256>;

/** A file's hash in hex: SHA-256, but in a bag whose manifests are of other algorithms, which its length tells. */
export const FileHash = z.string().regex(/^(?:[0-9a-fA-F]{2}){1,64}$/, 'must be a hash in hex');

export function sameHash(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** ISO 8601 instant in UTC, e.g. 2026-01-02T03:04:05.678Z (interface 2.3). */
export const Instant = z.iso.datetime({ offset: true });
export type Instant = z.infer<typeof Instant>;

/** Page size of our service: the interface names the parameter, not its bounds (section 8, our choice). */
export const PAGE_LIMIT = { default: 20, minimum: 1, maximum: 500 } as const;

/** Largest JSON answer a client reads and largest request body the service takes, in bytes (our choice). */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
export const MAX_REQUEST_BYTES = 1024 * 1024;
