// A correct list over a plain array, as fault injection reads it.
import type { Drift } from '../../src/service/fault-injection/drift.ts';
import type { TrueList } from '../../src/service/fault-injection/page-faults.ts';
import type { ListPage, ListWindow } from '../../src/service/handlers/list-source.ts';

export type PlainRow = { id: string; sequence?: number };

export function plainRows(count: number): PlainRow[] {
  return Array.from({ length: count }, (_, n) => ({ id: `row_${n + 1}` }));
}

/** Returns the list. Its reads throw for a cursor that is not in it. */
export function plainList<Row extends PlainRow>(rows: readonly Row[]): TrueList<Row> {
  const at = (id: string) => {
    const found = rows.findIndex((row) => row.id === id);
    if (found < 0) throw new Error(`no cursor ${id}`);
    return found;
  };
  return {
    async read({ starting_after, ending_before, limit }) {
      const from = starting_after === undefined ? 0 : at(starting_after) + 1;
      const to = ending_before === undefined ? rows.length : at(ending_before);
      const inside = rows.slice(from, Math.max(from, to));
      const backward = ending_before !== undefined && starting_after === undefined;
      return {
        rows: backward ? inside.slice(-limit) : inside.slice(0, limit),
        has_more: inside.length > limit,
      };
    },
    newest: async (limit) => rows.slice(-limit),
  };
}

/** One read of a list named `rows`; requests for the same window are the same. */
export function driftedRead(
  drift: Drift,
  list: TrueList<PlainRow>,
  window: ListWindow,
  name = 'rows',
): Promise<ListPage<PlainRow>> {
  return drift.readPage({ list: name, key: JSON.stringify([name, window]), window }, list);
}

export function numbersOf(page: ListPage<PlainRow>): number[] {
  return page.rows.map(({ id }) => Number(id.slice(4)));
}
