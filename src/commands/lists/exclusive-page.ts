// Pages of a service whose cursors are inclusive, without the rows of the cursors, which the interface leaves out (interface 4.7).
import { directionOf, type WindowQuery } from '../../contract/window.ts';
import { NEXT_CURSOR } from '../../client/shapes/page-facts.ts';

/** The ends of a window. */
type Ends = { after?: string | undefined; before?: string | undefined };

/** Returns whether a page shows that cursors are inclusive: it begins with the row of `after`, or has that of `before` at an end. */
export function hasCursorAtEnd(ids: readonly string[], { after, before }: Ends): boolean {
  return (
    (after !== undefined && ids[0] === after) ||
    (before !== undefined && (ids.at(-1) === before || ids[0] === before))
  );
}

/** What a page needs to be cut. */
type Page<Row> = { data: Row[]; has_more?: boolean | undefined; [NEXT_CURSOR]?: string | undefined };

/**
 * Reads a page without the rows of its cursors. It asks for one row more for each cursor, and for the size that was wanted where the service
 * refuses that. Throws what `read` throws.
 */
export async function readExclusive<Row, Answer extends Page<Row>>(
  read: (window: WindowQuery) => Promise<Answer>,
  window: WindowQuery,
  { idOf, isRefusal }: { idOf(row: Row): string | undefined; isRefusal(error: unknown): boolean },
): Promise<Answer> {
  const { starting_after: after, ending_before: before, limit } = window;
  const cursors = [after, before].filter((cursor) => cursor !== undefined);
  if (cursors.length === 0) return read(window);
  const page =
    limit === undefined
      ? await read(window)
      : await read({ ...window, limit: limit + cursors.length }).catch((error: unknown) => {
          if (isRefusal(error)) return read(window);
          throw error;
        });
  const rows = page.data.filter((row) => !cursors.includes(idOf(row) ?? ''));
  const isCut = limit !== undefined && rows.length > limit;
  const data = !isCut ? rows : directionOf(window) === 'backward' ? rows.slice(-limit) : rows.slice(0, limit);
  // What the service says of the end of its page is not about the end of this one.
  return isCut ? { ...page, data, has_more: true, [NEXT_CURSOR]: undefined } : { ...page, data };
}
