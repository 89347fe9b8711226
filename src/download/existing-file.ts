// What already has the name that a file is to get: the same file, another one, or nothing.
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { sameHash } from '../contract/scalars.ts';
import { readFault } from '../disk/disk-fault.ts';
import { Fault } from '../faults.ts';
import { digestFile } from '../verify/digest.ts';
import type { World } from '../world.ts';
import type { FolderScan } from './folder-scan.ts';
import { nameKey } from './safe-name.ts';

/**
 * A file that is to be written. `name` is one safe path segment (safe-name.ts); `sha256` is the catalogue's, in lower
 * case; `bytes` the size, where it is known.
 */
export type TargetFile = { dir: string; name: string; sha256: string; bytes?: number };

/** `kept`: it was written now. `present`: it was here already and is verified; nothing was written. */
export type SavedFile = { path: string; outcome: 'kept' | 'present'; bytes: number; sha256: string };

const MOVE_AWAY = 'move what has the name away, then run the same command again';

/** Fault 'unsafe': a file of other content has the name. */
export class OtherContent extends Fault {
  readonly actual: { sha256: string; bytes: number };

  constructor(
    name: string,
    actual: OtherContent['actual'],
    { message, hint } = {
      message: `${name} exists with different content`,
      hint: 'replace it with --force',
    },
  ) {
    super('unsafe', message, { hint });
    this.actual = actual;
  }
}

/** Options of the check of an existing file. */
export type ExistingFileOptions = {
  world: Pick<World, 'signal'>;
  /** Replace a regular file of another hash. */
  force: boolean;
};

/**
 * Returns whether {@link findExisting} must be called. A file that comes to the folder after the scan is found when the
 * name is given.
 */
export function mayExist(
  { name }: TargetFile,
  { force, scan }: { force: boolean; scan: Pick<FolderScan, 'names'> },
): boolean {
  return force || scan.names.has(nameKey(name));
}

/**
 * Looks at the name before anything is downloaded. Returns the file if it has the target's hash; undefined if the name is
 * free, or may be replaced. Throws {@link OtherContent} without `force`, and Fault 'unsafe' for anything but a regular
 * file: it follows no symlink and never waits on a FIFO.
 */
export async function findExisting(
  target: TargetFile,
  options: ExistingFileOptions,
): Promise<SavedFile | undefined> {
  const path = join(target.dir, target.name);
  try {
    const found = await lstat(path);
    if (!found.isFile())
      throw new Fault('unsafe', `${target.name} exists and is not a regular file`, { hint: MOVE_AWAY });
    const { sha256, bytes } = await digestFile(path, options.world);
    if (sameHash(sha256, target.sha256)) return { path, outcome: 'present', bytes, sha256 };
    if (options.force) return undefined;
    throw new OtherContent(target.name, { sha256, bytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw readFault(error, path);
  }
}

/**
 * Returns the file that took the name while ours was written, if it has the same bytes. Throws as {@link findExisting},
 * and Fault 'disk' if it is gone again.
 */
export async function acceptExisting(target: TargetFile, options: ExistingFileOptions): Promise<SavedFile> {
  const found = await findExisting(target, options);
  if (found === undefined) throw new Fault('disk', `${target.name} vanished while it was written`);
  return found;
}
