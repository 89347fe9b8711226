// Rows that SQLite writes as one JSON text are those that it gives value by value.
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqlite } from '../../../../src/service/store/engines/sqlite.ts';
import type { Database, Value } from '../../../../src/service/store/sql/database.ts';
import { readRows } from '../../../../src/service/store/sql/json-rows.ts';

let database: Database;
beforeAll(async () => {
  database = await openSqlite({ path: ':memory:', sleep: (ms) => sleep(ms), readOnly: true });
});
afterAll(() => database.close());

/** Rows with the columns `a`, `b` and `c` from values, and how they are read. */
const SELECT = `SELECT value ->> 0 AS a, value ->> 1 AS b, value ->> 2 AS c FROM json_each($1) ORDER BY key DESC`;
const bothWays = async (rows: readonly (readonly Value[])[]) => {
  const values = [JSON.stringify(rows)];
  return [await readRows(database, ['a', 'b', 'c'], SELECT, values), await database.all(SELECT, values)];
};

const text = fc.oneof(
  // No column has NUL (records/table.ts).
  fc.string({ unit: 'binary' }).map((each) => each.replaceAll('\0', '')),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\u0001', '\u007f', '\n', '\t', '\u2028', '😀', '{"a":', '0', 'ü'),
  }),
);
const value: fc.Arbitrary<Value> = fc.oneof(text, fc.maxSafeInteger(), fc.constant(null));

test('texts, whole numbers and NULL, in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(value, value, value), { maxLength: 12 }), async (rows) => {
      const [asText, byValue] = await bothWays(rows);
      expect(asText).toEqual(byValue);
      expect(asText?.map(({ a, b, c }) => [a, b, c])).toEqual(rows.toReversed());
    }),
  );
});

test('bytes, which only a damaged column has', async () => {
  const sql = `SELECT 1 AS a, x'00ff' AS b`;
  expect(await readRows(database, ['a', 'b'], sql, [])).toEqual([{ a: 1, b: Uint8Array.of(0, 255) }]);
});

test('an integer beyond 2^53, which only a damaged column has, fails as it does alone', async () => {
  const sql = 'SELECT 1 AS a, 9007199254740993 AS b';
  const reads = [readRows(database, ['a', 'b'], sql, []), database.all(sql)];
  const [asText, byValue] = await Promise.all(reads.map((read) => read.catch((e: unknown) => e)));
  expect(asText).toEqual(byValue);
  expect(asText).toBeInstanceOf(Error);
});

test('a statement that is wrong fails as it does alone', async () => {
  const sql = 'SELECT a FROM nothing';
  const errors = [readRows(database, ['a'], sql, []), database.all(sql)].map((read) =>
    read.catch((e: unknown) => e),
  );
  const [asText, byValue] = await Promise.all(errors);
  expect(asText).toEqual(byValue);
  expect(asText).toBeInstanceOf(Error);
});
