// Pages of the embedded archive after start: the client through the in-process transport, 100 attachments a page.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { table } from './timing.mjs';

export async function bench() {
  // Inside the project, so that the bundle finds its native package.
  const dir = mkdtempSync(join(import.meta.dirname, '..', '..', 'node_modules', '.arx-bench-'));
  try {
    const outfile = join(dir, 'pages.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, 'pages.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      outfile,
      logLevel: 'warning',
    });
    const { measurePages } = await import(pathToFileURL(outfile));
    const rows = await measurePages();
    table('A page of 100 attachments through the client, embedded, 20,000 rows, medians of 200', rows);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
