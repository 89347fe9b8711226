// Processes that serve killed with SIGKILL under ingest load, PostgreSQL ended hard meanwhile: what was acknowledged is held against what is there.
// `npm run bench ingest-kill [kills [events [restarts [seed]]]]`: 500, 1,000,000, 20 and 1 unless said otherwise; quick: 20, 20,000 and 2.
import { withBundle } from './bundle.mjs';
import { ARX, table } from './timing.mjs';

export async function bench({
  quick,
  numbers: [
    kills = quick ? 20 : 500,
    events = quick ? 20_000 : 1_000_000,
    restarts = quick ? 2 : 20,
    seed = 1,
  ],
}) {
  await withBundle('ingest-kills.ts', async ({ measureIngestKills }) => {
    const rows = await measureIngestKills({ launcher: ARX, kills, events, restarts, seed });
    table(`Serving processes killed under ingest load, seed ${seed}`, rows);
    const isWrong = rows.some((row) => row.lost + row.unapplied + (row.twice ?? 0) + row.misplaced > 0);
    if (isWrong || rows.length === 0) process.exitCode = 1;
  });
}
