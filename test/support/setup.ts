// Vitest loads this before each test file. Its hook runs after all hooks of that file.
import { afterAll, expect } from 'vitest';
import { endFile } from './file-end.ts';

// Vitest compares bytes one by one, in seconds for a megabyte.
expect.addEqualityTesters([
  (a: unknown, b: unknown) =>
    a instanceof Uint8Array && b instanceof Uint8Array && a.constructor === b.constructor
      ? Buffer.compare(a, b) === 0
      : undefined,
]);

afterAll(endFile);
