// What eight readers of each request whose cost grows with the archive cost another reader (100,000 messages, or the number given); with SQLite and, where it is installed, with a PostgreSQL of its own. ARX_BENCH_ENGINE (`sqlite`, `postgres`) measures one alone, ARX_BENCH_ONLY the requests with this text in their name.
import { withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench({ quick, numbers: [rows = quick ? 20_000 : 100_000] }) {
  await withBundle('costly.ts', async ({ measureCostly, startPostgres }) => {
    const log = (text) => process.stderr.write(`costly: ${text}\n`);
    const stop = await startPostgres();
    try {
      const engines = process.env.ARX_TEST_CLUSTER === undefined ? ['sqlite'] : ['sqlite', 'postgres'];
      for (const engine of engines) {
        if (![undefined, engine].includes(process.env.ARX_BENCH_ENGINE)) continue;
        table(
          `Eight readers without a pause, and another one with the plain list, ${engine}, ${rows.toLocaleString('en')} messages`,
          await measureCostly(engine, rows, log, process.env.ARX_BENCH_ONLY),
        );
      }
    } finally {
      await stop();
    }
  });
}
