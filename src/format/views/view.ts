// What a view of a record is: its columns, for tables, tab-separated lines and `key value` lines.
import { alignColumns, type Line, type Style } from '../terminal/styled-line.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import { UTC_INSTANTS, zonedInstant, type Precision } from '../instants.ts';

/** A value in a column. */
export type Cell = string | number | boolean | null | undefined;

/** One column of a view. */
export type Column<T> = {
  /** The name in snake case, as scripts see it. Tables show spaces. */
  name: string;
  /** Returns the value, not shortened. */
  of(row: T): Cell;
  /** Returns what a table shows instead of a long value, such as a hash or an instant. */
  shown?(row: T): string;
  align?: 'right';
  style?: Style | ((row: T) => Style | undefined);
  /** Show it for a single record only, not in lists. */
  detail?: true;
  /** A table makes it no narrower than this. Default 6. */
  minColumns?: number;
  /** Before a table makes it narrower than this, it leaves out columns of low importance. */
  goodColumns?: number;
  /** A table never shortens its values: ids, states. By default that holds for numbers, which are aligned to the right, and for instants. */
  whole?: boolean;
  /** A narrow screen leaves out columns: `low` ones first, then those without this; a record of lines comes before leaving out an `essential` one. */
  importance?: 'essential' | 'low';
  /** Returns the instant (ISO 8601) that people see in their zone. */
  instant?(row: T): string | null | undefined;
  /** To what a table shows the instant. Default: the minute. */
  precision?: Precision;
  /** Returns the address that a value of a table links to. */
  link?(row: T): string | null | undefined;
  /** The field that it shows, where that has another name. */
  field?: string;
  /** What is shown where no row has a value for the column. */
  instead?: OtherFields;
};

/** Fields of other services that mean the same as a column. */
export type OtherFields = {
  /** Names, the likeliest first; every spelling of them counts (see foldedName). */
  names: readonly string[];
  /** Returns whether a value can be meant. Default: any value that is not empty. */
  fits?(value: unknown): boolean;
  /** Returns what a table shows of the value. Default: all of it. */
  shown?(value: unknown): string;
  /** Returns the instant (ISO 8601) of a value, undefined where it is none. */
  instant?(value: unknown): string | undefined;
};

/** How a record is shown. */
export type View<T> = {
  columns: readonly Column<T>[];
  /** Returns a single record as lines for people. Default: {@link keyLines}. */
  lines?(wire: T, canvas: Canvas): Iterable<Line>;
  /** Returns a row of a list as lines for people, in place of a row of a table. */
  listLines?(row: T, canvas: Canvas): Iterable<Line>;
};

/** What people see for the rows without a value, where rows are counted by a value. Other cells without a value are empty. */
export const NO_VALUE = '(none)';

/** Returns a cell as text, '' where there is none. */
export function cellText(cell: Cell): string {
  return cell === null || cell === undefined ? '' : String(cell);
}

/** Returns the style of a column in a row. */
export function styleOf<T>(column: Column<T>, row: T): Style | undefined {
  return typeof column.style === 'function' ? column.style(row) : column.style;
}

/** Returns the address that a cell links to, if any. */
export function linkOf<T>(column: Column<T>, row: T): string | undefined {
  return column.link?.(row) ?? undefined;
}

/** Returns `key  value` lines for the fields that a record has. Instants are shown as in tables; other values are not shortened. */
export function keyLines<T>(
  columns: readonly Column<T>[],
  row: T,
  { instants = UTC_INSTANTS }: Pick<Canvas, 'instants'> = {},
): Line[] {
  const valueOf = (column: Column<T>): string => {
    const instant = column.instant?.(row) ?? undefined;
    return instant === undefined ? cellText(column.of(row)) : zonedInstant(instant, instants);
  };
  const known = columns.filter((column) => cellText(column.of(row)) !== '');
  return alignColumns(
    known.map((column) => [
      { text: column.name.replaceAll('_', ' '), style: 'dim' },
      { text: valueOf(column), style: styleOf(column, row), link: linkOf(column, row) },
    ]),
  );
}
