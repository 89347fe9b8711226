// On PostgreSQL every search reads the index of words, whatever the statistics say: no statement reads the words of all messages.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseQuery } from '../../../../src/contract/search/query.ts';
import { createFinder } from '../../../../src/service/store/search/find-messages.ts';
import { addToIndex } from '../../../../src/service/store/search/search-tables.ts';
import type { Value } from '../../../../src/service/store/sql/database.ts';
import { sampleArchive, type Sample } from '../../../support/archive.ts';
import { ENGINE, planOf } from '../../../support/engine.ts';

/** More are not sorted: from 2,000 hits on the newest are read in the order of days. */
const MESSAGES = 2_200;
/** So many words are stored outside of the row. */
const WORDS = 250;
const DAY_MS = 86_400_000;

let sample: Sample;
let asked: { sql: string; parameters: readonly Value[] }[];
let mostAtOnce: number;

beforeAll(async () => {
  if (ENGINE !== 'postgres') return;
  sample = await sampleArchive({ conversations: 0, messages: 0, attachments: 0 });
  const { database } = sample.archive;
  const text = { subject: '', sender: 'ann', files: '', quoted: '' };
  const rows = Array.from({ length: MESSAGES }, (_, n) => {
    const own = Array.from({ length: WORDS }, (__, at) => `w${(n * 31 + at * 17) % 5_000}`);
    const body = `common word ${n % 2 === 0 ? 'half' : ''} ${n % 300 === 0 ? 'rare' : ''} ${own.join(' ')}`;
    return {
      n: n + 1,
      date_ms: (n + 1) * DAY_MS,
      tier: 'mirror' as const,
      readText: () => ({ ...text, body }),
    };
  });
  await database.transaction((statements) => addToIndex(statements, rows));
  await database.run('ANALYZE search_mirror');
});
afterAll(() => sample?.close());

/** Runs `work` and returns the plans of the statements that it sent to the full table, and the number that it found. */
async function plansOf(
  query: string,
  work: 'count' | 'newest' | 'relevance' | 'year',
): Promise<{ found: number; plans: string[] }> {
  const { database } = sample.archive;
  asked = [];
  mostAtOnce = 0;
  let running = 0;
  const noting =
    (kind: 'all' | 'get') =>
    async (sql: string, parameters: readonly Value[] = []) => {
      asked.push({ sql, parameters });
      mostAtOnce = Math.max(mostAtOnce, (running += 1));
      return database[kind](sql, parameters).finally(() => (running -= 1)) as never;
    };
  const watched = { longReads: { ...database.longReads, all: noting('all'), get: noting('get') } };
  const { expression, filters } = parseQuery(query, 0);
  const finder = await createFinder(watched, {
    expression,
    filters,
    reader: 'mirror',
    labelsOf: () => [],
    matches: () => Promise.resolve(true),
  });
  let found: number;
  if (work === 'count') found = await finder.count();
  else if (work === 'year') found = (await finder.facet('year', 50)).values;
  else found = (await finder.find(work, 50)).length;
  const plans = await Promise.all(
    asked
      .filter(({ sql }) => sql.includes('search_mirror'))
      .map(async ({ sql, parameters }) => (await planOf(database, sql, parameters)).join('\n')),
  );
  return { found, plans };
}

test.runIf(ENGINE === 'postgres').each([
  ['common', 'count', MESSAGES],
  ['half', 'count', MESSAGES / 2],
  ['rare', 'count', Math.ceil(MESSAGES / 300)],
  ['comm*', 'count', MESSAGES],
  ['from:ann', 'count', MESSAGES],
  ['from:ann subject:no', 'count', 0],
  ['from:ann rare', 'count', Math.ceil(MESSAGES / 300)],
  ['from:an*', 'newest', 50],
  ['from:ann', 'relevance', 50],
  ['"common word"', 'count', MESSAGES],
  ['half', 'newest', 50],
  ['rare', 'newest', Math.ceil(MESSAGES / 300)],
  ['common', 'relevance', 50],
  ['common', 'year', 7],
] as const)('%s: %s', async (query, work, expected) => {
  const { found, plans } = await plansOf(query, work);
  expect(found).toBe(expected);
  expect(plans.length).toBeGreaterThan(0);
  for (const plan of plans) {
    expect(plan).not.toContain('Seq Scan');
    expect(plan).toMatch(/Bitmap Index Scan on search_\w+_(?:words|fields)/);
  }
});

test.runIf(ENGINE === 'postgres')('the newest of a common word are read in the order of days', async () => {
  const { found, plans } = await plansOf('common', 'newest');
  expect(found).toBe(50);
  expect(plans.join('\n')).not.toContain('Seq Scan');
  expect(plans.join('\n')).toContain('using search_mirror_newest');
});

test.runIf(ENGINE === 'postgres')('the settings of a search end with it', async () => {
  const { database } = sample.archive;
  await plansOf('common', 'count');
  const settings = Array.from({ length: 4 }, () =>
    database.get(`SELECT current_setting('enable_seqscan') AS seq, current_setting('jit') AS jit`),
  );
  for (const each of await Promise.all(settings)) expect(each).toEqual({ seq: 'on', jit: 'on' });
});

test.runIf(ENGINE === 'postgres')('a search takes one connection', async () => {
  await plansOf('"common word"', 'count');
  expect(mostAtOnce).toBe(1);
});
