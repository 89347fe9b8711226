// A file that an earlier pull kept and that the archive no longer gives: whether the folder still has it as it was.
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PulledFile } from '../contract/reports/files.ts';
import { Fault, type Hint } from '../faults.ts';
import type { World } from '../world.ts';
import { findExisting, OtherContent } from './existing-file.ts';
import type { ManifestEntry } from './manifest.ts';

const NOW: Record<NonNullable<PulledFile['now']>, string> = {
  withheld: 'is withheld now',
  absent: 'is absent now',
  unlisted: "is no longer in the archive's list",
};

/** What the folder has: the fields of the report, and why the file is not as it was kept. */
export type KeptFile = { fields: Partial<PulledFile>; fault?: Fault };

const ONLY_A_COPY = 'only another copy can replace it';
const OR_GIVE_UP: Hint = `${ONLY_A_COPY}; if it was deleted on purpose, the same pull with --force accepts that`;

/**
 * Compares the file of an entry with the hash that it had. `state`: why it is not given now. The file cannot be fetched again, so one that
 * is damaged or gone is Fault 'integrity'. Follows no link.
 */
export async function checkKeptFile(
  dir: string,
  { id, path, sha256 }: ManifestEntry & { path: string },
  state: NonNullable<PulledFile['now']>,
  world: Pick<World, 'signal'>,
): Promise<KeptFile> {
  const lost = (verdict: 'mismatch' | 'missing', what: string, hint: Hint, fields = {}): KeptFile => ({
    fields: { verdict, ...fields },
    fault: new Fault('integrity', `${id}: ${path} ${what}, and ${NOW[state]}`, { hint }),
  });
  const gone = (): KeptFile => lost('missing', 'is no longer in the folder', OR_GIVE_UP);
  if (!(await isBelowFolders(dir, path))) return gone();
  try {
    const found = await findExisting({ dir, name: path, sha256: sha256! }, { world, force: false });
    return found === undefined ? gone() : { fields: { actual: found.sha256, bytes: found.bytes } };
  } catch (error) {
    if (error instanceof OtherContent) {
      const { sha256: actual, bytes } = error.actual;
      return lost('mismatch', 'has different content', ONLY_A_COPY, { actual, bytes });
    }
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    return { fields: { verdict: 'unreadable' }, fault: error };
  }
}

/** Returns whether all folders of a path below `dir` are folders, and no links. */
async function isBelowFolders(dir: string, path: string): Promise<boolean> {
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const isFolder = await lstat(join(dir, parent)).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) return false;
  }
  return true;
}
