// Durable ingest of real `arx serve` processes beside raw durable commits of the same engine and the least that a Node server can do, in turn.
// `npm run bench ingest [rounds [events]]`: 3 rounds of 5 s and a file of 200,000 events unless said otherwise; quick: 1 of 2 s.
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { ARX, table } from './timing.mjs';

export async function bench({ quick, numbers: [rounds = quick ? 1 : 3, events = quick ? 20_000 : 200_000] }) {
  await withBundle('ingests.ts', async ({ measureIngest }) => {
    const peer = join(import.meta.dirname, 'ingest-peer.mjs');
    const ms = quick ? 2_000 : 5_000;
    const rows = await measureIngest({ launcher: ARX, peer, rounds, ms, events });
    table('Events acknowledged a second, each durable, beside single durable commits; medians', rows);
  });
}
