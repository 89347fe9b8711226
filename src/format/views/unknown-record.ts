// How a row of an unknown service is shown: its id and the first fields that have a plain value.
import { cellOfField, isPlain, ownField } from './any-field.ts';
import { fieldColumn } from './columns-for-rows.ts';
import type { Cell, View } from './view.ts';
import { ID } from './shared-columns.ts';

type Row = Record<string, unknown>;

/** Columns beside the id; more would not fit a screen. */
const MAX_COLUMNS = 6;

/** Returns a view whose columns are the fields of the sample, in its order. `id` is a dot path. */
export function anyView(id: string, sample: readonly Row[]): View<Row> {
  const names = [...new Set(sample.flatMap((row) => Object.keys(row)))].filter(
    (name) => name !== id && sample.some((row) => isPlain(ownField(row, name))),
  );
  const columns = names.slice(0, MAX_COLUMNS).map((name) => fieldColumn(name, sample));
  const path = id.split('.');
  const idOf = (row: Row): Cell =>
    cellOfField(path.reduce<unknown>((value, key) => ownField(value ?? {}, key), row));
  return { columns: [{ name: id, of: idOf, ...ID }, ...columns] };
}
