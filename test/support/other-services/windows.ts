// Cuts one page out of a list by its cursors, as the rules of the service say.
import type { Variant } from './variant.ts';
import type { Problem } from './errors.ts';

/** The page asked for, as it stands in the query. */
export type Asked = { after?: string | undefined; before?: string | undefined; limit?: string | undefined };

/** Rows of a page, and the cursor of the next one where something follows. */
export type Cut<Row> = { rows: Row[]; more: boolean; next?: string | undefined };

const refused = (status: number, code: string, message: string): Problem => ({ status, code, message });

/** Returns the page, or why there is none. `keyOf`: the id of a row as text. */
export function cutPage<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  asked: Asked,
  { cursors, limit: limits, whole }: Pick<Variant, 'cursors' | 'limit' | 'whole'>,
): Cut<Row> | Problem {
  if (whole) return { rows: [...rows], more: false };
  const size = asked.limit === undefined ? limits.default : Number(asked.limit);
  if (!Number.isInteger(size) || size < 1) return refused(400, 'bad_limit', 'limit must be a whole number');
  if (size > limits.maximum && limits.above === 'refused')
    return refused(400, 'bad_limit', `limit must be at most ${limits.maximum}`);
  const limit = Math.min(size, limits.maximum);

  const after = cursors.after === 'ignores' ? undefined : asked.after;
  const before = cursors.before === 'ignores' ? undefined : asked.before;
  if (before !== undefined && cursors.before === 'refuses')
    return refused(400, 'bad_parameter', 'ending_before is not supported');
  if (after !== undefined && cursors.after === 'refuses')
    return refused(400, 'bad_parameter', 'starting_after is not supported');
  if (asked.after !== undefined && asked.before !== undefined && cursors.both === 'refuses')
    return refused(400, 'bad_parameter', 'give one cursor, not two');

  const keys = rows.map((row) => (cursors.opaque ? sealed(keyOf(row)) : keyOf(row)));
  const start = after === undefined ? -1 : keys.indexOf(after);
  const end = before === undefined ? rows.length : keys.indexOf(before);
  if ((after !== undefined && start < 0) || (before !== undefined && end < 0)) {
    if (cursors.unknown === 'empty') return { rows: [], more: false };
    return refused(cursors.unknown, 'unknown_cursor', 'no row has this cursor');
  }
  if (after !== undefined && before !== undefined && start > end)
    return refused(409, 'sequence_conflict', 'starting_after is later than ending_before');

  const backward = after === undefined && before !== undefined;
  const from = backward ? Math.max(0, end - limit) : start + 1;
  const to = backward ? end : Math.min(end, from + limit);
  const page = rows.slice(from, Math.max(from, to));
  const more = backward ? from > 0 : to < end;
  const last = backward ? from : to - 1;
  if (backward && cursors.beforeOrder === 'reversed') page.reverse();
  return { rows: page, more, ...(more && page.length > 0 ? { next: keys[last] } : {}) };
}

/** Returns whether there is a page. */
export const isPage = <Row>(cut: Cut<Row> | Problem): cut is Cut<Row> => 'rows' in cut;

/** Returns a cursor that only this service can make. */
function sealed(key: string): string {
  return Buffer.from(`position after ${key}`).toString('base64url');
}
