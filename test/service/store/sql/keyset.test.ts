// The statements that read one window of a list.
import { expect, test } from 'vitest';
import type { Statements } from '../../../../src/service/store/sql/database.ts';
import { readPageRows, type ListQuery } from '../../../../src/service/store/sql/keyset.ts';

test('a cursor row is looked up even if the same list was read from a key before', async () => {
  const asked: string[] = [];
  const statements = {
    get: async (sql: string) => void asked.push(sql),
  } as unknown as Statements;
  const query: ListQuery = {
    select: 'SELECT json FROM files',
    key: ['n'],
    where: [],
    rows: { table: 'files', key: ['n'] },
  };
  const span = { before: null, limit: 5, direction: 'forward' } as const;
  await readPageRows(statements, query, { ...span, after: [7] });
  await readPageRows(statements, query, { ...span, after: { row: 7 } });
  expect(asked.map((sql) => / AS there/.test(sql))).toEqual([false, true]);
});
