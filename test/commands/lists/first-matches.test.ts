// The first rows that match, over pages of services which follow cursors in their own ways.
import { describe, expect, test } from 'vitest';
import { firstMatches } from '../../../src/commands/lists/first-matches.ts';
import type { Window } from '../../../src/commands/shared/input.ts';

const ROWS = Array.from({ length: 100 }, (_, n) => ({ id: `row_${n}`, matches: n % 10 === 3 }));
const PAGE_ROWS = 7;
const numbersOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => Number(id.slice(4)));
const indexOf = (id: string | undefined, none: number) =>
  id === undefined ? none : ROWS.findIndex((row) => row.id === id);

type Service = { has_more?: boolean; descending?: boolean; follows?: boolean };

/** Returns the matching rows of a window with at most `limit`, as a service of this kind gives its pages. */
async function find(window: Window, limit: number, { has_more, descending, follows = true }: Service = {}) {
  const read = async ({ after, before }: Window) => {
    const inside = follows ? ROWS.slice(indexOf(after, -1) + 1, indexOf(before, ROWS.length)) : ROWS;
    const isBackward = before !== undefined && after === undefined;
    const data = isBackward ? inside.slice(-PAGE_ROWS) : inside.slice(0, PAGE_ROWS);
    return {
      data: isBackward && descending === true ? data.toReversed() : data,
      ...(has_more === undefined ? {} : { has_more: inside.length > PAGE_ROWS }),
    };
  };
  const progress = { update: () => {}, wiped: () => '', end: async () => {} };
  const first = await read(window);
  const found = await firstMatches({ window, first, limit, read, matches: (row) => row.matches, progress });
  return { ...found, rows: numbersOf(found.rows) };
}

describe.each<[string, Service]>([
  ['with has_more', { has_more: true }],
  ['without has_more', {}],
])('a service %s', (_, service) => {
  test('forwards', async () => {
    expect(await find({}, 3, service)).toMatchObject({ rows: [3, 13, 23], has_more: true });
    expect(await find({ after: 'row_73' }, 3, service)).toMatchObject({ rows: [83, 93], has_more: false });
    expect(await find({ after: 'row_73' }, 2, service)).toMatchObject({ rows: [83, 93], has_more: false });
    expect(await find({ after: 'row_13', before: 'row_43' }, 9, service)).toMatchObject({
      rows: [23, 33],
      has_more: false,
    });
    expect(await find({}, 100, service)).toMatchObject({ seen: 100, has_more: false });
  });

  test('backwards', async () => {
    expect(await find({ before: 'row_93' }, 3, service)).toMatchObject({
      rows: [63, 73, 83],
      has_more: true,
    });
    expect(await find({ before: 'row_20' }, 3, service)).toMatchObject({ rows: [3, 13], has_more: false });
  });

  test('backwards in descending pages, in the order of the pages', async () => {
    const descending = { ...service, descending: true };
    const found = await find({ before: 'row_93' }, 3, descending);
    expect(found).toMatchObject({ rows: [83, 73, 63], has_more: true });
    expect(found.pages).toBeLessThan(9);
    expect(await find({ before: 'row_20' }, 3, descending)).toMatchObject({ rows: [13, 3], has_more: false });
  });
});

test('a service that gives the same page again: it cannot be told whether more rows match', async () => {
  expect(await find({}, 3, { follows: false })).toMatchObject({ rows: [3], has_more: undefined, pages: 2 });
});
