// Threads as the program has them, for tests that run from TypeScript: each bundled once, when it is first started.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import type { World } from '../../src/world.ts';
import { tempFolder } from './temp-folder.ts';

const dir = tempFolder('threads');
const built = new Set<string>();
const ENTRIES = {
  'disk-worker': 'download/disk-worker.ts',
  'hash-worker': 'verify/hash-worker.ts',
  'small-file-worker': 'download/small-file-worker.ts',
};

export const thread: NonNullable<World['thread']> = (name, data) => {
  const outfile = join(dir, `${name}.cjs`);
  if (!built.has(name)) {
    const entry = join(import.meta.dirname, '../../src', ENTRIES[name]);
    buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', logLevel: 'warning' });
  }
  built.add(name);
  return new Worker(outfile, { workerData: data });
};
