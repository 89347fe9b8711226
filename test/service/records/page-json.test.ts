// The text of list pages: order and number of rows, placeholders, the envelope around them.
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import type { List } from '../../../src/contract/list.ts';
import {
  fileUrl,
  flag,
  instant,
  integrity,
  jsonRow,
  optionalMember,
  pageText,
  parseRows,
  quoted,
  quotedOrNull,
  rowsInOrder,
  rowText,
  substitute,
  whole,
  withheldMark,
  withMember,
} from '../../../src/service/records/page-json.ts';

const rowOf = (n: number) => `{"id":"msg_${n}","subject":"a \\",{\\"id\\":\\"b"}`;
const textOf = (...numbers: number[]) => numbers.map(rowOf).join(',');

describe('rows in order', () => {
  test.each([
    { name: 'forward', text: textOf(1, 2, 3), hasMore: false, direction: 'forward', rows: textOf(1, 2, 3) },
    {
      name: 'forward, one more',
      text: textOf(1, 2, 3),
      hasMore: true,
      direction: 'forward',
      rows: textOf(1, 2),
    },
    { name: 'backward', text: textOf(3, 2, 1), hasMore: false, direction: 'backward', rows: textOf(1, 2, 3) },
    {
      name: 'backward, one more',
      text: textOf(3, 2, 1),
      hasMore: true,
      direction: 'backward',
      rows: textOf(2, 3),
    },
    { name: 'a single row', text: textOf(1), hasMore: false, direction: 'backward', rows: textOf(1) },
  ] as const)('$name', ({ text, hasMore, direction, rows }) => {
    expect(rowsInOrder(text, hasMore, direction)).toBe(rows);
  });
});

test('a row that the database writes is completed', () => {
  const database = new DatabaseSync(':memory:');
  const row = jsonRow`{"id":"att_${'n'}","name":${quoted('name')},"url":${fileUrl('n', 'sha')},"at":${instant(
    'ms',
  )},"none":${quotedOrNull('absent')},"is":${flag('flagged')}${optionalMember('absent', 'absent')}${optionalMember('name_again', 'name')},"integrity":${integrity('failed')}}${withheldMark()}`;
  const select = `SELECT ${row} AS text FROM
    (SELECT 7 AS n, 'a"\u0001' AS name, 'ab' AS sha, 0 AS ms, NULL AS absent, 1 AS flagged, 1 AS failed)`;
  const { text } = database.prepare(select).get() as {
    text: string;
  };
  database.close();
  const completed = substitute('attachment', { text, count: 2 }, (n, sha256) => `"/files/${n}/${sha256}"`);
  expect(completed.withheld).toBe(true);
  expect(completed.integrity).toBeLessThan(1);
  expect(parseRows(completed)).toEqual([
    {
      id: 'att_7',
      name: 'a"\u0001',
      url: '/files/7/ab',
      at: '1970-01-01T00:00:00.000Z',
      none: null,
      is: true,
      name_again: 'a"\u0001',
      integrity: completed.integrity,
    },
  ]);
});

const DAMAGED = {
  'no number': { n: 'NULL' },
  'no text': { name: 'NULL' },
  'the character of a placeholder in the hash': { sha: `'a' || char(1) || 'b'` },
  'the character of a placeholder twice': { sha: `'a' || char(1) || 'b' || char(1)` },
  'a text among the checks': { failed: `'x'` },
};

test.each(Object.entries(DAMAGED))('a damaged row is refused: %s', (_, values) => {
  const { n, name, sha, failed } = { n: '7', name: `'a'`, sha: `'ab'`, failed: '1', ...values };
  const row = jsonRow`{"id":"att_1","number":${whole('n')},"name":${quoted('name')},"url":${fileUrl('1', 'sha')},"integrity":${integrity('failed')}}`;
  const database = new DatabaseSync(':memory:');
  const select = `SELECT ${row} AS text FROM (SELECT ${n} AS n, ${name} AS name, ${sha} AS sha, ${failed} AS failed)`;
  const { text } = database.prepare(select).get() as { text: string };
  database.close();
  expect(() => substitute('attachment', { text, count: 1 })).toThrow(
    expect.objectContaining({ code: 'storage_damaged' }),
  );
});

test('the envelope holds the rows', () => {
  const envelope: List<never> = {
    object: 'list',
    status: 'stable',
    data: [],
    has_more: false,
    drift_ratio: 0,
    integrity: 1,
  };
  const rows = { pieces: [textOf(1, 2)] };
  expect(JSON.parse(pageText(envelope, rows))).toEqual({ ...envelope, data: parseRows(rows) });
  expect(pageText(envelope, { pieces: [''] })).toBe(JSON.stringify(envelope));
});

test('a member is added at the end of a row', () => {
  const row = rowText({ pieces: [rowOf(1)] });
  expect(JSON.parse(withMember(row, 'messages', '[1]'))).toEqual({ ...JSON.parse(row), messages: [1] });
});
