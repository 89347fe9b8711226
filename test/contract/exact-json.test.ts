// Numbers that JavaScript would round keep their text from JSON to JSON.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/contract/canonical-json.ts';
import { ExactNumber, exactJsonText, parseExactJson, parseShownJson } from '../../src/contract/exact-json.ts';
import { decimalOf } from '../../src/contract/json-text.ts';
import { jsonDocument } from '../support/json-documents.ts';

const BIG = '[9007199254740993,-1e400,{"__proto__":1e-400,"a":["9007199254740993",0.1000000000000000055]}]';

test('a number that JSON.parse would change is kept with its text, beside texts that look like it', () => {
  const value = parseExactJson(BIG) as [ExactNumber, ExactNumber, Record<string, unknown>];
  expect(value[0]).toBeInstanceOf(ExactNumber);
  expect(value.slice(0, 2).map(String)).toEqual(['9007199254740993', '-1e400']);
  expect(Object.keys(value[2])).toEqual(['__proto__', 'a']);
  expect(Object.getPrototypeOf(value[2])).toBe(Object.prototype);
  expect(exactJsonText(value)).toBe(BIG);
  expect(canonicalJson(value)).toBe(BIG);
  // Code that knows no exact numbers writes the digits as a string.
  expect(JSON.stringify(value[0])).toBe('"9007199254740993"');
});

test.each([
  '1',
  '1.50',
  'null',
  '"1e400"',
  '{"a":"[9007199254740993,1e400"}',
  '[]',
  '9007199254740993',
  ' 1e400 ',
])('the whole text %s', (text) => {
  expect(decimals(exactJsonText(parseExactJson(text)))).toEqual(decimals(text));
});

test('every number of a sender is shown as it was written, -0 everywhere', () => {
  const number = fc.stringMatching(/^-?(0|[1-9]\d{0,18})(\.\d{1,18})?([eE][+-]?\d{1,3})?$/);
  fc.assert(
    fc.property(fc.array(number), fc.constantFrom('payload', 'a'), (numbers, inner) => {
      const text = `{"id":"e","payload":{"${inner}":[${numbers.join(',')}],"b":[{"c":2.0}],"d":1e2},"n":[-0,-0.0]}`;
      expect(exactJsonText(parseShownJson(text))).toBe(text);
    }),
  );
});

test('numbers beside what a sender wrote are plain', () => {
  const shown = parseShownJson('{"payload":{"a":[2.0]},"a":2.0,"b":"payload","c":[3.0,{"payload":1.0}]}');
  expect(exactJsonText(shown)).toBe('{"payload":{"a":[2.0]},"a":2,"b":"payload","c":[3,{"payload":1}]}');
});

describe('any document', () => {
  const value = jsonDocument.map((text) => ({ text, value: parseExactJson(text) }));

  test('keeps the value of each number, and everything else', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2), (document, indent) => {
        const shown = exactJsonText(document.value, indent);
        expect(decimals(shown)).toEqual(decimals(document.text));
        expect(exactJsonText(parseExactJson(shown), indent)).toBe(shown);
        expect(decimals(canonicalJson(document.value)).sort()).toEqual(decimals(document.text).sort());
      }),
    );
  });

  test('with plain numbers alone is written as JSON.stringify writes it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (plain, indent) => {
        expect(exactJsonText(plain, indent)).toBe(JSON.stringify(plain, null, indent));
      }),
    );
  });
});

/** The other tokens of JSON as their values, its numbers as decimals, in an order that does not depend on how keys are sorted. */
function decimals(text: string): string[] {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[a-z]+/g) ?? [];
  const found = tokens.map((token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : /\d/.test(token) ? decimalOf(token)! : token,
  );
  return found.sort();
}
