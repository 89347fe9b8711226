// Input schemas that several commands share.
import * as z from 'zod';
import { OptionalNonEmptyText, PAGE_LIMIT } from '../../contract/scalars.ts';
import { parseLimit, type WindowQuery } from '../../contract/window.ts';

/** `--limit` as typed: an integer within the bounds of the service. */
export const Limit = z
  .string()
  .refine(
    (text) => parseLimit(text) !== undefined,
    `must be an integer from ${PAGE_LIMIT.minimum} to ${PAGE_LIMIT.maximum}`,
  )
  .transform(Number);

/** Returns the schema of a whole number of at least `min`. */
export function wholeNumber(min: number) {
  return z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= min, `must be a whole number from ${min}`)
    .transform(Number);
}

/** A size as typed: bytes, or as tables show it: `20 kB`, `1.5M`, `2 GiB`. */
export const Size = z
  .string()
  .refine((text) => bytesIn(text) !== undefined, 'must be a size such as 2000, 20kB or 1.5M')
  .transform((text) => bytesIn(text) ?? 0);

const UNITS = ['', 'k', 'm', 'g', 't'];

function bytesIn(text: string): number | undefined {
  const [, number, unit = '', binary] =
    /^(\d{1,12}(?:\.\d{1,6})?) ?([kmgt])?(i)?b?$/i.exec(text.trim()) ?? [];
  if (number === undefined || (binary !== undefined && unit === '')) return undefined;
  return Number(number) * (binary === undefined ? 1000 : 1024) ** UNITS.indexOf(unit.toLowerCase());
}

/** The options of a cursor window: `--limit`, `--after`, `--before`. */
export const Window = z.object({
  limit: Limit.optional(),
  after: OptionalNonEmptyText,
  before: OptionalNonEmptyText,
});
export type Window = z.infer<typeof Window>;

/** Returns the query parameters of a cursor window (interface 4.7). */
export function windowQuery(window: Window): WindowQuery {
  return withoutUndefined({
    starting_after: window.after,
    ending_before: window.before,
    limit: window.limit,
  });
}

/** Returns the object without its undefined fields, as exact optional properties require. */
export function withoutUndefined<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** A content type, or a pattern of types. A list of them would select nothing. */
export const ContentType = z
  .string()
  .min(1)
  .refine((text) => !/^[^\s,/]+\/[^\s,/]+,\s*[^\s,/]+\/[^\s,/]+/.test(text), {
    error: 'takes one type; "image/*" takes all of a kind, else run the command for each',
  });
