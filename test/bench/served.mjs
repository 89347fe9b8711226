// The walk over HTTP: 2,000 conversations by 100 out of real `arx serve` processes that lie, beside other clients, in turn.
// `npm run bench served [runs [first seed]]`: 6 runs a row from 20,001 on unless said otherwise; quick: 2.
import { withBundle } from './bundle.mjs';
import { ARX, table } from './timing.mjs';

export async function bench({ quick, numbers: [runs = quick ? 2 : 6, first = 20_001] }) {
  await withBundle('served-walks.ts', async ({ measureServed }) => {
    const rows = await measureServed({ runs, first, launcher: ARX }, (name) =>
      process.stderr.write(`served: ${name}\n`),
    );
    table(
      `The walk over HTTP, 2,000 rows by 100, ${runs} runs a row with seeds from ${first}, latency 20 and 50 ms in turn; ` +
        'requests over 20, wall (median) over a drift-free loop of the same run. ' +
        'The last columns: exact runs, runs wrongly called complete, rows missed/doubled, requests, wall',
      rows,
    );
  });
}
