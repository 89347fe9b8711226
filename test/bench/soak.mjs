// An hour's use in ten minutes, or as many as are named: memory and descriptors at its beginning and end.
import { withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench({ quick, numbers }) {
  const minutes = numbers[0] ?? (quick ? 1 : 10);
  await withBundle('holds.ts', async ({ measureSoak }) => {
    table(
      `Events, lists, files, wrong tokens, resets and slow clients for ${minutes} min`,
      await measureSoak(minutes),
    );
  });
}
