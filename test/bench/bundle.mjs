// TypeScript parts of a bench: bundled, loaded here or called in processes of their own, and gone again.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

/** Runs `work` with what `entry` (a file beside this one) exports. */
export async function withBundle(entry, work) {
  return bundled(entry, async (url) => work(await import(url)));
}

const stopped = new AbortController();
process.once('exit', () => stopped.abort());

/** What the function `name` of `entry` gives for each list of arguments, as JSON, `atOnce` processes at a time. */
export async function inProcesses(entry, name, calls, atOnce) {
  return bundled(entry, async (url) => {
    const results = [];
    let next = 0;
    const worker = async () => {
      while (next < calls.length) {
        const index = next++;
        const given = calls[index].map((value) => JSON.stringify(value)).join(', ');
        const program = `import('${url}').then(async (part) =>
          process.stdout.write(JSON.stringify(await part.${name}(${given}))));`;
        const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], {
          signal: stopped.signal,
        });
        results[index] = JSON.parse(stdout);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return results;
  });
}

async function bundled(entry, work) {
  // Inside the project, so that the bundle finds its packages.
  const dir = mkdtempSync(join(import.meta.dirname, '..', '..', 'node_modules', '.arx-bench-'));
  const remove = () => rmSync(dir, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const outfile = join(dir, 'bundle.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, entry)],
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      loader: { '.md': 'text' },
      outfile,
      logLevel: 'warning',
    });
    return await work(pathToFileURL(outfile).href);
  } finally {
    remove();
    process.off('exit', remove);
  }
}
