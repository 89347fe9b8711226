// Rows that are copied are those that are inserted, whatever is in them; and where one is refused, none is there.
import { fc, test as property } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BYTES, INTEGER, orNull, table, TEXT } from '../../../../src/service/records/table.ts';
import type { Database } from '../../../../src/service/store/sql/database.ts';
import { openPostgres } from '../../../../src/service/store/engines/postgres.ts';
import { insertRows } from '../../../../src/service/store/sql/bulk-statements.ts';
import { freshUrl, noPostgres } from '../../../support/postgres.ts';

const text = fc.oneof(
  fc.constantFrom('', '\\N', '\\.', 'a\tb\nc\r\\', '"', '\u0001', '𝄞é'),
  fc.string({ unit: 'grapheme' }),
);
const row = fc.record({
  number: fc.option(fc.maxSafeInteger()),
  words: fc.option(text.map((drawn) => drawn.replaceAll('\0', ''))),
  content: fc.option(fc.uint8Array({ maxLength: 300 })),
});

const columns = {
  n: { type: INTEGER },
  number: { type: orNull(INTEGER) },
  words: { type: orNull(TEXT) },
  content: { type: orNull(BYTES) },
};
const COPIED = table('copied', columns);
const INSERTED = table('inserted', columns);

describe.skipIf(noPostgres)('copied rows', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openPostgres({ url: await freshUrl(), sleep: async () => {} });
    for (const table of ['copied', 'inserted']) {
      await database.run(
        `CREATE TABLE ${table} (n BIGINT PRIMARY KEY, number BIGINT, words TEXT, content BYTEA)`,
      );
    }
  });
  afterAll(() => database.close());

  property.prop([fc.array(row, { minLength: 8, maxLength: 40 })], { numRuns: 40 })(
    'are those that are inserted',
    async (drawn) => {
      const rows = drawn.map((one, n) => ({ n, ...one }));
      await database.transaction(async ({ copy, ...statements }) => {
        expect(copy).toBeDefined();
        for (const table of ['copied', 'inserted']) await statements.run(`DELETE FROM ${table}`);
        await insertRows({ ...statements, copy }, COPIED, rows);
        await insertRows(statements, INSERTED, rows);
      });
      const read = (table: string) => database.all(`SELECT * FROM ${table} ORDER BY n`);
      const copied = await read('copied');
      expect(copied).toEqual(await read('inserted'));
      expect(copied).toHaveLength(rows.length);
    },
  );

  test('larger than one piece, and a row larger than it', async () => {
    const content = (n: number) => new Uint8Array(n === 3 ? 700_000 : 20_000).fill(n);
    const rows = Array.from({ length: 40 }, (_, n) => ({ n, number: n, words: 'x', content: content(n) }));
    await database.transaction(async (statements) => {
      await statements.run('DELETE FROM copied');
      await insertRows(statements, COPIED, rows);
    });
    const row = await database.get<{ content: Uint8Array }>('SELECT content FROM copied WHERE n = 3');
    expect(Buffer.compare(row!.content, content(3))).toBe(0);
    expect(await database.all('SELECT n FROM copied')).toHaveLength(40);
  });

  test('are none where one is refused, and the connection serves on', async () => {
    await database.run('DELETE FROM copied');
    const rows = Array.from({ length: 20 }, (_, n) => ({ n: n % 19, number: n, words: 'x', content: null }));
    const copying = database.transaction((statements) => insertRows(statements, COPIED, rows));
    await expect(copying).rejects.toMatchObject({ code: '23505' });
    expect(await database.all('SELECT n FROM copied')).toEqual([]);
    await database.transaction((statements) => insertRows(statements, COPIED, rows.slice(0, 19)));
    expect(await database.all('SELECT n FROM copied')).toHaveLength(19);
  });
});
