// Pages of the service at three depths of a million rows, on SQLite and, where it is installed, on a PostgreSQL of its own.
import { withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench() {
  await withBundle('depths.ts', async ({ measureDepths }) => {
    table('A page of 100 rows by the service, 1,000,000 rows, medians of 100', await measureDepths());
  });
}
