// A list without the rows that simulated writes hide.
import type { ListRow, ListSource } from '../handlers/list-source.ts';
import type { IsHidden } from './write-overlay.ts';

/** Rows that are read at least when a page is filled up behind hidden rows. */
export const MIN_REFILL_ROWS = 128;

/** Returns the list without its hidden rows. Their ids are unknown as cursors; pages are filled with the rows behind them. */
export function withoutHiddenRows<Row extends ListRow>(
  source: ListSource<Row>,
  isHidden: IsHidden,
): ListSource<Row> {
  return {
    keyOf: async (id) => (isHidden(id) ? undefined : source.keyOf(id)),
    async read(span) {
      const isBackward = span.direction === 'backward';
      const rows: Row[] = [];
      // One row more than requested shows whether there are more.
      const wanted = span.limit + 1;
      for (let rest = { ...span, limit: wanted }; ;) {
        const page = await source.read(rest);
        const visible = page.rows.filter(({ id }) => !isHidden(id));
        if (isBackward) rows.unshift(...visible);
        else rows.push(...visible);
        const edge = isBackward ? page.rows[0] : page.rows.at(-1);
        if (rows.length >= wanted || !page.has_more || edge === undefined) break;
        const key = (await source.keyOf(edge.id)) as readonly number[];
        rest = {
          ...span,
          [isBackward ? 'before' : 'after']: key,
          limit: Math.max(wanted - rows.length, MIN_REFILL_ROWS),
        };
      }
      return {
        rows: isBackward ? rows.slice(-span.limit) : rows.slice(0, span.limit),
        has_more: rows.length > span.limit,
      };
    },
  };
}
