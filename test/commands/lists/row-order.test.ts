// The order of `--sort`: as an ordinary stable sort of all rows, with rows that show nothing last.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderOf, sortedRows } from '../../../src/commands/lists/row-order.ts';

type Row = { id: number; value: string | number | undefined };

async function* streamed(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows;
}

async function sorted(
  values: readonly Row['value'][],
  sort = 'v',
  limit = Infinity,
  dates = new Set<string>(),
) {
  const rows = values.map((value, id) => ({ id, value }));
  const order = orderOf<Row>(sort, { dates, valueOf: () => (row) => row.value });
  const found = await sortedRows(streamed(rows), order, limit);
  expect(found.total).toBe(values.length);
  return found.rows.map(({ value }) => value);
}

test.each<[string, Row['value'][], string, Row['value'][]]>([
  ['numbers', [10, 9, undefined, 100], 'v', [9, 10, 100, undefined]],
  ['the greatest first', [10, undefined, 9, 100], '-v', [100, 10, 9, undefined]],
  ['texts in any case', ['b', 'A', 'C', 'a'], 'v', ['A', 'a', 'b', 'C']],
  ['numbers before texts', ['1', 2], 'v', [2, '1']],
])('%s', async (_, values, sort, expected) => {
  expect(await sorted(values, sort)).toEqual(expected);
});

test('dates of several forms by their instants; what is no date stands last', async () => {
  const values = [
    '2021-03-04T10:00:00+02:00',
    'soon',
    1_614_844_700,
    '2021-03-04T08:30:00.000Z',
    '2020-01-01',
  ];
  expect(await sorted(values, 'v', Infinity, new Set(['v']))).toEqual([
    '2020-01-01',
    1_614_844_700,
    '2021-03-04T10:00:00+02:00',
    '2021-03-04T08:30:00.000Z',
    'soon',
  ]);
});

describe('property', () => {
  const values = fc.array(fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }), { maxLength: 60 });
  test.each(['v', '-v'])('%s: the first rows of a stable sort, however few are kept', async (sort) => {
    await fc.assert(
      fc.asyncProperty(values, fc.integer({ min: 1, max: 10 }), async (drawn, limit) => {
        // So many rows that those kept are cut several times.
        const many = Array.from({ length: 60 }, () => drawn).flat();
        const rows = many.map((value, id) => ({ id, value }));
        const order = orderOf<Row>(sort, { dates: new Set(), valueOf: () => (row) => row.value });
        const { rows: found } = await sortedRows(streamed(rows), order, limit);
        const rank = ({ value }: Row): number =>
          value === undefined ? Infinity : Number(value) * (sort === 'v' ? 1 : -1);
        const expected = rows.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
        expect(found).toEqual(expected.slice(0, limit));
      }),
    );
  });
});
