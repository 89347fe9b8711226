// What people see of a record: its columns, for tables, tab-separated lines and key/value lines alike.
import { alignColumns, type Line, type Style } from '../terminal/styled-line.ts';
import type { Canvas } from '../terminal/capabilities.ts';

export type Cell = string | number | boolean | null | undefined;

export type Column<T> = {
  /** In snake case, as scripts see it; people see blanks. */
  name: string;
  /** The value, whole. */
  of(row: T): Cell;
  /** What a table shows instead, where the value is long for people (a hash, an instant). */
  shown?(row: T): string;
  align?: 'right';
  style?: Style | ((row: T) => Style | undefined);
  /** Only where one record is shown, not in lists. */
  detail?: true;
  /** Columns below which a table does not cut it; 6 where not said. */
  least?: number;
};

export type View<T> = {
  columns: readonly Column<T>[];
  /** How people see one record where `key value` lines do not do it justice. */
  lines?(wire: T, canvas: Canvas): Iterable<Line>;
};

export function cellText(cell: Cell): string {
  return cell === null || cell === undefined ? '' : String(cell);
}

export function styleOf<T>(column: Column<T>, row: T): Style | undefined {
  return typeof column.style === 'function' ? column.style(row) : column.style;
}

/** `key  value` lines of what the record has, whole values, for people. */
export function keyLines<T>(columns: readonly Column<T>[], row: T): Line[] {
  const known = columns.filter((column) => cellText(column.of(row)) !== '');
  return alignColumns(
    known.map((column) => [
      { text: column.name.replaceAll('_', ' '), style: 'dim' },
      { text: cellText(column.of(row)), style: styleOf(column, row) },
    ]),
  );
}
