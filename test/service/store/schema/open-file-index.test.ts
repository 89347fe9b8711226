// The migrations have the index of open files that lists and searches name, for each combination of filters.
import { expect, test } from 'vitest';
import { secondaryIndexesFor } from '../../../../src/service/store/schema/expected-indexes.ts';
import { openFileIndex, type OpenFileColumn } from '../../../../src/service/store/schema/open-file-index.ts';

const COMBINATIONS: readonly (readonly OpenFileColumn[])[] = [
  [],
  ['origin_city'],
  ['declared_type'],
  ['source'],
  ['origin_city', 'declared_type'],
  ['origin_city', 'source'],
  ['declared_type', 'source'],
  ['origin_city', 'declared_type', 'source'],
];

test.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  const created = secondaryIndexesFor(engine).map(({ statement }) => statement.replaceAll(/\s+/g, ' '));
  const expected = COMBINATIONS.map((columns) => {
    const { index, condition } = openFileIndex(columns);
    const keys = ['tier', ...columns, 'n'].join(', ');
    return `CREATE INDEX ${index} ON attachments (${keys}) WHERE ${condition}`;
  });
  expect(created).toEqual(expect.arrayContaining(expected));
  const open = created.filter((statement) => statement.includes('WHERE (redacted = 0'));
  expect(open.toSorted()).toEqual(expected.toSorted());
});
