// A search without words and with a filter that leaves few messages reads those, and not every message of the index of words.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseQuery } from '../../../../src/contract/search/query.ts';
import { createFinder } from '../../../../src/service/store/search/find-messages.ts';
import { addToIndex } from '../../../../src/service/store/search/search-tables.ts';
import type { Value } from '../../../../src/service/store/sql/database.ts';
import { sampleArchive, type Sample } from '../../../support/archive.ts';
import { ENGINE, planOf, type Asked } from '../../../support/engine.ts';

const MESSAGES = 3_000;
const DAY_MS = 86_400_000;
let sample: Sample;

beforeAll(async () => {
  sample = await sampleArchive({ conversations: 0, attachments: 0 });
  const { database } = sample.archive;
  const run = (sql: string) => database.migration((statements) => statements.run(sql));
  const numbers = `WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${MESSAGES})`;
  await run(`${numbers} INSERT INTO messages (n, conversation, sequence, format, source, classification, raw_sha256, raw_bytes,
      attachments, tier, failed, path, position, date_ms)
    SELECT n, (n + 9) / 10, n, 'rfc822', 'gateway', 'reply', 'h' || n, 1, 1, 'external', 0, 'x', n,
      CAST(n AS BIGINT) * ${DAY_MS} FROM s`);
  await run(`${numbers} INSERT INTO attachments (n, message, part, filename, sha256, bytes, declared_type, stored, redacted,
      decorative_layer, first_visible, origin_city, source, tier, failed)
    SELECT n, n, 0, 'f', 'h' || n, 1, CASE WHEN n % 1000 = 5 THEN 'rare/x' ELSE 'application/pdf' END, 1,
      CASE WHEN n = 1005 THEN 1 ELSE 0 END, 0, 1, CASE WHEN n = 9 THEN 'rare' ELSE 'big' END, 'gateway',
      CASE WHEN n = 2005 THEN 'mirror' ELSE 'external' END, 0 FROM s`);
  const text = { subject: '', sender: 'ann', files: '', quoted: '', body: 'common word' };
  const rows = Array.from({ length: MESSAGES }, (_, at) => ({
    n: at + 1,
    date_ms: (at + 1) * DAY_MS,
    tier: 'external' as const,
    readText: () => text,
  }));
  await database.transaction((statements) => addToIndex(statements, rows));
  await run('ANALYZE');
});
afterAll(() => sample.close());

/** The number that a search finds, and the plans of the statements about the index of words. */
async function search(query: string, reader: 'external' | 'mirror') {
  const { database } = sample.archive;
  const asked: Asked[] = [];
  const noting =
    (kind: 'all' | 'get') =>
    (sql: string, parameters: readonly Value[] = []) => {
      if (sql.includes('search_external')) asked.push({ sql, parameters });
      return database[kind](sql, parameters) as never;
    };
  const watched = { longReads: { ...database.longReads, all: noting('all'), get: noting('get') } };
  const { expression, filters } = parseQuery(query, 0);
  const finder = await createFinder(watched, {
    expression,
    filters,
    reader,
    labelsOf: (filter) => [filter.label],
    matches: () => Promise.resolve(true),
  });
  const found = [await finder.count(), (await finder.find('newest', 50)).length];
  await finder.facet('type', 5);
  const plans = await Promise.all(
    asked.map(async ({ sql, parameters }) => (await planOf(database, sql, parameters)).join('\n')),
  );
  return { found, plans };
}

/** The index is read by its keys: FTS5 names the columns of its constraint, PostgreSQL its index. */
const BY_KEY = ENGINE === 'sqlite' ? /search_external VIRTUAL TABLE INDEX \d+:=/ : /search_external_pkey/;

test.each([
  ['conversation:conv_7', 'external', 10],
  ['conversation:conv_99999', 'external', 0],
  ['type:rare/x', 'external', 1],
  ['type:rare/x', 'mirror', 2],
  ['type:rare', 'mirror', 2],
  ['type:rare/x type:application/pdf', 'mirror', 0],
  ['city:rare', 'external', 1],
] as const)('%s, read by %s', async (query, reader, expected) => {
  const { found, plans } = await search(query, reader);
  expect(found).toEqual([expected, expected]);
  expect(plans.length).toBeGreaterThan(2);
  for (const plan of plans) expect(plan).toMatch(BY_KEY);
});

test.each([
  ['type:application/pdf', MESSAGES - 4 + 1],
  ['city:big', MESSAGES - 1 - 2],
  ['-city:rare', MESSAGES - 1],
  ['conversation:conv_7 common', 10],
  ['conversation:conv_7 -common', 0],
] as const)('%s leaves many, or has words', async (query, expected) => {
  expect((await search(query, 'external')).found).toEqual([expected, Math.min(50, expected)]);
});
