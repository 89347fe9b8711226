// One config for all tests; test/bench is not part of it.
import { defineConfig } from 'vitest/config';

const result = process.env['ARX_TEST_RESULT'];

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: result === undefined ? ['default'] : ['default', ['json', { outputFile: result }]],
  },
});
