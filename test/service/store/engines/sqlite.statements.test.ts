// Statements: parameters by their numbers, in whatever order they appear, and values that JavaScript cannot hold.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openArchive, type OpenArchive } from '../../../../src/service/index.ts';
import { isStoreDamaged } from '../../../../src/service/store/sql/database-error.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

let archive: OpenArchive;
beforeAll(async () => {
  archive = await openArchive({
    dir: tempFolder('parameters'),
    now: () => 0,
    randomBytes,
    sleep: () => Promise.resolve(),
  });
});
afterAll(() => archive.close());

test.each<[sql: string, row: unknown[]]>([
  ['SELECT $1 AS a, $2 AS b', ['one', 'two']],
  ['SELECT $2 AS a, $1 AS b', ['two', 'one']],
  ['SELECT $1 AS a, $1 AS b, $2 AS c', ['one', 'one', 'two']],
  ['SELECT $2 AS a, $2 AS b, $1 AS c', ['two', 'two', 'one']],
])('%s', async (sql, row) => {
  expect(Object.values((await archive.database.get(sql, ['one', 'two']))!)).toEqual(row);
});

test('a statement with 1,500 of them', async () => {
  const values = Array.from({ length: 1_500 }, (_, at) => at);
  const rows = values.map((at) => `($${at + 1})`);
  const sql = `WITH v (n) AS (VALUES ${rows.join(', ')}) SELECT n FROM v`;
  expect((await archive.database.all<{ n: number }>(sql, values)).map(({ n }) => n)).toEqual(values);
});

test.each(['get', 'all'] as const)('a number beyond 2^53 is damage for %s', async (read) => {
  const failure: unknown = await archive.database[read]('SELECT 9223372036854775807 AS n').catch(
    (error: unknown) => error,
  );
  expect(isStoreDamaged(failure)).toBe(true);
});
