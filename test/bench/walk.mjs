// The exact walk against lying lists in virtual time: the table "Figures to reach", beside two simpler clients.
// `npm run bench walk [seeds [first]]`: seeds a row and the first of them; 100 from 20,001 on unless said otherwise (the
// walk was tuned on 1 to 100).
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { table } from './timing.mjs';

const USUAL_SEEDS = 100;
const USUAL_FIRST = 20_001;

export async function bench(seeds = USUAL_SEEDS, first = USUAL_FIRST) {
  const dir = mkdtempSync(join(import.meta.dirname, '..', '..', 'node_modules', '.arx-bench-'));
  try {
    const outfile = join(dir, 'walks.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, 'walks.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      outfile,
      logLevel: 'warning',
    });
    const { measureWalks } = await import(pathToFileURL(outfile));
    table(
      `Exact walk, 2,000 rows by 100, RTT 50 ms, seeds ${first} to ${first + seeds - 1} a row; requests over 20, wall over 1,000 ms`,
      await measureWalks(seeds, first),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
