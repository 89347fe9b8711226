// Checked values that many records share: texts, numbers, integrity, hashes, instants and limits (interface 1, 2, 8).
import * as z from 'zod';

// One schema for all fields that are read alike: each start makes the schemas of lists, about 20 microseconds each.

/** Any text. */
export const Text = z.string();
/** A text of at least one character. */
export const NonEmptyText = z.string().min(1);
/** True or false. */
export const Flag = z.boolean();
/** A whole number. */
export const Integer = z.number().int();
/** A whole number of at least 0. */
export const Count = Integer.min(0);
/** {@link Text}, or absent. */
export const OptionalText = Text.optional();
/** {@link NonEmptyText}, or absent. */
export const OptionalNonEmptyText = NonEmptyText.optional();
/** {@link Text}, null, or absent. */
export const OptionalTextOrNull = Text.nullable().optional();
/** {@link Flag}, or absent. */
export const OptionalFlag = Flag.optional();
/** {@link Integer}, or absent. */
export const OptionalInteger = Integer.optional();
/** {@link Count}, or absent. */
export const OptionalCount = Count.optional();

/** Share of checks that a record passes, from 0 to 1 (interface 1). NaN, text and other numbers are refused. */
export const Integrity = z.number().min(0).max(1);
export type Integrity = z.infer<typeof Integrity>;
/** {@link Integrity}, or absent. */
export const OptionalIntegrity = Integrity.optional();

/** 64 hex characters, either case on the wire; compare with {@link sameHash} (interface 2.1). */
export const Sha256 = z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex characters');
export type Sha256 = z.infer<typeof Sha256>;

/** A file's hash in hex. It is SHA-256, except in a BagIt bag with other algorithms; the length tells which. */
export const FileHash = z.string().regex(/^(?:[0-9a-fA-F]{2}){1,64}$/, 'must be a hash in hex');

/** Returns whether two hexadecimal hashes are equal, whatever their case. */
export function sameHash(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** An ISO 8601 instant with a time zone, e.g. 2026-01-02T03:04:05.678Z (interface 2.3). */
export const Instant = z.iso.datetime({ offset: true });
export type Instant = z.infer<typeof Instant>;

/**
 * Page sizes of our service (interface 8). The interface names the parameter; the bounds are our choice. The client asks any
 * service for at most `maximum` rows.
 */
export const PAGE_LIMIT = { default: 20, minimum: 1, maximum: 500 } as const;

/** Largest JSON response that a client reads, in bytes (interface 8, our choice). */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** Deepest JSON that a client reads. JSON.parse takes any depth, but recursive functions over the value do not. */
export const MAX_JSON_DEPTH = 200;
/** Values of JSON that a client reads: more than a page has. Five million rows took a gigabyte. */
export const MAX_JSON_VALUES = 2_000_000;
/** Different field names that a client reads: more than a page has. A million of them took 15 seconds and a gigabyte. */
export const MAX_JSON_KEYS = 150_000;
/** Inexact numbers (1e400, -0) that a client reads: more than the largest event can have. Two million took 8 seconds and 1.2 GB. */
export const MAX_INEXACT_NUMBERS = 300_000;
/** Largest request body that the service accepts, in bytes (interface 8, our choice). */
export const MAX_REQUEST_BYTES = 1024 * 1024;
/** Largest token request that the service accepts, in bytes (interface 8, our choice). Anyone may send one, so it is small. */
export const MAX_TOKEN_REQUEST_BYTES = 16 * 1024;
