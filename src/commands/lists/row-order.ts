// The order of `--sort`: by what a column shows. Rows that show nothing there stand last, equal ones stand as in the list.
import { instantOf } from '../../contract/instant-forms.ts';
import type { ValueOf } from './row-tests.ts';

/** `-date` is the order from the newest to the oldest. */
export type Order<Row> = { keyOf(row: Row): string | number | undefined; isDescending: boolean };

/** Kept besides the wanted rows, so that rows are sorted seldom. */
const MIN_BUFFER = 1000;

/** Returns the order by `sort`, a column or `-` and a column. Instants and texts are compared as such, texts without regard to case. */
export function orderOf<Row>(
  sort: string,
  columns: { dates: ReadonlySet<string>; valueOf: (name: string) => ValueOf<Row> },
): Order<Row> {
  const isDescending = sort.startsWith('-');
  const name = isDescending ? sort.slice(1) : sort;
  const valueOf = columns.valueOf(name);
  const isDate = columns.dates.has(name);
  return {
    isDescending,
    keyOf(row) {
      const value = valueOf(row);
      if (isDate) return instantOf(value);
      return typeof value === 'string' ? value.toLowerCase() : value;
    },
  };
}

/** Returns the first `limit` rows in an order, and how many rows there were. Memory grows with `limit` alone. */
export async function sortedRows<Row>(
  rows: AsyncIterable<Row>,
  { keyOf, isDescending }: Order<Row>,
  limit: number,
): Promise<{ rows: Row[]; total: number }> {
  type Keyed = { key: string | number | undefined; row: Row };
  const compare = (a: Keyed, b: Keyed): number => {
    if (a.key === undefined || b.key === undefined)
      return Number(a.key === undefined) - Number(b.key === undefined);
    const order = a.key === b.key ? 0 : isBefore(a.key, b.key) ? -1 : 1;
    return isDescending ? -order : order;
  };
  let kept: Keyed[] = [];
  let total = 0;
  for await (const row of rows) {
    total += 1;
    kept.push({ key: keyOf(row), row });
    if (kept.length >= 2 * limit + MIN_BUFFER) kept = kept.toSorted(compare).slice(0, limit);
  }
  return {
    rows: kept
      .toSorted(compare)
      .slice(0, limit)
      .map(({ row }) => row),
    total,
  };
}

/** Numbers stand before texts. */
function isBefore(a: string | number, b: string | number): boolean {
  if (typeof a === 'number') return typeof b === 'string' || a < b;
  return typeof b === 'string' && a < b;
}
