// Columns that follow the rows: where a known column is empty in all rows, another field that means the same is shown.
import { foldedName } from '../../contract/field-names.ts';
import { isReadAsOther } from '../../contract/read-names.ts';
import { cellOfField, isPlain, ownField } from './any-field.ts';
import { cellText, type Column, type View } from './view.ts';

/** Columns that are added for fields that no column shows; more would not fit a screen. */
const MAX_ADDED_COLUMNS = 6;

/** Returns the view with the columns that suit these rows. A column that shows another field has the name of that field. */
export function viewForRows<T extends object>(view: View<T>, rows: readonly T[]): View<T> {
  const columns = view.columns.map((column) => columnForRows(column, rows));
  return columns.every((column, at) => column === view.columns[at]) ? view : { ...view, columns };
}

/**
 * Returns whether the columns for these rows are decided, so that no more rows need be looked at: each column has a value,
 * or the rows have no field to put there instead.
 */
export function isDecided<T extends object>(view: View<T>, rows: readonly T[]): boolean {
  return view.columns.every(
    (column) =>
      column.instead === undefined ||
      rows.some((row) => cellText(column.of(row)) !== '') ||
      otherFields(column, rows).length === 0,
  );
}

/**
 * As {@link viewForRows}, for rows of which any field may be missing: columns that are empty in all rows are left out, and
 * fields with plain values that no column shows are added.
 */
export function viewOfPresentFields<T extends object>(view: View<T>, rows: readonly T[]): View<T> {
  const columns = viewForRows(view, rows).columns.filter((column) =>
    rows.some((row) => cellText(column.of(row)) !== ''),
  );
  // A field in another spelling is shown by the column that was read from it.
  const shown = new Set(columns.flatMap(({ name, field }) => [foldedName(name), foldedName(field ?? name)]));
  const added = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .filter((name) => !shown.has(foldedName(name)))
    .filter((name) => rows.some((row) => isPlain(ownField(row, name)) && !isReadAsOther(row, name)))
    .slice(0, MAX_ADDED_COLUMNS)
    .map((name): Column<T> => fieldColumn(name, rows));
  return { ...view, columns: [...columns, ...added] };
}

/** Returns a column of a field that the contract does not know. Numbers are aligned to the right. */
export function fieldColumn<T extends object>(name: string, rows: readonly T[]): Column<T> {
  const isNumber = rows.every((row) => typeof (ownField(row, name) ?? 0) === 'number');
  return { name, of: (row) => cellOfField(ownField(row, name)), ...(isNumber ? { align: 'right' } : {}) };
}

function columnForRows<T extends object>(column: Column<T>, rows: readonly T[]): Column<T> {
  if (column.instead === undefined || rows.some((row) => cellText(column.of(row)) !== '')) return column;
  const name = otherField(column, rows);
  if (name === undefined) return column;
  const { shown, instant } = column.instead;
  const { shown: _, of: __, style: ___, instant: ____, link: _____, ...rest } = column;
  return {
    ...rest,
    name,
    of: (row) => cellOfField(ownField(row, name)),
    ...(shown === undefined ? {} : { shown: (row: T) => shown(ownField(row, name)) }),
    ...(instant === undefined ? {} : { instant: (row: T) => instant(ownField(row, name)) }),
  };
}

/** Returns the first field of the rows that has a value to show in an empty column. */
function otherField<T extends object>(column: Column<T>, rows: readonly T[]): string | undefined {
  const { instead } = column;
  const suits = (value: unknown): boolean => instead?.fits?.(value) ?? cellText(cellOfField(value)) !== '';
  return otherFields(column, rows).find((name) => rows.some((row) => suits(ownField(row, name))));
}

/**
 * Returns the fields of the rows, as they spell them, that mean the same as a column; the likeliest first. The field with the name of
 * the column is the one that it reads and shows nothing of, unless it is listed.
 */
function otherFields<T extends object>({ name: own, instead }: Column<T>, rows: readonly T[]): string[] {
  const listed = instead?.names ?? [];
  const isOther = (name: string): boolean => name !== own || listed.includes(name);
  return listed
    .map((name) => rows.flatMap((row) => spellingsOf(row).get(foldedName(name)) ?? []))
    .map((names) => names.findLast(isOther))
    .filter((name) => name !== undefined);
}

const SPELLINGS = new WeakMap<object, ReadonlyMap<string, readonly string[]>>();

/** Returns the names of the fields of a row by their folded names. They are listed once for all columns. */
function spellingsOf(row: object): ReadonlyMap<string, readonly string[]> {
  const known = SPELLINGS.get(row);
  if (known !== undefined) return known;
  const spellings = new Map<string, string[]>();
  for (const name of Object.keys(row)) {
    const folded = foldedName(name);
    const same = spellings.get(folded);
    if (same === undefined) spellings.set(folded, [name]);
    else same.push(name);
  }
  SPELLINGS.set(row, spellings);
  return spellings;
}
