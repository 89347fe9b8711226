// Which columns of a table a screen has room for, and how wide each one is.
import type { Column } from '../views/view.ts';

/** Columns between two columns of a table. */
export const GAP = 2;
/** Columns of a value that can be shortened and has no minimum of its own. */
const DEFAULT_MIN_COLUMNS = 6;

/** A column that is shown. `index` is its place among all columns of the view. */
export type PlacedColumn = { index: number; width: number };

/**
 * Returns the columns that are shown, with their widths; undefined where not even the essential ones fit. `natural` has the
 * width of each column's widest cell. Values that can be shortened give way first, the widest before the others. Then columns
 * are left out: the less important ones first, and of equal ones the last. Those of low importance are also left out before a
 * column is narrower than its `goodColumns`. `mark` columns are kept free at the end of the
 * line where one is left out.
 */
export function layoutColumns<T>(
  columns: readonly Column<T>[],
  natural: readonly number[],
  room: number | undefined,
  mark: number,
): PlacedColumn[] | undefined {
  const all = columns.map((column, index) => {
    const width = natural[index] ?? 0;
    const least = isWhole(column) ? width : Math.min(width, column.minColumns ?? DEFAULT_MIN_COLUMNS);
    const good = Math.max(least, Math.min(width, column.goodColumns ?? 0));
    return { index, width, least, good, rank: RANKS[column.importance ?? 'normal'] };
  });
  if (room === undefined) return all;
  const sumOf = (shown: typeof all, of: 'least' | 'good'): number =>
    shown.reduce((sum, column) => sum + column[of], GAP * (shown.length - 1)) +
    (shown.length < all.length ? GAP + mark : 0);
  const leastOf = (shown: typeof all): number => sumOf(shown, 'least');
  let shown = all;
  while (sumOf(shown, 'good') > room && shown.some(({ rank }) => rank === RANKS.low)) {
    const at = shown.findLastIndex(({ rank }) => rank === RANKS.low);
    shown = shown.filter((_, index) => index !== at);
  }
  while (leastOf(shown) > room) {
    const worst = Math.max(...shown.map(({ rank }) => rank));
    if (worst === RANKS.essential || shown.length === 1) return undefined;
    const at = shown.findLastIndex(({ rank }) => rank === worst);
    shown = shown.filter((_, index) => index !== at);
  }
  let excess = shown.reduce((sum, { width, least }) => sum + width - least, leastOf(shown)) - room;
  for (; excess > 0; excess -= 1) {
    const widest = shown.reduce((a, b) => (shrinkable(b) > shrinkable(a) ? b : a));
    widest.width -= 1;
  }
  return shown.map(({ index, width }) => ({ index, width }));
}

const RANKS = { essential: 0, normal: 1, low: 2 } as const;

/** Returns whether values are never shortened: a number or an instant that is cut is another one. */
export function isWhole<T>({ whole, align, instant }: Column<T>): boolean {
  return whole ?? (align === 'right' || instant !== undefined);
}

function shrinkable({ width, least }: { width: number; least: number }): number {
  return width > least ? width : 0;
}
