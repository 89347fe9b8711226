// Ingest of new, known, superseding and other events, alone and in batches, by one process and by several on one archive, in turn.
// `npm run bench ingest-kinds [rounds [events]]`: 3 rounds of 20,000 events of each kind unless said otherwise; quick: 1 of 5,000.
import { withBundle } from './bundle.mjs';
import { ARX, table } from './timing.mjs';

export async function bench({ quick, numbers: [rounds = quick ? 1 : 3, events = quick ? 5_000 : 20_000] }) {
  await withBundle('ingest-kinds.ts', async ({ measureKinds, measureProcesses }) => {
    table('Events a second by their kind, medians', await measureKinds({ launcher: ARX, rounds, events }));
    table(
      'One event a request, several processes',
      await measureProcesses({ launcher: ARX, rounds, events }),
    );
  });
}
