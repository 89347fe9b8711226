// Vitest loads this before each test file. Its hook runs after all hooks of that file.
import { afterAll, expect } from 'vitest';
import { StandardTextDecoder } from '../../src/windows-1252.ts';
import { endFile } from './file-end.ts';

// As src/main.ts does.
globalThis.TextDecoder = StandardTextDecoder;

// Vitest compares bytes one by one, in seconds for a megabyte.
expect.addEqualityTesters([
  (a: unknown, b: unknown) =>
    a instanceof Uint8Array && b instanceof Uint8Array && a.constructor === b.constructor
      ? Buffer.compare(a, b) === 0
      : undefined,
]);

afterAll(endFile);
