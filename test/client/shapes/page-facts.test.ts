// What pages say about themselves, in the forms that services have for it.
import { describe, expect, test } from 'vitest';
import { NEXT_CURSOR, STATED_TOTAL, UNDESCRIBED } from '../../../src/client/shapes/page-facts.ts';
import { conversationParser } from './lists.ts';

const data = [{ id: 'a' }];

describe('whether more rows follow', () => {
  test.each<[object, boolean | undefined]>([
    [{ has_more: true }, true],
    [{ has_more: 'false' }, false],
    [{ HasMore: 'False' }, false],
    [{ has_more: 1 }, true],
    [{ has_more: 0 }, false],
    [{ has_more: null }, undefined],
    [{ has_more: 'yes' }, true],
    [{ has_more: 'perhaps' }, undefined],
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
    [{ next_page_url: '/x?page=2' }, true],
    [{ '@odata.nextLink': '/x?$skip=2' }, true],
    [{ last: true }, false],
    [{ last: false }, true],
    [{ isLast: true }, false],
    [{ last: 1 }, undefined],
    [{ last: '/x?page=9' }, undefined],
    [{ page: { number: 0, totalPages: 2 } }, true],
    [{ page: { number: 0, totalPages: 1 } }, false],
    // The last page of a service that counts from 0, or the first of one that counts from 1.
    [{ page: { number: 1, totalPages: 2 } }, undefined],
    [{ totalPages: 4 }, undefined],
    [{ _links: { self: { href: '/' } } }, undefined],
    [{ _links: { prev: { href: '/x?page=1' } } }, false],
    [{ links: { prev: null, last: '/x?page=1' } }, false],
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
    expect(read({ data, last: true, page: { totalPages: 1 } }, true).has_more).toBeUndefined();
  });

  test.each<[object, boolean]>([
    [{ pageInfo: { hasPreviousPage: true } }, true],
    [{ previous: null }, false],
    [{ first: true }, false],
    [{ _links: { prev: { href: '/x' } } }, true],
  ])('in a page before a cursor, of the rows before it: %j', (fields, expected) => {
    expect(conversationParser().read({ data, ...fields }, true).has_more).toBe(expected);
  });
});

describe('what headers say of a page', () => {
  test.each<[link: string, expected: { has_more?: boolean; cursor?: string }, isBackward?: boolean]>([
    ['<https://api.test/v1/conversations?starting_after=b>; rel="next"', { has_more: true, cursor: 'b' }],
    ['<?starting_after=b&limit=2>; rel=next', { has_more: true, cursor: 'b' }],
    ['<https://evil.test/x?starting_after=b>;title="a, b";REL="last Next"', { has_more: true, cursor: 'b' }],
    ['<page2>; rel="next"', { has_more: true }],
    ['</>; title="; rel=next", </x?page=2> ; rel = "prev", </x?page=2>; rel="last"', { has_more: false }],
    ['</style.css>; rel="preload"', {}],
    ['rel="next"', {}],
    ['</x?ending_before=a>; rel="prev"', { has_more: true }, true],
    ['</x?starting_after=b>; rel="next"', {}, true],
  ])('Link: %s', (link, { has_more, cursor }, isBackward = false) => {
    const page = conversationParser().read(data, isBackward, { link });
    expect([page.has_more, page[NEXT_CURSOR]]).toEqual([has_more, cursor]);
  });

  test('the body counts more', () => {
    const { read } = conversationParser();
    const link = '</x?starting_after=b>; rel="next"';
    expect(read({ data, has_more: false, total: 3 }, false, { link, 'x-total-count': '9' })).toEqual({
      data,
      total: 3,
      has_more: false,
      [STATED_TOTAL]: 3,
      [NEXT_CURSOR]: 'b',
    });
  });

  test('a number of rows that is written as text', () => {
    expect(conversationParser().read({ data, TotalCount: '40' })[STATED_TOTAL]).toBe(40);
  });

  test.each(['x-total-count', 'x-total', 'total-count'])('%s is the number of rows', (name) => {
    const { read } = conversationParser();
    expect(read(data, false, { [name]: '40' })[STATED_TOTAL]).toBe(40);
    expect(read(data, false, { [name]: 'many' })[STATED_TOTAL]).toBeUndefined();
  });

  test('a header describes an empty list', () => {
    const { read } = conversationParser();
    expect(read([])[UNDESCRIBED]).toBe(true);
    expect(read([], false, { 'x-total-count': '0' })[UNDESCRIBED]).toBeUndefined();
  });

  test('they name where the next page is stated, and how it is asked for', () => {
    const { read, lines } = conversationParser();
    read(data, false, { link: '</x?page=2>; rel="next"' });
    expect(lines).toEqual([
      'conversations: rows in the body itself, ids at id, more rows by Link header: next, next page asked for by page',
    ]);
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
