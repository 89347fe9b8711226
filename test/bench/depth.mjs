// Pages of the service at three depths of a large archive (a million rows, or the number given) on SQLite and, where it is installed, on a PostgreSQL of its own.
import { withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench({ quick, numbers: [rows = quick ? 20_000 : 1_000_000] }) {
  await withBundle('depths.ts', async ({ measureDepths, startPostgres }) => {
    const log = (text) => process.stderr.write(`depth: ${text}\n`);
    const stop = await startPostgres();
    try {
      for (const engine of process.env.ARX_TEST_CLUSTER === undefined ? ['sqlite'] : ['sqlite', 'postgres']) {
        table(
          `A page of 100 rows by the service, ${rows.toLocaleString('en')} conversations and attachments, medians of 100 in turn`,
          await measureDepths(engine, rows, log),
        );
      }
    } finally {
      await stop();
    }
  });
}
