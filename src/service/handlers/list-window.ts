// The window of a list request: its parameters, the lookup of its cursors, and one read of the true list.
import { cutText } from '../../contract/search/cut-text.ts';
import { directionOf, isMisordered } from '../../contract/window.ts';
import { ApiError } from '../rules/api-error.ts';
import type { Span } from '../store/sql/keyset.ts';
import type { KeyOf, ListWindow } from './list-source.ts';
import type { Query } from './query.ts';

/** The query parameters that hold a cursor (interface 4.3). */
export type CursorName = 'starting_after' | 'ending_before';

/** Returns the window parameters of a request. Throws ApiError `limit_out_of_range`, `cursor_invalid` (interface 4.7). */
export function windowOf(query: Query): ListWindow {
  const limit = query.limit();
  const starting_after = cursorIn(query, 'starting_after');
  const ending_before = cursorIn(query, 'ending_before');
  return {
    limit,
    ...(starting_after === undefined ? {} : { starting_after }),
    ...(ending_before === undefined ? {} : { ending_before }),
  };
}

/**
 * Returns what `source` reads for a window. Throws ApiError `cursor_invalid`, `cursor_not_found`, and `sequence_conflict`
 * where `starting_after` is later in the list than `ending_before` (interface 4.7).
 */
export async function readWindow<Page>(
  source: { keyOf: KeyOf; read(span: Span): Promise<Page> },
  window: ListWindow,
): Promise<Page> {
  const after = await keyFor(source, 'starting_after', window.starting_after);
  const before = await keyFor(source, 'ending_before', window.ending_before);
  if (after !== null && before !== null && isMisordered(compareKeys(after, before), 0)) {
    throw new ApiError(
      'sequence_conflict',
      `starting_after ${window.starting_after} is later in sequence than ending_before ${window.ending_before}`,
    );
  }
  return source.read({ after, before, limit: window.limit, direction: directionOf(window) });
}

/** Returns the error for a cursor that is no id of the list. */
export function invalidCursor(name: CursorName, id: string): ApiError {
  return new ApiError('cursor_invalid', `${name}: ${cutText(id)} is not an id of this list`);
}

/** Returns the error for a cursor that is an id of no row. */
export function unknownCursor(name: CursorName, id: string): ApiError {
  return new ApiError('cursor_not_found', `${name}: no ${id} in this archive`);
}

function cursorIn(query: Query, name: CursorName): string | undefined {
  try {
    return query.text(name);
  } catch (error) {
    throw error instanceof ApiError ? new ApiError('cursor_invalid', error.message) : error;
  }
}

async function keyFor(
  source: { keyOf: KeyOf },
  name: CursorName,
  id: string | undefined,
): Promise<readonly number[] | null> {
  if (id === undefined) return null;
  const key = await source.keyOf(id);
  if (key === 'malformed') throw invalidCursor(name, id);
  if (key === undefined) throw unknownCursor(name, id);
  return key;
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : Math.sign(a[at]! - b[at]!);
}
