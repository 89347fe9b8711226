// Reading JSON text without its value: nesting, repeated keys, numbers that 64 bits cannot hold.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanJson } from '../../src/contract/json-text.ts';

describe('a repeated key', () => {
  test.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"a":1}', 'a'],
    ['[{"x":{"b":[],"c":0, "b" :1}}]', 'b'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a\\"":1,"b":"\\\\","a\\"":2}', 'a"'],
  ])('in %s', (text, key) => {
    expect(scanJson(text).repeatedKey).toBe(key);
  });

  test.each([
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    '["a","a"]',
    '{"a":"a","b":"\\"a\\":1,\\"a\\":2"}',
    '"a"',
  ])('not in %s', (text) => {
    expect(scanJson(text).repeatedKey).toBeUndefined();
  });
});

test.each([
  ['9007199254740991', false],
  ['-9007199254740993', true],
  // String() would write some such integers with an exponent, and an id must keep its digits.
  ['9007199254740992', true],
  ['10000000000000000000000', true],
  ['9007199254740993.0', true],
  ['9007199254740992.0', false],
  ['1e400', true],
  ['-1E+400', true],
  ['1e-400', true],
  ['1e999999999999999999999', true],
  ['0e999999999999999999999', false],
  ['0e-400', false],
  ['0.0', false],
  ['1.0', false],
  ['1e20', false],
  ['0.30000000000000004', false],
  ['0.10000000000000001', true],
  ['0.1000000000000000000000', false],
  ['0.1000000000000000055', true],
  ['123456789.1234567891', true],
])('JSON.parse changes the number %s: %s', (number, isChanged) => {
  const text = `{"1e400":"1e400","n":[${number}, 1]}`;
  const found = isChanged ? [{ at: text.indexOf('[') + 1, text: number }] : [];
  expect(scanJson(text).inexact).toEqual(found);
});

test.each([
  ['{}', {}],
  ['[{"a":1}]', {}],
  ['"a"', {}],
  [
    ' { "a" : 1 , "b":[ {"a":2} , "," ]\n,"c":{ "a" : "}" } } ',
    { a: '1', b: '[ {"a":2} , "," ]', c: '{ "a" : "}" }' },
  ],
  ['{"\\u0061":"\\"", "__proto__":null}', { a: '"\\""', ['__proto__']: 'null' }],
])('the members of %s as they are written', (text, members) => {
  expect([...scanJson(text).members].map(([key, member]) => [key, member.text])).toEqual(
    Object.entries(members),
  );
});

test('the numbers of a member are at their places in its text', () => {
  const { members } = scanJson('{"a":[1e400], "b" : [ 1, 1e-400,"1e400",[9007199254740993] ] ,"c":1e400}');
  expect(
    [...members.values()].map(({ text, inexact }) => inexact.map(({ at }) => text.slice(at, at + 5))),
  ).toEqual([['1e400'], ['1e-40', '90071'], ['1e400']]);
});

test('any value as JSON.stringify writes it has neither, and its depth', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const { depth, repeatedKey, inexact } = scanJson(text);
      expect(repeatedKey).toBeUndefined();
      expect(depth).toBe(depthOf(JSON.parse(text)));
      // JSON.stringify writes large floating point numbers as integers.
      expect(inexact.filter(({ text: number }) => !/^-?\d+$/.test(number))).toEqual([]);
    }),
  );
});

test('a text of 4 MB that is hard to read is read in linear time', () => {
  const count = 1_000_000;
  for (const text of [
    `"${'\\\\'.repeat(count)}"`,
    `{"${'\\"'.repeat(count)}":1}`,
    `[0.${'0'.repeat(count)}1]`,
    `[0.${'0'.repeat(count)}${'1'.repeat(count)}e${'9'.repeat(count)}]`,
  ])
    expect(scanJson(text).depth).toBeLessThan(2);
});
