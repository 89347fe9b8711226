import { expect, test } from 'vitest';
import { cutList } from '../../src/format/cut-list.ts';
import { mapRows, pagesOf, textOfRows, type Rows } from '../../src/format/rows.ts';

async function* pages(...all: number[][]): AsyncGenerator<number[]> {
  yield* all;
}
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
async function groups(rows: Rows<number>): Promise<number[][]> {
  const found: number[][] = [];
  for await (const page of pagesOf(rows)) found.push([...page]);
  return found;
}

async function* single(): AsyncGenerator<number> {
  yield 1;
  yield 2;
}

test('rows that arrive together stay together', async () => {
  expect(await groups([1, 2])).toEqual([[1, 2]]);
  expect(await groups(single())).toEqual([[1], [2]]);
  expect(await groups({ pages: pages([1, 2], [], [3]) })).toEqual([[1, 2], [], [3]]);
});

test('text is yielded for each page, in pieces where it is long', async () => {
  const lines = (rows: Rows<number>, length: number) =>
    all(textOfRows(rows, (row) => `${row}${'.'.repeat(length)}`));
  expect(await lines({ pages: pages([1, 2], [], [3]) }, 0)).toEqual(['12', '3']);
  expect((await lines([1, 2, 3], 10_000)).map((text) => text.length)).toEqual([20_002, 10_001]);
});

test('where a row cannot be read, the text of the rows before it comes first', async () => {
  function* broken(): Generator<number> {
    yield 1;
    throw new Error('no row');
  }
  const texts = textOfRows(broken(), String);
  expect(await texts.next()).toEqual({ value: '1', done: false });
  await expect(texts.next()).rejects.toThrow('no row');
});

test('a cut within a page reads one row more, and no other page', async () => {
  const read: number[] = [];
  const asked: string[] = [];
  async function* counted(): AsyncGenerator<number[]> {
    asked.push('first');
    yield [1, 2, 3, 4];
    asked.push('second');
  }
  let isCut = false;
  const rows = mapRows({ pages: counted() }, (row) => {
    read.push(row);
    return row;
  });
  const list = cutList({ rows, summary: () => ({}) }, 2, () => (isCut = true));
  expect(await groups(list.rows)).toEqual([[1, 2]]);
  expect({ read, asked, isCut }).toEqual({ read: [1, 2, 3], asked: ['first'], isCut: true });
  expect(list.summary()).toEqual({ rows: 2, has_more: true, complete: false });
});
