// TypeScript parts of a bench: bundled, loaded, and gone again.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Runs `work` with what `entry` (a file beside this one) exports. */
export async function withBundle(entry, work) {
  // Inside the project, so that the bundle finds its packages.
  const dir = mkdtempSync(join(import.meta.dirname, '..', '..', 'node_modules', '.arx-bench-'));
  try {
    const outfile = join(dir, 'bundle.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, entry)],
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      outfile,
      logLevel: 'warning',
    });
    return await work(await import(pathToFileURL(outfile)));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
