// One config for all tests; test/bench is not part of it. The suites of the store run again on PostgreSQL where there is one.
import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const result = process.env['ARX_TEST_RESULT'];

/** Not all that drives an archive: what the engine could change, and does not take long. */
const STORE = [
  'test/service/handlers/{authenticator,ingest,ingest-trouble,input,routes,stored-message,windows}.test.ts',
  'test/service/handlers/assets.test.ts',
  'test/service/import/oracle.test.ts',
  'test/service/store/**/{event-worker,generated-rows,message-batches,migrations,plans}.test.ts',
];
const common = {
  pool: 'forks' as const,
  setupFiles: ['test/support/setup.ts'],
  testTimeout: 30_000,
  hookTimeout: 30_000,
};

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    globalSetup: ['test/support/cluster.ts'],
    reporters: result === undefined ? ['default'] : ['default', ['json', { outputFile: result }]],
    projects: [
      { test: { ...common, name: 'arx', include: ['test/**/*.test.ts'] } },
      ...(existsSync('/usr/lib/postgresql')
        ? [{ test: { ...common, name: 'postgres', include: STORE, env: { ARX_TEST_ENGINE: 'postgres' } } }]
        : []),
    ],
  },
});
