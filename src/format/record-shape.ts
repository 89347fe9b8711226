// Gives every record of `-o ndjson` the same keys: a field that a record lacks is null.
import { ExactNumber } from '../contract/exact-json.ts';

/** Returns a record with every key of its schema; a missing field is null. */
export type CompleteRecord = (record: object) => object;

type Shape = { empty: Record<string, null>; keys: readonly string[]; inner: readonly [string, Shape][] };

/** Returns the function for records whose schema has these fields, as dot paths that go through lists. */
export function completeRecordOf(fields: readonly string[]): CompleteRecord {
  const shape = shapeOf(fields);
  return (record) => complete(record, shape) as object;
}

function shapeOf(fields: readonly string[]): Shape {
  const keys = fields.filter((field) => !field.includes('.'));
  const inner = keys.flatMap((key): [string, Shape][] => {
    const below = fields.filter((field) => field.startsWith(`${key}.`));
    return below.length === 0 ? [] : [[key, shapeOf(below.map((field) => field.slice(key.length + 1)))]];
  });
  return { empty: Object.fromEntries(keys.map((key) => [key, null])), keys, inner };
}

function complete(value: unknown, shape: Shape): unknown {
  if (Array.isArray(value)) return value.map((item) => complete(item, shape));
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  const record = value as Record<string, unknown>;
  if (shape.inner.length === 0) {
    const row: Record<string, unknown> = {};
    let known = 0;
    for (const key of shape.keys) {
      const member = record[key];
      row[key] = member ?? null;
      if (member !== undefined) known += 1;
    }
    // Other fields stand after those of the schema.
    if (known === Object.keys(record).length) return row;
  }
  const isComplete = shape.keys.every((key) => record[key] !== undefined);
  if (isComplete && shape.inner.length === 0) return record;
  // A key whose value is undefined would not be written.
  const defined = isComplete ? record : withoutUndefined(record);
  const completed: Record<string, unknown> = { ...shape.empty, ...defined };
  for (const [key, inner] of shape.inner) completed[key] = complete(completed[key], inner);
  return completed;
}

function withoutUndefined(record: Record<string, unknown>): Record<string, unknown> {
  if (!Object.values(record).includes(undefined)) return record;
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
