// What other clients notice of a thousand slow ones and ten thousand idle ones, on loopback; ends by itself.
import { withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench({ quick }) {
  await withBundle('holds.ts', async ({ measureHold, measureResets }) => {
    const scale = quick ? 0.1 : 1;
    table(
      'Conversations, 20 a page, four clients, beside those who hold connections; ms',
      await measureHold(scale),
    );
    table('A 16 MiB file, reset in the middle', await measureResets(quick ? 1_000 : 10_000));
  });
}
