// Reading every row: the end of a list is proven or doubted, and a list without one is left.
import { describe, expect, test } from 'vitest';
import { readAllRows } from '../../src/client/all-rows.ts';
import type { WindowQuery } from '../../src/contract/window.ts';

type Row = { id: string };

async function drain(
  read: (window: WindowQuery) => Promise<{ data: Row[]; has_more?: boolean }>,
  most?: number,
) {
  const listing = readAllRows(read, (row: Row) => row.id, 10, most);
  const ids: string[] = [];
  for await (const row of listing.rows) ids.push(row.id);
  return { ids, complete: listing.complete() };
}

const page = (from: number, count = 10): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: `att_${from + index}` }));

describe('every row', () => {
  test('page by page to the last', async () => {
    const read = async ({ starting_after }: WindowQuery) =>
      starting_after === undefined
        ? { data: page(1), has_more: true }
        : { data: page(11, 3), has_more: false };
    expect(await drain(read)).toEqual({ ids: page(1, 13).map(({ id }) => id), complete: true });
  });

  test('the same page again ends the list, which is then not proven', async () => {
    expect(await drain(async () => ({ data: page(1), has_more: true }))).toEqual({
      ids: page(1).map(({ id }) => id),
      complete: false,
    });
  });

  test('new ids for ever are a protocol fault, not a full memory', async () => {
    let pages = 0;
    const read = async () => ({ data: page(10 * pages++), has_more: true });
    await expect(drain(read, 1000)).rejects.toMatchObject({
      kind: 'protocol',
      message: 'the list has no end: it goes on after 1000 rows',
    });
    expect(pages).toBe(101);
  });

  test('a list of just so many rows is whole', async () => {
    const { ids, complete } = await drain(async () => ({ data: page(1), has_more: false }), 10);
    expect([ids.length, complete]).toEqual([10, true]);
  });
});
