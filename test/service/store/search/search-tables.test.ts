// The index of SQLite has the words of each text in their places, whatever characters the text has.
import { fc, test as property } from '@fast-check/vitest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COLUMNS, type Column, type SearchText } from '../../../../src/contract/search/match.ts';
import { searchWordsOf } from '../../../../src/service/records/search-words.ts';
import { addToIndex } from '../../../../src/service/store/search/search-tables.ts';
import { sampleArchive, type Sample } from '../../../support/archive.ts';

let sample: Sample;
let n = 0;
beforeAll(async () => {
  sample = await sampleArchive({ conversations: 0, messages: 0, attachments: 0 });
  await sample.archive.database.run(
    'CREATE VIRTUAL TABLE indexed_words USING fts5vocab(search_external, instance)',
  );
});
afterAll(() => sample.close());

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('a', 'B', 'é', '語', '𐐨', '\ud800', ' ', '-', '\0'), maxLength: 200 }),
  fc
    .tuple(fc.constantFrom('x', 'xy ', 'é ', '語', '語 ㌖ '), fc.integer({ min: 60, max: 70 }))
    .map(([part, count]) => `${part.repeat(count)} end`),
);
const texts = fc.record(
  Object.fromEntries(COLUMNS.map((column) => [column, text])) as Record<Column, typeof text>,
);

property.prop([texts], { numRuns: 60 })('the words of each column', checkIndex);

test.each([4_000, 40_000, 60_000])('%d different words', async (count) => {
  const words = Array.from({ length: count }, (_, at) => `w${at}`).join(' ');
  for (const body of [words, `${words} é`])
    await checkIndex({ subject: 's', sender: '', body, files: 'f', quoted: 'q' });
});

async function checkIndex(text: SearchText): Promise<void> {
  const { database } = sample.archive;
  n += 1;
  await database.transaction((statements) =>
    addToIndex(statements, [{ n, date_ms: null, tier: 'external', readText: () => text }]),
  );
  const rows = await database.all<{ term: string; col: Column; at: number }>(
    'SELECT term, col, "offset" AS at FROM indexed_words WHERE doc = $1 ORDER BY col, "offset"',
    [n],
  );
  await database.run('DELETE FROM search_external WHERE rowid = $1', [n]);
  const words = searchWordsOf(text);
  for (const column of COLUMNS) {
    const own = rows.filter(({ col }) => col === column);
    const found = own.findIndex(({ term, at }, index) => term !== words[column][index] || at !== index);
    expect([column, found, own.length]).toEqual([column, -1, words[column].length]);
  }
}
