// Repeated pages of a standby beside those of its primary, in turn: a standby by streaming replication on this machine.
// `npm run bench standby [requests]`: 8,000 requests of each, 8 at a time, unless said otherwise; quick: 80.
import { withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench({ quick, numbers: [requests = quick ? 80 : 8_000] }) {
  await withBundle('standbys.ts', async ({ measureStandby }) => {
    table('Repeated pages of 100, medians', await measureStandby(requests));
  });
}
