// The lists of an import's report keep the first entries and count the others.
import { expect, test } from 'vitest';
import { createItemLists } from '../../../src/service/import/item-lists.ts';

test('few entries are listed, and nothing else is said', () => {
  const lists = createItemLists(2);
  lists.add('refused', { path: 'a', offset: 1, reason: 'is a link' });
  lists.add('notices', { path: 'a', notice: 'is odd' });
  expect(lists.report()).toEqual({
    refused: [{ path: 'a', offset: 1, reason: 'is a link' }],
    skipped: [],
    notices: [{ path: 'a', notice: 'is odd' }],
  });
});

test('many are counted by list and reason', () => {
  const lists = createItemLists(2);
  for (let n = 0; n < 9; n += 1)
    lists.add('refused', { path: `${n}`, offset: 0, reason: n % 3 === 0 ? 'is a link' : 'is encrypted' });
  for (let n = 0; n < 3; n += 1)
    lists.add('skipped', { path: `${n}`, offset: null, bytes: null, reason: 'is no mail' });
  const { refused, skipped, notices, not_listed } = lists.report();
  expect(refused.map(({ path }) => path)).toEqual(['0', '1']);
  expect(skipped.map(({ path }) => path)).toEqual(['0', '1']);
  expect(notices).toEqual([]);
  expect(not_listed).toEqual([
    { list: 'refused', reason: 'is encrypted', count: 5 },
    { list: 'refused', reason: 'is a link', count: 2 },
    { list: 'skipped', reason: 'is no mail', count: 1 },
  ]);
});

test('ten thousand different long reasons of a stranger take little memory', () => {
  const lists = createItemLists(3);
  const long = 'x'.repeat(100_000);
  for (let n = 0; n < 10_000; n += 1)
    lists.add('skipped', { path: 'a', offset: n, bytes: 1, reason: `${n} is no type: ${long}` });
  const report = lists.report();
  expect(JSON.stringify(report).length).toBeLessThan(20_000);
  const counts = (report.not_listed ?? []).map(({ count }) => count);
  expect(counts.reduce((sum, count) => sum + count, report.skipped.length)).toBe(10_000);
  expect(report.not_listed?.at(-1)).toMatchObject({ reason: 'other reasons', count: 10_000 - 3 - 50 });
});

test('a reason that is cut has no half of a character', () => {
  const lists = createItemLists();
  lists.add('refused', { path: 'a', offset: 0, reason: `${'x'.repeat(299)}😀` });
  expect(lists.report().refused[0]?.reason).toBe(`${'x'.repeat(299)}…`);
});
