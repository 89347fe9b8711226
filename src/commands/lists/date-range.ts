// Refuses filters by date that no date matches, such as a range that ends before it begins.
import { Fault } from '../../faults.ts';

/** A filter by date as it was written. `start`: its first instant; `end`: the first instant after it; in milliseconds since 1970. */
export type DateBounds = { written: string; start?: number; end?: number };

/** Throws Fault `usage` if two of these filters exclude each other: no row could match. */
export function checkDateRange(bounds: readonly DateBounds[], hint: string): void {
  for (const first of bounds)
    for (const last of bounds)
      if (first.start !== undefined && last.end !== undefined && first.start >= last.end)
        throw new Fault('usage', `no date matches both ${first.written} and ${last.written}`, { hint });
}
