// Scans the target folder before a pull: which names are taken, which partial files can be resumed, and which are removed.
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../disk/disk-fault.ts';
import type { World } from '../world.ts';
import { PARTIAL_FILE, partialKeyOf, strongEtag } from './partial-names.ts';
import { nameKey } from './safe-name.ts';

/** A partial file not written for this long belongs to a run that has ended. */
const MAX_IDLE_MS = 3_600_000;
/** Older partial files are not resumed. */
const MAX_RESUME_AGE_MS = 14 * 24 * 3_600_000;

/** A partial file of a run that has ended. */
export type ResumableFile = { name: string; etag: string; bytes: number };

/** What a scan found in the target folder. A partial file is taken from `resumable` when it is opened. */
export type FolderScan = {
  /** {@link nameKey} of every name in the folder. */
  names: Set<string>;
  /** By {@link partialKeyOf}. Their content is not trusted: it is hashed like downloaded bytes. */
  resumable: Map<string, ResumableFile>;
  /** Names of this run's partial files. Two files with the same hash would get the same one. */
  inUse: Set<string>;
};

/** Returns the scan of a folder that is missing, or whose names do not matter. */
export const emptyScan = (): FolderScan => ({ names: new Set(), resumable: new Map(), inUse: new Set() });

/**
 * Scans a folder, and removes the partial files of ended runs that cannot be resumed, unless `readOnly` is set. Throws
 * Fault 'disk' or 'unsafe' where the folder cannot be read.
 */
export async function scanFolder(
  dir: string,
  world: Pick<World, 'now' | 'running' | 'pid'>,
  { readOnly }: { readOnly: boolean } = { readOnly: false },
): Promise<FolderScan> {
  const scan = emptyScan();
  try {
    for (const name of await readdir(dir)) {
      if (!PARTIAL_FILE.test(name)) {
        scan.names.add(nameKey(name));
        continue;
      }
      const useless = await addPartialFile(dir, name, scan, world);
      if (useless !== undefined && !readOnly) await rm(join(dir, useless), { force: true });
    }
  } catch (error) {
    throw diskFault(error, dir);
  }
  return scan;
}

/** Adds a partial file to the scan if it can be resumed. Returns the name of one that can be removed. */
async function addPartialFile(
  dir: string,
  name: string,
  { resumable }: FolderScan,
  { now, running, pid }: Pick<World, 'now' | 'running' | 'pid'>,
): Promise<string | undefined> {
  const [, key = '', owner, tag] = PARTIAL_FILE.exec(name) ?? [];
  const found = await lstat(join(dir, name)).catch(() => undefined);
  if (found?.isFile() !== true) return undefined;
  const ageMs = now() - found.mtimeMs;
  // A process number may be used again, so a process that does not write is not the owner.
  const hasEnded =
    ageMs > MAX_IDLE_MS || (owner !== undefined && (Number(owner) === pid || !running(Number(owner))));
  if (!hasEnded) return undefined;
  const etag = tag === undefined ? undefined : strongEtag(Buffer.from(tag, 'base64url').toString());
  // A file with a second name is complete, or not ours to write to.
  const canBeResumed = etag !== undefined && ageMs < MAX_RESUME_AGE_MS && found.nlink === 1;
  const other = resumable.get(key);
  if (!canBeResumed || found.size < (other?.bytes ?? 0)) return name;
  resumable.set(key, { name, etag, bytes: found.size });
  return other?.name;
}

/** Removes partial files that were not needed: of files with these hashes, which are complete now. */
export async function removeFinishedPartials(
  dir: string,
  { resumable }: FolderScan,
  hashes: Iterable<string>,
): Promise<void> {
  for (const sha256 of hashes) {
    const name = resumable.get(partialKeyOf(sha256))?.name;
    if (name === undefined) continue;
    resumable.delete(partialKeyOf(sha256));
    // One that cannot be removed is found again by the next pull.
    await rm(join(dir, name), { force: true }).catch(() => {});
  }
}
