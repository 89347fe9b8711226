import { expect, test } from 'vitest';
import { parsePrivateJson } from '../../src/config/private-json.ts';

test.each([
  ['', 'it is empty'],
  ['{"secret":', 'it is not JSON'],
  [Buffer.from([0x22, 0xff, 0x22]), 'it is not JSON'],
  [String.raw`{"more":{"__pro\u0074o__":1}}`, 'it has a key __proto__'],
  ['['.repeat(100_000) + ']'.repeat(100_000), 'it is nested too deep'],
])('what is wrong with document %#', (text, reason) => {
  expect(() => parsePrivateJson(Buffer.from(text as string))).toThrow(new SyntaxError(reason));
});
