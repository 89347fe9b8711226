// The rules of a cursor window (interface 4.7), shared by service and client.
import { PAGE_LIMIT } from './scalars.ts';

/** The parameters of a window. Cursors are ids of rows of the list; the rows themselves are not part of the window. */
export type WindowQuery = { starting_after?: string; ending_before?: string; limit?: number };

/**
 * Returns in which direction a window is read. `ending_before` alone reads backward: it gives the rows directly before the cursor.
 * Any other window reads forward. Rows are in ascending order in both cases.
 */
export function directionOf(query: WindowQuery): 'forward' | 'backward' {
  return query.ending_before !== undefined && query.starting_after === undefined ? 'backward' : 'forward';
}

/** Returns whether a window is misordered: `after` is later than `before` (interface 4.7). Equal cursors are an empty window. */
export function isMisordered(after: number, before: number): boolean {
  return after > before;
}

/** Returns the page size that a text names, or undefined where it is not an integer within bounds. No text means the default. */
export function parseLimit(text: string | undefined): number | undefined {
  if (text === undefined) return PAGE_LIMIT.default;
  if (!/^[1-9]\d{0,5}$/.test(text)) return undefined;
  const limit = Number(text);
  return limit <= PAGE_LIMIT.maximum ? limit : undefined;
}
