// Pages of attachments with every filter and combination of filters, rare, absent and common, on skewed data (a million rows, or the number given); with SQLite and, where it is installed, with a PostgreSQL of its own. `sqlite` or `postgres` in ARX_BENCH_ENGINE measures one alone.
import { withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench({ quick, numbers: [rows = quick ? 20_000 : 1_000_000] }) {
  await withBundle('filters.ts', async ({ measureFilters, startPostgres }) => {
    const log = (text) => process.stderr.write(`filters: ${text}\n`);
    const stop = await startPostgres();
    try {
      const engines = process.env.ARX_TEST_CLUSTER === undefined ? ['sqlite'] : ['sqlite', 'postgres'];
      for (const engine of engines) {
        if (![undefined, engine].includes(process.env.ARX_BENCH_ENGINE)) continue;
        const { pages, readers } = await measureFilters(engine, rows, log);
        const name = `${engine}, ${rows.toLocaleString('en')} attachments`;
        table(
          `A page of 100 with filters, ${name}, the fastest of 7 in turn with the plain first page`,
          pages,
        );
        table(`Eight readers without a pause, and another one with the plain list, ${name}`, readers);
      }
    } finally {
      await stop();
    }
  });
}
