// The exact walk against lying lists in virtual time: the table "Figures to reach", beside two simpler clients.
// `npm run bench walk [seeds [first]]`: seeds a row and the first of them; 100 from 20,001 on unless said otherwise (the
// walk was tuned on 1 to 100).
import { withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

const USUAL_SEEDS = 100;
const USUAL_FIRST = 20_001;

export async function bench(seeds = USUAL_SEEDS, first = USUAL_FIRST) {
  await withBundle('walks.ts', async ({ measureWalks }) => {
    table(
      `Exact walk, 2,000 rows by 100, RTT 50 ms, seeds ${first} to ${first + seeds - 1} a row; requests over 20, wall over 1,000 ms`,
      await measureWalks(seeds, first),
    );
  });
}
