// sqlmap at level 5 and risk 3 over every place where a caller's words go, on loopback; a vulnerable list comes first.
import { withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench({ quick }) {
  await withBundle('injections.ts', async ({ measureInjections }) => {
    table(`sqlmap, level ${quick ? 1 : 5}`, await measureInjections(quick ? 1 : 5));
  });
}
