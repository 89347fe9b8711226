// The stored bytes of Slack messages and files: an import recognizes a message by their hash, so they must not change.
import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { parseExactJson } from '../../../src/contract/exact-json.ts';
import { storedJson } from '../../../src/service/import/stored-json.ts';

test.each<[json: string, stored: string]>([
  ['{"b": [1, null], "a": {"d": "\\u00e9", "c": true}}', '{"a":{"c":true,"d":"é"},"b":[1,null]}'],
  ['{"\\ud800": "\\udc00"}', String.raw`{"\ud800":"\udc00"}`],
  ['{"__proto__": 1, "a": 1.0}', '{"__proto__":1,"a":1}'],
  ['[1e999, -1e999, 1e21]', '[1e999,-1e999,1e+21]'],
  ['{"b": 9007199254740993, "a": 0.1000000000000000055}', '{"a":0.1000000000000000055,"b":9007199254740993}'],
])('%s', (json, stored) => {
  expect(Buffer.from(storedJson(parseExactJson(json))).toString()).toBe(stored);
});

test('a value nested too deep throws a RangeError', () => {
  const depth = 1_000_000;
  const value = JSON.parse('['.repeat(1000) + ']'.repeat(1000)) as unknown;
  expect(() => storedJson(value)).not.toThrow();
  let deep: unknown = 1;
  for (let level = 0; level < depth; level += 1) deep = [deep];
  expect(() => storedJson(deep)).toThrow(RangeError);
});
