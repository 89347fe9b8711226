// Counts of displaced positions: exact where they are few, and kept for a while where they are many. Pages of both sequences.
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  countDisplacedEvents,
  readEvents,
  readMessagePositions,
} from '../../../../src/service/store/lists/sequence.ts';
import { invalidateSummary, summariesOf } from '../../../../src/service/store/meta-table/summary.ts';
import { sampleArchive, type Sample } from '../../../support/archive.ts';
import { ENGINE } from '../../../support/engine.ts';

let sample: Sample;
beforeEach(async () => {
  sample = await sampleArchive({ conversations: 1, messages: 1_000, attachments: 0 });
});
afterEach(() => sample.close());

/** Adds events that took effect one place later than they arrived. */
async function addDisplaced(from: number, count: number): Promise<void> {
  await sample.archive.database.run(
    `INSERT INTO events (n, id, type, payload, body_sha256, received_ms, deliveries, effect, applied)
      SELECT n + ${from}, 'e' || (n + ${from}), 'message.reordered', '{}', '', 0, 1, 'applied', n + ${from} + 1
      FROM messages WHERE n <= ${count}`,
  );
}

test('few displaced events are counted each time', async () => {
  await addDisplaced(0, 50);
  expect(await countDisplacedEvents(sample.archive)).toBe(50);
  await addDisplaced(100, 20);
  expect(await countDisplacedEvents(sample.archive)).toBe(70);
});

test('many are counted again after a pause, once for all who ask', async () => {
  await addDisplaced(0, 1_000);
  const { longReads } = sample.archive.database;
  const { get } = longReads;
  let counts = 0;
  longReads.get = (sql, parameters) => {
    counts += 1;
    return get(sql, parameters);
  };
  const displaced = () => countDisplacedEvents(sample.archive);
  expect(await displaced()).toBe(1_000);
  await addDisplaced(2_000, 10);
  sample.advance(9);
  expect(await displaced()).toBe(1_000);
  expect(counts).toBe(1);
  sample.advance(1);
  expect(await Promise.all([displaced(), displaced(), displaced()])).toEqual([1_010, 1_010, 1_010]);
  expect(counts).toBeLessThanOrEqual(3);
});

test('displaced messages of the summary are counted again after a pause where they are many', async () => {
  const { database } = sample.archive;
  const displace = async (sql: string): Promise<number> => {
    await database.transaction(async (statements) => {
      await statements.run(`UPDATE messages SET sequence = sequence + 1 WHERE ${sql}`);
      await invalidateSummary(statements);
    });
    return (await summariesOf(sample.archive)).mirror.displaced;
  };
  expect(await displace('n > 50')).toBe(950);
  expect(await displace('n > 40 AND n <= 50')).toBe(950);
  sample.advance(10);
  expect((await summariesOf(sample.archive)).mirror.displaced).toBe(960);
});

test.runIf(ENGINE === 'sqlite')('a page of SQLite is handed over in few values', async () => {
  await addDisplaced(0, 200);
  const { database } = sample.archive;
  let values = 0;
  const counting = {
    ...database,
    all: async (...asked: Parameters<typeof database.all>) => {
      const rows = await database.all(...asked);
      for (const row of rows) values += Object.keys(row).length;
      return rows as never;
    },
    get: async (...asked: Parameters<typeof database.get>) => {
      const row = await database.get(...asked);
      values += Object.keys(row ?? {}).length;
      return row as never;
    },
  };
  const span = { after: null, before: null, limit: 100, direction: 'backward' } as const;
  const { rows, has_more } = await readEvents(counting, span);
  expect([rows.length, rows[0]?.n, rows[99]?.n, has_more]).toEqual([100, 101, 200, true]);
  expect((await readMessagePositions(counting, span)).rows).toHaveLength(100);
  expect(values).toBe(3);
});
