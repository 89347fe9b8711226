// Finds the field that identifies the rows of a list, and reads the id of a row.
import { ExactNumber } from '../../contract/exact-json.ts';
import { isRecord, ownField, valueAtPath, type JsonRecord } from './json-path.ts';

/** A cursor is part of a URL, whose length servers limit. */
const MAX_ID_LENGTH = 1000;

/** Returns a value as an id: a text or a number; undefined for a value that cannot be a cursor. */
export function idText(value: unknown): string | undefined {
  const isNumber = (typeof value === 'number' && Number.isFinite(value)) || value instanceof ExactNumber;
  const id = isNumber ? String(value) : value;
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH) return undefined;
  // A lone surrogate cannot be written in a URL.
  return /[\ud800-\udfff]/u.test(id) ? undefined : id;
}

/** Returns names under which services keep the id of a record, the likeliest first. `singular` is what one row is. */
export function idNames(singular: string): string[] {
  const names = [
    'id',
    '_id',
    'uuid',
    'Id',
    'ID',
    `${singular}_id`,
    `${singular}Id`,
    `${singular}ID`,
    'guid',
    'uid',
    'key',
    'identifier',
    '_id.$oid',
    '@id',
    'slug',
  ];
  const capitalized = names.map((name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`);
  return [...new Set([...names, ...capitalized])];
}

/**
 * Returns the path of the id in these rows. The first name is taken that all rows have and that differs in each; equal rows
 * count once, since a faulty page may repeat a row. Where there is none, the first name that most rows have, if it differs
 * at all. Undefined where no name will do.
 */
export function findIdPath(rows: readonly JsonRecord[], names: readonly string[]): string | undefined {
  const distinct = [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
  const found = names.map((name) => {
    const ids = distinct.map((row) => idText(valueAtPath(row, name))).filter((id) => id !== undefined);
    return { name, count: ids.length, values: new Set(ids).size };
  });
  const usable = found.filter(({ values }) => values > 1 || (values === 1 && distinct.length === 1));
  const best =
    usable.find(({ count, values }) => count === distinct.length && values === count) ??
    usable.find(({ count }) => count * 2 > distinct.length);
  return best?.name;
}

/**
 * Returns the fields of a row that keeps them in another field. A JSON:API row has its attributes beside its id, and the ids
 * of related records as fields: `conversation_id` for the relationship `conversation`. An attribute `type` counts more than that of the row.
 */
export function fieldsOfRow(row: unknown, place: '' | 'node' | 'attributes'): JsonRecord | undefined {
  if (place === '') return isRecord(row) ? row : undefined;
  const inner = ownField(row, place);
  if (!isRecord(row) || !isRecord(inner)) return undefined;
  if (place === 'node') return inner;
  const others = Object.entries(row).filter(
    ([name]) => name !== place && !(name === 'type' && Object.hasOwn(inner, name)),
  );
  const related = Object.entries(recordOf(row, 'relationships')).flatMap(([name, relation]) => {
    const id = ownField(ownField(relation, 'data'), 'id');
    return id === undefined ? [] : [[`${name}_id`, id] as const];
  });
  return Object.fromEntries([...related, ...Object.entries(inner), ...others]);
}

function recordOf(row: JsonRecord, name: string): JsonRecord {
  const value = ownField(row, name);
  return isRecord(value) ? value : {};
}

/** Returns where rows keep their fields. */
export function findFields(rows: readonly unknown[]): '' | 'node' | 'attributes' {
  const all = (name: string): boolean =>
    rows.length > 0 && rows.every((row) => isRecord(ownField(row, name)));
  if (all('node')) return 'node';
  const isResource = (row: unknown): boolean =>
    typeof ownField(row, 'type') === 'string' && idText(ownField(row, 'id')) !== undefined;
  return all('attributes') && rows.every(isResource) ? 'attributes' : '';
}
