// What one page shows about its cursor, and when the answers together decide.
import { describe, expect, test } from 'vitest';
import { orderLogOdds, showingOf, verdictOf, type Showing } from '../../src/capabilities/probe-verdict.ts';

const KNOWN = 'abcdefghijklmnopqrst'.split('');
const ids = (text: string): string[] => text.split('');

describe('a page', () => {
  test.each<[string, Parameters<typeof showingOf>[1], string, Showing]>([
    ['after e', { after: 'e', limit: 10 }, 'fghijklmno', 'followed'],
    ['after the last row', { after: 't', limit: 10 }, '', 'followed'],
    ['after e, some rows missing', { after: 'e', limit: 10 }, 'fgijkno', 'followed'],
    ['after e, later rows', { after: 'e', limit: 10 }, 'hijklmnopq', 'unclear'],
    ['after e, the first page', { after: 'e', limit: 10 }, 'abcdefghij', 'ignored'],
    [
      'after e, the first page of a service that gives 6 rows',
      { after: 'e', limit: 10 },
      'abcdef',
      'ignored',
    ],
    ['after e, the rows before it', { after: 'e', limit: 10 }, 'abcd', 'swapped'],
    ['after e, the rows before it in reverse', { after: 'e', limit: 10 }, 'dcba', 'swapped'],
    ['after e, new rows in front of those before it', { after: 'e', limit: 10 }, '321dcba', 'turned'],
    ['before t', { before: 't', limit: 10 }, 'jklmnopqrs', 'followed'],
    ['before t in reverse', { before: 't', limit: 10 }, 'srqponmlkj', 'followed'],
    ['before t, the rows after it', { before: 't', limit: 10 }, '123', 'unclear'],
    ['before t, the first page', { before: 't', limit: 10 }, 'abcdefghij', 'ignored'],
    ['before t, the first rows of the list before it', { before: 'k', limit: 9 }, 'abcdefghi', 'ignored'],
    ['between c and k', { after: 'c', before: 'k', limit: 10 }, 'defghij', 'followed'],
    ['between c and k, without k', { after: 'c', before: 'k', limit: 10 }, 'defghijklm', 'ignored'],
    ['between c and k, without c', { after: 'c', before: 'k', limit: 10 }, 'abcdefghij', 'ignored'],
    ['after a row that is not known', { after: '?', limit: 10 }, 'abc', 'unclear'],
  ])('%s', (_, query, page, expected) => {
    expect(showingOf(ids(page), query, KNOWN)).toBe(expected);
  });

  test.each([
    ['jklmnopqrs', 1],
    ['srqponmlkj', -1],
    ['srqponmlkj123', -1],
    ['srqponlmkj', -1],
    ['mlkjsrqpon', 0],
    ['j', 0],
    ['ab', 1],
  ])('%s is ascending, descending or neither: %d', (page, sign) => {
    expect(Math.sign(orderLogOdds(ids(page), KNOWN))).toBe(sign);
  });
});

describe('a verdict', () => {
  const options = { isOrderKnown: false, isClean: true, minRows: 3, minPages: 1 };
  const before = (page: string | undefined) => ({
    query: { before: 't', limit: 10 },
    ids: page === undefined ? undefined : ids(page),
  });
  const [good, turned, first, wild] = ['jklmnopqrs', 'srqponmlkj', 'abcdefghij', 'jxyz'];
  test.each([
    ['one good page', [good], 'ascending'],
    ['one page in reverse is not enough', [turned], undefined],
    ['two pages in reverse', [turned, turned], 'descending'],
    ['one of each', [turned, good], undefined],
    ['two of three', [turned, good, turned, turned], 'descending'],
    ['the first page twice', [first, first], undefined],
    ['the first page three times', [first, first, first], 'ignored'],
    ['a good page beside it', [first, first, first, good, good], undefined],
    ['nothing clear', [wild, wild, wild, wild], undefined],
    ['three refused rows', [undefined, undefined, undefined], 'refused'],
    ['a refused row', [undefined, good], 'ascending'],
  ])('%s', (_, pages, expected) => {
    expect(verdictOf(pages.map(before), KNOWN, options)).toBe(expected);
  });

  test('where a page was faulty, one good page does not show the order', () => {
    expect(verdictOf([wild, good].map(before), KNOWN, options)).toBeUndefined();
    expect(verdictOf([wild, good, good].map(before), KNOWN, options)).toBe('ascending');
  });

  test('of two rows no page shows an order', () => {
    const page = { query: { before: 'b', limit: 10 }, ids: ['a'] };
    expect(verdictOf([page], ['a', 'b'], options)).toBe('ascending');
  });
});
