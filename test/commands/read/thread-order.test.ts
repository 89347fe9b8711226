// The order of a thread: answers after what they answer, whatever parents the messages name.
import { expect, test } from 'vitest';
import { threadOrder } from '../../../src/commands/read/thread-order.ts';

const order = (rows: string[]) =>
  threadOrder(
    rows.map((row) => {
      const [id = '', parent_id] = row.split('<');
      return { id, parent_id };
    }),
  ).map(({ row, depth }) => `${depth}${row.id}`);

test.each<[name: string, rows: string[], placed: string[]]>([
  ['no messages', [], []],
  ['a chain', ['a', 'b<a', 'c<b'], ['0a', '1b', '2c']],
  ['two answers', ['a', 'b<a', 'c<a', 'd<b'], ['0a', '1b', '2d', '1c']],
  ['a missing parent', ['a<x', 'b<a'], ['0a', '1b']],
  ['a parent that comes later', ['a<b', 'b'], ['0a', '0b']],
  ['a cycle', ['a<b', 'b<a'], ['0a', '1b']],
  ['itself', ['a<a'], ['0a']],
  ['a message twice', ['a', 'b<a', 'b<a'], ['0a', '1b']],
])('%s', (_, rows, placed) => {
  expect(order(rows)).toEqual(placed);
});

test('a chain of 100,000 answers', () => {
  const rows = Array.from({ length: 100_000 }, (__, n) => `${n}<${n - 1}`);
  expect(order(rows).at(-1)).toBe('9999999999');
});
