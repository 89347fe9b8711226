// How fast read messages are stored, on both engines; without the reading of files that `bench import` measures.
import { withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench({ quick, numbers: [count = quick ? 2_048 : 16_384] }) {
  const rounds = quick ? 1 : 3;
  await withBundle('intakes.ts', async ({ measureIntakes }) => {
    table(
      `Storing ${count.toLocaleString('en')} messages of 6.8 kB in durable batches of 256, medians of ${rounds} in turn`,
      await measureIntakes(count, rounds),
    );
  });
}
