// What pages say about themselves, in the forms that services have for it.
import { describe, expect, test } from 'vitest';
import { STATED_TOTAL } from '../../../src/client/shapes/page-facts.ts';
import { conversationParser } from './lists.ts';

const data = [{ id: 'a' }];

describe('whether more rows follow', () => {
  test.each<[object, boolean | undefined]>([
    [{ has_more: true }, true],
    [{ has_more: 'false' }, false],
    [{ has_more: 1 }, true],
    [{ has_more: 0 }, false],
    [{ has_more: null }, undefined],
    [{ has_more: 'yes' }, undefined],
    [{}, undefined],
    [{ hasMore: true }, true],
    [{ more: false }, false],
    [{ meta: { has_more: true } }, true],
    [{ pageInfo: { hasNextPage: false, endCursor: null } }, false],
    [{ next: 'cursor' }, true],
    [{ next: null }, false],
    [{ next: false }, false],
    [{ next: '' }, false],
    [{ next: 40 }, true],
    [{ next: { href: '/x?page=2' } }, true],
    [{ next: { href: null } }, false],
    [{ next: {} }, false],
    [{ links: { self: '/', next: '/x' } }, true],
    [{ links: { next: null } }, false],
    [{ _links: { next: { href: '/x' } } }, true],
    [{ paging: { nextCursor: null } }, false],
    // What it says itself counts more than an address.
    [{ has_more: false, next: '/x' }, false],
  ])('%j: %j', (fields, expected) => {
    expect(conversationParser().read({ data, ...fields }).has_more).toBe(expected);
  });

  test('near the rows before the outside', () => {
    const body = { has_more: true, data: { items: data, has_more: false } };
    expect(conversationParser().read(body).has_more).toBe(false);
  });

  test('in a page before a cursor, the next page says nothing of rows before it', () => {
    const { read } = conversationParser();
    expect(read({ data, next: '/x', pageInfo: { hasNextPage: true } }, true).has_more).toBeUndefined();
    expect(read({ data, has_more: true }, true).has_more).toBe(true);
  });
});

test('other facts and fields of the body, from around the rows', () => {
  const { read, guess, lines } = conversationParser();
  const body = {
    name: 'x',
    driftRatio: '0.2',
    result: { items: data, status: 'partial', total: 4, integrity: 0.5 },
  };
  expect(read(body)).toEqual({
    [STATED_TOTAL]: 4,
    data,
    name: 'x',
    driftRatio: '0.2',
    total: 4,
    status: 'partial',
    drift_ratio: 0.2,
    integrity: 0.5,
  });
  expect(guess()).toMatchObject({ rows: 'result.items', hasMore: undefined, next: undefined });
  expect(lines).toEqual(['conversations: rows at result.items, ids at id']);
});

test('facts of another type are not taken, and lose nothing', () => {
  const page = conversationParser().read({
    data,
    status: 5,
    has_more: {},
    drift_ratio: 'high',
    integrity: 9,
  });
  expect(page).toEqual({ data });
});
