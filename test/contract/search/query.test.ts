// The search language: what each query means, and what is wrong with the others, with the position.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { matches, type Column } from '../../../src/contract/search/match.ts';
import { QueryError, type Expression } from '../../../src/contract/search/expression.ts';
import { parseQuery } from '../../../src/contract/search/query.ts';
import { wordsOf } from '../../../src/contract/search/words.ts';

// A Tuesday.
const NOW = Date.parse('2026-11-24T15:00:00Z');
const parse = (text: string) => parseQuery(text, NOW);

/** Writes an expression as text: `all(a,not(b))`. */
function shown(expression: Expression | undefined): string {
  if (expression === undefined) return '';
  if (expression.kind === 'not') return `not(${shown(expression.of)})`;
  if (expression.kind !== 'term') return `${expression.kind}(${expression.of.map(shown).join(',')})`;
  const { field, words, isPrefix } = expression;
  return `${field === undefined ? '' : `${field}:`}${words.join('+')}${isPrefix ? '*' : ''}`;
}

test.each<[query: string, expression: string]>([
  ['foo', 'foo'],
  ['Foo BAR', 'all(foo,bar)'],
  ['foo AND bar', 'all(foo,bar)'],
  ['"foo bar"', 'foo+bar'],
  ['"foo bar"*', 'foo+bar*'],
  ['foo*', 'foo*'],
  ['foo-bar', 'foo+bar'],
  ['a@b.org', 'a+b+org'],
  ['foo OR bar baz', 'any(foo,all(bar,baz))'],
  ['(foo OR bar) baz', 'all(any(foo,bar),baz)'],
  ['-foo', 'not(foo)'],
  ['NOT foo', 'not(foo)'],
  ['foo -bar', 'all(foo,not(bar))'],
  ['foo AND NOT bar', 'all(foo,not(bar))'],
  ['-(foo OR bar)', 'not(any(foo,bar))'],
  ['--foo', 'foo'],
  ['from:jane', 'from:jane'],
  ['FROM:jane', 'from:jane'],
  ['from:"Jane Doe"', 'from:jane+doe'],
  ['-subject:re', 'not(subject:re)'],
  ['file:*.pdf', 'file:pdf'],
  ['main()', 'main'],
  ['(main(x) OR y)', 'any(main+x,y)'],
  ['or not and', 'all(or,not,and)'],
  ['constructor', 'constructor'],
  ['toString OR valueOf', 'any(tostring,valueof)'],
  ['constructor:x', 'constructor+x'],
  ['日本語', '日+本+語'],
  ['日本*', '日+本'],
  ['"a:b"', 'a+b'],
  ['http://example.org/', 'http+example+org'],
  ['city:london', ''],
  ['foo city:london bar', 'all(foo,bar)'],
  ['foo AND city:london', 'foo'],
  ['city:london AND foo', 'foo'],
  ['foo AND city:london AND bar', 'all(foo,bar)'],
  ['foo OR bar city:london', 'any(foo,bar)'],
])('%s', (query, expression) => {
  expect(shown(parse(query).expression)).toBe(expression);
});

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);

test.each<[query: string, filter: object]>([
  ['conversation:conv_12', { kind: 'conversation', id: 'conv_12' }],
  ['type:image/png', { kind: 'type', type: 'image/png' }],
  ['type:Image/*', { kind: 'type', type: 'image/' }],
  ['type:image', { kind: 'type', type: 'image/' }],
  ['city:"New York"', { kind: 'city', label: 'New York' }],
  ['-city:london', { kind: 'city', label: 'london', negated: true }],
  ['NOT city:london', { kind: 'city', label: 'london', negated: true }],
  ['source:gateway', { kind: 'source', name: 'gateway' }],
  ['has:attachment', { kind: 'attachment' }],
  ['since:2021', { kind: 'date', start: day('2021-01-01') }],
  ['since:2021-02', { kind: 'date', start: day('2021-02-01') }],
  ['before:2021-02-28', { kind: 'date', end: day('2021-02-28') }],
  ['on:2020-02-29', { kind: 'date', start: day('2020-02-29'), end: day('2020-03-01') }],
  ['on:2021', { kind: 'date', start: day('2021-01-01'), end: day('2022-01-01') }],
  ['since:0099', { kind: 'date', start: -59_042_995_200_000 }],
  ['since:2021-02-03T04:05Z', { kind: 'date', start: Date.parse('2021-02-03T04:05:00Z') }],
  ['since:2021-02-03t04:05:06.7+02:00', { kind: 'date', start: Date.parse('2021-02-03T02:05:06.700Z') }],
  ['on:today', { kind: 'date', start: day('2026-11-24'), end: day('2026-11-25') }],
  ['on:yesterday', { kind: 'date', start: day('2026-11-23'), end: day('2026-11-24') }],
  ['on:tuesday', { kind: 'date', start: day('2026-11-24'), end: day('2026-11-25') }],
  ['on:Wednesday', { kind: 'date', start: day('2026-11-18'), end: day('2026-11-19') }],
  ['since:3d', { kind: 'date', start: day('2026-11-21') }],
  ['since:2w', { kind: 'date', start: day('2026-11-10') }],
  ['since:9m', { kind: 'date', start: day('2026-02-24') }],
  ['since:1y', { kind: 'date', start: day('2025-11-24') }],
])('%s', (query, filter) => {
  expect(parse(query).filters).toEqual([{ negated: false, ...filter }]);
});

test('a star alone is every message', () => {
  expect(parse(' * ')).toEqual({ expression: undefined, filters: [], parts: ['*'], notes: [] });
});

test('a month before the 31st is the last day of a shorter month', () => {
  const { filters } = parseQuery('since:1m', Date.parse('2026-03-31T12:00:00Z'));
  expect(filters).toMatchObject([{ start: day('2026-02-28') }]);
});

test.each<[query: string, position: number, message: RegExp]>([
  ['', 1, /empty/],
  ['   ', 1, /empty/],
  ['foo "bar', 5, /quotation mark is not closed/],
  ['foo )', 5, /closes nothing/],
  ['foo)', 4, /closes nothing/],
  ['(foo', 1, /not closed/],
  ['foo () bar', 6, /no word/],
  ['foo OR', 5, /ends here, but a word must follow/],
  ['OR foo', 1, /no word/],
  ['foo OR OR bar', 8, /no word/],
  ['foo NOT', 5, /ends here/],
  ['"!!!"', 1, /no letter or digit/],
  ['foo & bar', 5, /no letter or digit/],
  ['foo -', 5, /no letter or digit/],
  ['x*', 1, /^x\* is too short$/],
  [`body:X${'*'.repeat(300)}`, 6, /^X\* is too short$/],
  [`"${'!'.repeat(300)}é"*`, 1, /^é\* is too short$/],
  ['*foo', 1, /only at the end/],
  ['foo f*o', 6, /only at the end/],
  ['form:jane', 1, /no field form:/],
  ['foo subjct:x', 5, /no field subjct:/],
  ['after:2021', 1, /no field after:/],
  ['in:general', 1, /no field in:/],
  ['foo from:', 5, /has no value/],
  ['from: jane', 1, /has no value/],
  ['since:2021-13', 7, /no month 13/],
  ['since:2021-02-30', 7, /2021-02 has 28 days/],
  ['foo on:soon', 8, /no date/],
  ['since:2021-02-03T25:00Z', 7, /no time/],
  ['conversation:5', 14, /no id/],
  ['type:a/b/c', 6, /no content type/],
  ['city:"?"', 6, /no city/],
  ['has:cheese', 5, /not known/],
  ['(city:london)', 2, /parentheses or beside OR/],
  ['foo OR city:london', 8, /parentheses or beside OR/],
  ['foo OR -city:london', 9, /parentheses or beside OR/],
  ['city:london OR foo', 1, /parentheses or beside OR/],
  ['(foo -city:london)', 7, /parentheses or beside OR/],
  [Array.from({ length: 65 }, () => 'aa').join(' '), 193, /more than 64 words/],
  [`${'('.repeat(17)}a${')'.repeat(17)}`, 17, /nested more than 16/],
  ['a'.repeat(2001), 2001, /longer than 2000/],
])('%s', (query, position, message) => {
  expect(() => parse(query)).toThrow(message);
  expect(() => parse(query)).toThrow(QueryError);
  expect(() => parse(query)).toThrow(expect.objectContaining({ position }) as Error);
});

test.each<[query: string, hint: RegExp]>([
  ['form:jane', /from:/],
  ['after:2021', /since:/],
  ['subjct:x', /subject:/],
  ['tipe:x', /type:/],
  ['on:march', /^on:2021, on:2021-03, on:2021-03-04, on:yesterday, on:5d, on:3m \(3 months ago\)$/],
])('%s names the field that was meant', (query, hint) => {
  expect(() => parse(query)).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(hint) as string }) as Error,
  );
});

test('a name that is no field is searched as text, and a note says so', () => {
  expect(parse('http://x').notes).toEqual(['http: is no field of a query; it is searched as text']);
  expect(parse('foo').notes).toEqual([]);
});

test.each<[query: string, parts: string[]]>([
  ['foo', ['foo']],
  ['foo "bar baz" -qux', ['foo', '"bar baz"', '-qux']],
  ['foo AND (bar OR baz) city:london', ['foo', '(bar OR baz)', 'city:london']],
  ['foo OR bar baz', ['foo OR bar baz']],
  ['NOT city:london', ['-city:london']],
])('the parts of %s', (query, parts) => {
  expect(parse(query).parts).toEqual(parts);
});

describe('an expression decides by the words of a message', () => {
  const message = {
    subject: 'Re: USB hang',
    sender: 'Jane Doe',
    body: 'use after free in xhci',
    files: 'log.txt',
    quoted: 'old words',
  };
  const words = Object.fromEntries(
    Object.entries(message).map(([name, text]) => [name, wordsOf(text)]),
  ) as Record<Column, string[]>;

  test.each<[query: string, isMatch: boolean]>([
    ['usb', true],
    ['us*', true],
    ['us', false],
    ['"use after free"', true],
    ['"after use"', false],
    ['"use aft"*', true],
    ['from:jane', true],
    ['subject:jane', false],
    ['body:old', true],
    ['file:log', true],
    ['body:log', false],
    ['unquoted:old', false],
    ['unquoted:free', true],
    ['quoted:old', true],
    ['quoted:free', false],
    ['-quoted:old', false],
    ['"hang jane"', false],
    ['usb -xhci', false],
    ['usb -ehci', true],
    ['ehci OR doe', true],
    ['-(ehci OR doe)', false],
  ])('%s', (query, isMatch) => {
    expect(matches(parse(query).expression!, words)).toBe(isMatch);
  });
});

const PIECES = [
  'foo',
  'b',
  '"',
  '(',
  ')',
  '-',
  '*',
  ' ',
  ' OR ',
  ' AND ',
  ' NOT ',
  'from:',
  'city:',
  'since:',
  '2021',
  ':',
  'é',
  '日',
  '/',
  '\ud800',
  '"x y"',
];

property.prop([fc.array(fc.constantFrom(...PIECES), { maxLength: 20 })], { numRuns: 2000 })(
  'any text is parsed, or is wrong at a position inside of it',
  (pieces) => {
    const text = pieces.join('');
    try {
      const { parts } = parse(text);
      for (const part of parts) parse(part);
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      expect(error.position).toBeGreaterThanOrEqual(1);
      expect(error.position).toBeLessThanOrEqual(Math.max(1, text.length));
    }
  },
);

test.each(['!', 'conversation:', 'type:', 'city:', 'has:', 'since:', 'from:'])(
  'a message quotes only the beginning of a long value of %s',
  (name) => {
    const found = thrown(`${name}${'!'.repeat(1900)}`);
    expect(found).toBeInstanceOf(QueryError);
    expect(found?.message.length).toBeLessThan(150);
  },
);

test('a note names only the beginning of a long field', () => {
  expect(parse(`${'x'.repeat(1900)}:y`).notes.join('').length).toBeLessThan(150);
});

function thrown(text: string): Error | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
