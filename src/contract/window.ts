// The rules of a cursor window (interface 4.7), read by service and client alike.
import { PAGE_LIMIT } from './scalars.ts';

/** A window as asked for. Cursors are exclusive; both are ids of rows of the same list. */
export type WindowQuery = { starting_after?: string; ending_before?: string; limit?: number };

/**
 * Which way a window is read: a lone `ending_before` reads backward from it (the rows directly before it),
 * everything else forward. Rows always come in ascending order.
 */
export function directionOf(query: WindowQuery): 'forward' | 'backward' {
  return query.ending_before !== undefined && query.starting_after === undefined ? 'backward' : 'forward';
}

/** Rule 2: misordered when the after cursor is later in sequence than the before cursor. Equal cursors are an empty window. */
export function isMisordered(after: number, before: number): boolean {
  return after > before;
}

/** A limit as typed or sent: the integer, or undefined where it is not one within bounds. Absent means the default. */
export function parseLimit(text: string | undefined): number | undefined {
  if (text === undefined) return PAGE_LIMIT.default;
  if (!/^[1-9]\d{0,5}$/.test(text)) return undefined;
  const limit = Number(text);
  return limit <= PAGE_LIMIT.maximum ? limit : undefined;
}
