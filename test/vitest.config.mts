// The test runner's settings: quick tests (`npm test`) and long ones (`*.long.test.ts`, `npm run test:long`).
// Some suites run a second time on PostgreSQL if the machine has one.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

/** The file for the results as JSON; unset: none. */
const result = process.env['ARX_TEST_RESULT'];

/** Suites that run on PostgreSQL, too, because the database engine could change their result. */
const STORE = [
  'test/acceptance/invalid-input.test.ts',
  'test/service/handlers/assets.test.ts',
  'test/service/handlers/route-handlers.test.ts',
  'test/service/handlers/search.admission.test.ts',
  'test/service/handlers/stored-message.test.ts',
  'test/service/store/schema/migrations.test.ts',
  'test/service/store/schema.columns.test.ts',
  'test/service/store/lists.plans.test.ts',
  'test/service/store/lists/attachments.test.ts',
  'test/service/store/lists/sequence.test.ts',
  'test/service/store/events/by-effect.plans.test.ts',
  'test/service/store/search/find-messages.plans.test.ts',
  'test/service/store/search/narrow.plans.test.ts',
];
const LONG_STORE = [
  'test/acceptance/real-mail.long.test.ts',
  'test/acceptance/ingest-failures.test.ts',
  'test/acceptance/withheld.test.ts',
  'test/service/handlers/authenticator.test.ts',
  'test/service/handlers/events.test.ts',
  'test/service/handlers/list-window.test.ts',
  'test/service/handlers/search.test.ts',
  'test/service/store/event-worker.test.ts',
  'test/service/store/additions/message-batches.test.ts',
  'test/service/store/events/store-events.test.ts',
  'test/support/generated-rows.test.ts',
];
/** Suites whose property tests make more runs in the long tests. */
const MORE_RUNS = [
  'test/acceptance/bucket-faults.test.ts',
  'test/acceptance/damaged-database.test.ts',
  'test/acceptance/two-engines.test.ts',
  'test/download/pipelined-http/transport.test.ts',
  'test/service/copy/index.test.ts',
  'test/service/handlers/events.test.ts',
  'test/service/handlers/list-window.test.ts',
  'test/service/handlers/search.test.ts',
  'test/service/store/additions/message-batches.test.ts',
  'test/service/store/engines/sqlite-log.test.ts',
  'test/service/store/events/store-events.test.ts',
  'test/warc/index.test.ts',
];

const LONG = 'test/**/*.long.test.ts';
const common = {
  pool: 'forks' as const,
  setupFiles: ['test/support/setup.ts'],
  hookTimeout: 300_000,
  testTimeout: 300_000,
  // What a test waits for comes late on a slow machine; only what never comes may fail.
  expect: { poll: { timeout: 60_000 } },
};
// Without isolation a process runs many files and loads each module once, which halves the time.
const quick = { ...common, isolate: false };
const long = { ...common, env: { ARX_TEST_LONG: '1' } };
const onPostgres = { ARX_TEST_ENGINE: 'postgres' };

/**
 * The longest suites begin first: one that begins last runs alone at the end. A clean checkout knows no durations, and Vitest then begins
 * with the largest files, so short files that take long are named here, too.
 */
const LONGEST = [
  'other-services.long.test.ts',
  'walk.simulation.long.test.ts',
  'walk.calibration.long.test.ts',
  'index.chats.fuzz.long.test.ts',
  'index.fuzz.long.test.ts',
  'killed-walk.long.test.ts',
  'killed-ingest.long.test.ts',
  'killed-copy.long.test.ts',
  'killed-index.long.test.ts',
  'ingest-failures.long.test.ts',
  'hostile-clients.long.test.ts',
  'long-lists.long.test.ts',
  'walk.transport.long.test.ts',
  'other-services.test.ts',
  'walk.simulation.test.ts',
  'walk.calibration.test.ts',
  'check-archive.test.ts',
  'withheld.test.ts',
  'search.test.ts',
  'line-diff.test.ts',
];
class LongestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer['sort']>[0]): ReturnType<BaseSequencer['sort']> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: (typeof files)[number]): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return at < 0 ? LONGEST.length : at;
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

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
    sequence: { sequencer: LongestFirst },
    projects: [
      { plugins, test: { ...quick, name: 'arx', include: ['test/**/*.test.ts'], exclude: [LONG] } },
      { plugins, test: { ...long, name: 'long', include: [LONG, ...MORE_RUNS] } },
      ...(existsSync('/usr/lib/postgresql')
        ? [
            { plugins, test: { ...quick, env: onPostgres, name: 'postgres', include: STORE } },
            {
              plugins,
              test: {
                ...long,
                env: { ...long.env, ...onPostgres },
                name: 'long-postgres',
                include: LONG_STORE,
              },
            },
          ]
        : []),
    ],
  },
});
