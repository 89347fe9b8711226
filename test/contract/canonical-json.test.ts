// Canonical JSON: one spelling for each value.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/contract/canonical-json.ts';

test.each([
  [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
  [
    { '\u20ac': 1, '\r': 2, '\u{1f600}': 3, '\ufb33': 4, '1': 5 },
    '{"\\r":2,"1":5,"\u20ac":1,"\u{1f600}":3,"\ufb33":4}',
  ],
  [{ a: undefined, c: { e: -0, d: 1e21 } }, '{"c":{"d":1e+21,"e":0}}'],
  ['\ud800', '"\\ud800"'],
])('%j', (value, text) => expect(canonicalJson(value)).toBe(text));

test.each([Number.NaN, Infinity, () => 0, 1n, undefined, [undefined]])('%s cannot be said', (value) =>
  expect(() => canonicalJson(value)).toThrow(TypeError),
);

test('property: parses to the same value, whatever the order of keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).toReversed());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
