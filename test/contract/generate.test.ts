import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generate } from '../../src/contract/generate.ts';

const root = join(import.meta.dirname, '..', '..');
const files = generate();

test.each(Object.keys(files))('%s is what the code says (else: npm run generate)', (path) => {
  // Not compared by toBe: a diff of whole documents helps nobody.
  expect(readFileSync(join(root, path), 'utf8') === files[path]).toBe(true);
});

test('there is no schema that the code does not make', () => {
  const here = readdirSync(join(root, 'src/contract/schemas')).map((name) => `src/contract/schemas/${name}`);
  expect(here.filter((path) => !(path in files))).toEqual([]);
});
