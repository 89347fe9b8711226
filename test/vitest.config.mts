// The test runner's settings: quick tests (`npm test`) and long ones (`*.long.test.ts`, `npm run test:long`).
// The suites in STORE run a second time on PostgreSQL if the machine has one.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** The file for the results as JSON; unset: none. */
const result = process.env['ARX_TEST_RESULT'];

/** Suites whose result depends on the database engine. */
const STORE = [
  'test/service/handlers/{assets,authenticator,ingest,ingest-trouble,input,routes,stored-message,windows}.test.ts',
  'test/service/store/**/{columns,event-worker,generated-rows,message-batches,migrations,plans}.test.ts',
];
const LONG_STORE = ['test/acceptance/real-mail.long.test.ts'];

const LONG = 'test/**/*.long.test.ts';
const common = { pool: 'forks' as const, setupFiles: ['test/support/setup.ts'], hookTimeout: 30_000 };
const quick = { ...common, testTimeout: 30_000 };
const long = { ...common, testTimeout: 120_000 };
const onPostgres = { env: { ARX_TEST_ENGINE: 'postgres' } };

/** Imports a Markdown file as its text, as the build does (bin/build.mjs). */
const markdown: NonNullable<ViteUserConfig['plugins']>[number] = {
  name: 'markdown',
  enforce: 'pre',
  transform: (code: string, id: string) =>
    id.endsWith('.md') ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined,
};
const plugins = [markdown];

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    globalSetup: ['test/support/global-setup.ts'],
    reporters: result === undefined ? ['default'] : ['default', ['json', { outputFile: result }]],
    // By default Vitest leaves one core free, which on two cores is half of them.
    maxWorkers: availableParallelism(),
    projects: [
      { plugins, test: { ...quick, name: 'arx', include: ['test/**/*.test.ts'], exclude: [LONG] } },
      { plugins, test: { ...long, name: 'long', include: [LONG] } },
      ...(existsSync('/usr/lib/postgresql')
        ? [
            { plugins, test: { ...quick, ...onPostgres, name: 'postgres', include: STORE } },
            { plugins, test: { ...long, ...onPostgres, name: 'long-postgres', include: LONG_STORE } },
          ]
        : []),
    ],
  },
});
