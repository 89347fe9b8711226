// A private folder for bytes that must be a file for a while: standard input that is imported, a bag for standard output.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import { ensurePrivateFolder, removeAllQuietly } from '../../config/private-file.ts';

/** `spool-PID-RANDOM`: the process that uses it. */
const SPOOL = /^spool-(\d{1,10})-[0-9a-f]{12}$/;

/** Calls `work` with a new folder of mode 0700 and removes it afterwards. Folders of killed processes are removed first. */
export async function withSpoolFolder<T>(
  { directories, storeWorld, world }: App,
  work: (dir: string) => Promise<T>,
): Promise<T> {
  const parent = join(directories.cache, 'spool');
  ensurePrivateFolder(parent, storeWorld);
  for (const name of readdirSync(parent)) {
    const owner = Number(SPOOL.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(owner) && owner !== world.pid && !world.running(owner))
      removeAllQuietly(join(parent, name));
  }
  const dir = join(parent, `spool-${world.pid}-${Buffer.from(world.randomBytes(6)).toString('hex')}`);
  try {
    ensurePrivateFolder(dir, storeWorld);
    return await work(dir);
  } finally {
    removeAllQuietly(dir);
  }
}
