// How far the index goes is asked at each search: the statement must read the messages that are due, not all.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { indexState, setIndexedUpTo } from '../../../../src/service/store/search/index-state.ts';
import type { Reads, Value } from '../../../../src/service/store/sql/database.ts';
import { sampleArchive, type Sample } from '../../../support/archive.ts';
import { ENGINE, planOf, type Asked } from '../../../support/engine.ts';

let sample: Sample;
beforeEach(async () => {
  sample = await sampleArchive({ conversations: 20, messages: 100, attachments: 0 });
  await sample.archive.database.migration((statements) => statements.run('ANALYZE'));
});
afterEach(() => sample.close());

test.runIf(ENGINE === 'sqlite')(
  'the due messages are looked up among all, not all among the due',
  async () => {
    const { database } = sample.archive;
    await database.run('INSERT INTO search_due (n) VALUES (7), (9)');
    await database.transaction((statements) => setIndexedUpTo(statements, 2_000));
    const asked: Asked[] = [];
    const get: Reads['get'] = (sql: string, parameters: readonly Value[] = []) => {
      asked.push({ sql, parameters });
      return database.get(sql, parameters) as never;
    };
    expect(await indexState({ ...database, get }, 'mirror')).toEqual({ of: 2_000, indexed: 1_998 });
    const { sql, parameters } = asked.find((one) => one.sql.includes('search_due'))!;
    const plan = (await planOf(database, sql, parameters)).filter((step) => / [dm] USING /.test(step));
    expect(plan).toEqual([
      expect.stringContaining('SEARCH d USING'),
      expect.stringContaining('SEARCH m USING INTEGER PRIMARY KEY (rowid=?)'),
    ]);
  },
);
