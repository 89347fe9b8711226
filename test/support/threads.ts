// Worker threads for tests that run from TypeScript: each is bundled when it is first started.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import type { World } from '../../src/world.ts';
import { atFileEnd } from './file-end.ts';
import { tempFolder } from './temp-folder.ts';

/** Name → path of the bundle. */
const built = new Map<string, string>();
atFileEnd(() => built.clear());
const ENTRIES = {
  'disk-worker': 'download/disk-worker.ts',
  'hash-worker': 'verify/hash-worker.ts',
  'jq-worker': 'format/jq-worker.ts',
  'picture-worker': 'format/picture/picture-worker.ts',
  'small-file-worker': 'download/small-file-worker.ts',
};

/** Starts a worker thread of ours from a bundle of its source. */
export const thread: NonNullable<World['thread']> = (name, data) => {
  const outfile = built.get(name) ?? bundle(name);
  built.set(name, outfile);
  return new Worker(outfile, { workerData: data });
};

function bundle(name: keyof typeof ENTRIES): string {
  const outfile = join(tempFolder('threads'), `${name}.cjs`);
  const entry = join(import.meta.dirname, '../../src', ENTRIES[name]);
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', logLevel: 'warning' });
  return outfile;
}
