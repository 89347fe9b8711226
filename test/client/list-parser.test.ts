// Rows that come again: known by their values alone, looked at anew as soon as one of these differs.
import { expect, test } from 'vitest';
import type { ApiResponse } from '../../src/client/response.ts';
import { createListParser } from '../../src/client/list-parser.ts';

let looks = 0;

const answer = (body: unknown): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  bytes: new TextEncoder().encode(JSON.stringify(body)),
});

function reader({ remembers }: { remembers?: boolean } = {}) {
  const list = createListParser<Record<string, unknown>>({
    list: 'rows',
    names: [],
    ids: ['id'],
    hints: { rows: '', id: '' },
    remembers,
    reader: {
      read(row) {
        looks += 1;
        const { tags, size } = row;
        if (tags !== undefined && !Array.isArray(tags)) return { issue: issueAt('tags') };
        return size === 'none' ? { issue: issueAt('size') } : { row, isRepaired: false };
      },
    },
  });
  const issueAt = (field: string) => ({
    code: 'custom' as const,
    path: [field],
    message: 'wrong',
    input: undefined,
  });
  looks = 0;
  return (body: unknown) => {
    const before = looks;
    const { data } = list.parse(answer(body)).body;
    return { data, looks: looks - before };
  };
}

test('a row that is the same, its keys in any order, is looked at once, and other rows of its page are', () => {
  const read = reader();
  const first = read({ data: [{ id: 'a', size: 1, tags: ['x'], more: { deep: null } }, { id: 'b' }] });
  const again = read({
    has_more: true,
    data: [{ id: 'c' }, { more: { deep: null }, tags: ['x'], size: 1, id: 'a' }, { id: 'd' }, { id: 'b' }],
  });
  expect([first.looks, again.looks]).toEqual([2, 2]);
  expect(again.data.map(({ id }) => id)).toEqual(['c', 'a', 'd', 'b']);
  expect([again.data[1], again.data[3]]).toEqual(first.data);
  expect(again.data[1]).toBe(first.data[0]);
});

test.each([
  ['another value', { id: 'a', size: 2, tags: ['x'] }],
  ['a value of another type', { id: 'a', size: 1, tags: { 0: 'x' } }],
  ['a field less', { id: 'a', size: 1 }],
  ['a field more', { id: 'a', size: 1, tags: ['x'], more: null }],
  ['another field', { id: 'a', size: 1, bags: ['x'] }],
  ['an element more', { id: 'a', size: 1, tags: ['x', 'y'] }],
])('a row with %s is looked at anew', (_, row) => {
  const read = reader();
  read({ data: [{ id: 'a', size: 1, tags: ['x'] }] });
  const outcome = (() => {
    try {
      return read({ data: [row] });
    } catch (error) {
      return String(error);
    }
  })();
  if (typeof outcome === 'string') expect(outcome).toContain('data[0].tags');
  else expect(outcome).toEqual({ data: [row], looks: 1 });
});

test('what is wrong is said by its place in the page, and nothing of that page is remembered', () => {
  const read = reader();
  read({ data: [{ id: 'a' }, { id: 'b' }] });
  expect(() => read({ data: [{ id: 'a' }, { id: 'c' }, { id: 'b', size: 'none' }] })).toThrow(
    'answer has the wrong shape at data[2].size',
  );
  expect(() => read({ data: [{ id: 'a' }, null] })).toThrow('row 2 of a page has no id at id');
  expect(read({ data: [{ id: 'c' }] }).looks).toBe(1);
});

test('the newest are remembered, however long the list and large its rows', () => {
  const read = reader();
  const rows = Array.from({ length: 5 }, (_, at) => ({
    id: String(at),
    text: 'x'.repeat(1024 * 1024 - 100),
  }));
  read({ data: rows.slice(0, 4) });
  expect(read({ data: rows.slice(0, 4) }).looks).toBe(0);
  read({ data: rows.slice(4) });
  expect(read({ data: rows.slice(1) }).looks).toBe(0);
  expect(read({ data: rows.slice(0, 1) }).looks).toBe(1);
});

test('of a list that remembers nothing, every row is looked at', () => {
  const read = reader({ remembers: false });
  read({ data: [{ id: 'a' }] });
  expect(read({ data: [{ id: 'a' }] }).looks).toBe(1);
});
