// How a row of an unknown service is shown: its id and the first fields that have a plain value.
import type { Cell, Column, View } from './view.ts';
import { ID_COLUMNS } from './shared-columns.ts';

type Row = Record<string, unknown>;

/** Columns beside the id; more would not fit a screen. */
const MAX_COLUMNS = 6;

/** Returns a view whose columns are the fields of the sample, in its order. `id` is a dot path. */
export function anyView(id: string, sample: readonly Row[]): View<Row> {
  const names = [...new Set(sample.flatMap((row) => Object.keys(row)))].filter(
    (name) => name !== id && sample.some((row) => isPlain(own(row, name))),
  );
  const columns = names.slice(0, MAX_COLUMNS).map((name): Column<Row> => {
    const isNumber = sample.every((row) => typeof (own(row, name) ?? 0) === 'number');
    return { name, of: (row) => cellOf(own(row, name)), ...(isNumber ? { align: 'right' } : {}) };
  });
  const path = id.split('.');
  const idOf = (row: Row): Cell =>
    cellOf(path.reduce<unknown>((value, key) => own((value ?? {}) as Row, key), row));
  return { columns: [{ name: id, of: idOf, style: 'id', minColumns: ID_COLUMNS }, ...columns] };
}

function own(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : undefined;
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined || isPlain(value)) return value as Cell;
  return JSON.stringify(value);
}
