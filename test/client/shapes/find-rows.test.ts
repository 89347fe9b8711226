// Where rows may be: every usual container gives the same rows, and a body without a list is refused, whatever it holds.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { findRows, rowsAt } from '../../../src/client/shapes/find-rows.ts';
import { Fault } from '../../../src/faults.ts';
import { conversationParser, WRAPPINGS } from './lists.ts';

const ROWS = [
  { id: 'conv_2', subject: 'b', message_count: 2 },
  { id: 'conv_1', subject: 'a', message_count: 1 },
];

describe.each(WRAPPINGS)('%s', (_, wrap, place) => {
  test('the rows, and where they are', () => {
    const { read, guess, notices } = conversationParser();
    expect(read(wrap(ROWS)).data).toEqual(ROWS.map((row) => expect.objectContaining(row)));
    expect(guess()?.rows).toBe(place);
    expect(notices).toEqual([]);
    // The place holds for the pages to come, the empty last one too.
    expect(read(wrap([ROWS[1]!])).data).toEqual([expect.objectContaining(ROWS[1])]);
    expect(read(wrap([])).data).toEqual([]);
  });
});

const ids = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,5}_[0-9]{1,4}$/), { minLength: 1, maxLength: 8 });
property.prop([ids, fc.constantFrom(...WRAPPINGS)])(
  'every wrapping gives the same rows in the same order',
  (names, [, wrap]) => {
    const rows = names.map((id, at) => ({ id, subject: `about ${id}`, message_count: at }));
    const { read } = conversationParser();
    expect(read(wrap(rows)).data).toEqual(rows.map((row) => expect.objectContaining(row)));
  },
);

test('a map keeps the order of the text, also of keys that are numbers', () => {
  const { read } = conversationParser();
  const text = '{"conversations": {"30": {"subject": "\\"x\\""}, "4": {"a": {"7": {}}}, "id": {}, "10": {}}}';
  expect(read(text).data.map(({ id }) => id)).toEqual(['30', '4', 'id', '10']);
});

test('a map whose keys are words, with rows that are alike', () => {
  const rows = { 'th-dty': { subject: 'a' }, 'th-jxx': { subject: 'b', sequence: 2 } };
  const { data } = conversationParser().read({ data: rows, has_more: false });
  expect(data.map(({ id }) => id)).toEqual(Object.keys(rows));
});

test.each([
  [[{ node: { id: 1 } }], [{ id: '1' }]],
  [[], []],
])('of two envelopes that look alike the one with the name of the list is read: %j', (own, rows) => {
  const list = (edges: unknown[]) => ({ edges, total: edges.length });
  const body = { data: { messages: list([{ node: { id: 7 } }]), conversations: list(own) } };
  expect(conversationParser().read(body).data).toEqual(rows);
});

test('a map with 100,000 keys, and keys that objects have', () => {
  const { read } = conversationParser();
  const map = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`conv_${n}`, { n }]));
  expect(read({ conversations: map }).data).toHaveLength(100_000);
  const hostile = '{"conversations": {"__proto__": {"subject": "x"}, "constructor": {}, "toString": {}}}';
  const { data } = conversationParser().read(hostile);
  expect(data.map(({ id }) => id)).toEqual(['__proto__', 'constructor', 'toString']);
  expect(({} as { subject?: string }).subject).toBeUndefined();
});

describe('which of several', () => {
  test.each<[string, unknown, string]>([
    ['the name of the resource before a common one', { data: [{ id: 1 }], conversations: [{ id: 2 }] }, '2'],
    ['filled before empty', { data: [], results: [{ id: 2 }] }, '2'],
    ['objects before texts', { conversations: ['deprecated'], data: [{ id: 2 }] }, '2'],
    ['outer before inner', { data: [{ id: 2, items: [{ id: 3 }] }] }, '2'],
    [
      'never those of an error or a description',
      { errors: [], meta: { items: [{ id: 1 }] }, x: [{ id: 2 }] },
      '2',
    ],
  ])('%s', (_, body, id) => {
    expect(conversationParser().read(body).data).toMatchObject([{ id }]);
  });

  test('included records are no rows of an empty list', () => {
    expect(conversationParser().read({ data: [], included: [{ id: 1 }] }).data).toEqual([]);
  });
});

describe('what is no list', () => {
  test.each<[string, unknown, RegExp]>([
    ['a number', '7', /^conversations: answer is no list$/],
    ['an empty object', {}, /answer has no list in it$/],
    ['two lists of unknown names', { a: [{ id: 1 }], b: [{ id: 2 }] }, /several lists/],
    ['one record', { data: { id: 'conv_1', subject: 'x' } }, /no list/],
    ['one record in a wrapper', { data: { conversation: { id: 'conv_1' } } }, /no list/],
    ['objects that are not alike', { data: { user: { name: 'x' }, plan: { price: 1 } } }, /no list/],
    ['an object that describes', { data: { meta: {}, links: {} } }, /no list/],
    ['null without a word that nothing follows', { data: null }, /no list/],
    ['an error', { error: { code: 'gone', message: 'm' }, data: [] }, /says error gone$/],
    ['an error as text', { error: 'no such thing' }, /says error no such thing$/],
    ['errors as JSON:API has them', { errors: [{ title: 'Forbidden' }], data: [] }, /says error Forbidden$/],
    ['a failure by its status', { status: 'error', message: 'Boom', data: [] }, /says error Boom$/],
    ['no success', { success: false, data: [] }, /says that the request failed$/],
    ['no success as text', { Success: 'False', Data: [] }, /says that the request failed$/],
  ])('%s', (_, body, words) => {
    const { read, guess } = conversationParser();
    expect(() => read(body)).toThrow(words);
    expect(() => read(body)).toThrow(Fault);
    expect(guess()).toBeUndefined();
  });

  test('null is an empty list where the body says that nothing follows', () => {
    expect(conversationParser().read({ data: null, has_more: false })).toEqual({ data: [], has_more: false });
    expect(conversationParser().read({ data: {}, has_more: false })).toEqual({ data: [], has_more: false });
    expect(() => conversationParser().read({ data: {} })).toThrow('no list in it');
  });
});

test.each<[object, object]>([
  [{ total: 0 }, { _links: { self: { href: '/x' } } }],
  [
    { _links: {}, page: { totalElements: 0 } },
    { _links: {}, page: { totalElements: 2, totalPages: 1 } },
  ],
  [{ count: 0 }, { has_more: false }],
  [{ Count: '0' }, { has_more: false }],
  [{ Conversations: {}, HasMore: false }, { next: null }],
  [{ Data: null, HasMore: 'false' }, { next: null }],
])('a list without rows may be left out: %j alone, and %j after a page with rows', (alone, after) => {
  expect(conversationParser().read(alone).data).toEqual([]);
  const { read } = conversationParser();
  read({ _embedded: { conversations: [{ id: 1 }] }, has_more: true });
  expect(read(after).data).toEqual([]);
});

test.each([{ _links: { self: { href: '/x' } } }, { has_more: false }, { next: null }])(
  'a body without a list that counts no rows proves no empty list: %j',
  (body) => {
    expect(() => conversationParser().read(body)).toThrow('no list in it');
  },
);

test('once rows were seen, a page that has them elsewhere is a fault of transport, not another shape', () => {
  const { read } = conversationParser();
  read({ data: { items: [{ id: 1 }] } });
  for (const body of [
    { items: [{ id: 2 }] },
    [{ id: 2 }],
    { data: { items: { id: 2 } } },
    { data: 'x' },
    { has_more: true },
    { rows: [], has_more: false },
  ]) {
    const fault = (() => {
      try {
        return read(body);
      } catch (error) {
        return error;
      }
    })();
    expect(fault).toMatchObject({ kind: 'network', detail: { retryable: true } });
  }
  expect(read({ data: { items: null } }).data).toEqual([]);
  expect(read({ data: { items: [{ id: 3 }] } }).data).toEqual([{ id: '3' }]);
});

property.prop([fc.jsonValue({ maxDepth: 6 })], {
  examples: [[{ a: { id: { toString: '' } } }], [{ data: { a1: { id: { valueOf: 1 } } } }]],
})('any JSON is a list or a Fault', (body) => {
  try {
    const { rows } = findRows(body, { names: ['conversations'] });
    expect(Array.isArray(rows)).toBe(true);
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
  }
  expect(() => rowsAt(body, { rows: 'data', container: 'map' })).not.toThrow();
});
