// The temporary files of a pull: what their names say, which of them a later run goes on with, and which it removes.
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../disk/disk-fault.ts';
import type { World } from '../world.ts';
import { nameKey } from './safe-name.ts';

/**
 * `.arx-<key>[-<pid>[-<etag>]].part`: who writes it, and under which ETag (base64url) its bytes came. Bytes and what is
 * known of them cannot part that way. The key is the beginning of the file's hash where there is an ETag, else chance.
 */
export const PARTIAL_FILE = /^\.arx-([0-9a-f]{16})(?:-(\d{1,10})(?:-([\w-]{3,140}))?)?\.part$/;
const MAX_ETAG_LENGTH = 100;
/** Strong ones only (RFC 9110 13.1.5): a weak one does not promise the same bytes. */
const STRONG_ETAG = /^"[\x21\x23-\x7e]*"$/;

/** A download that still runs writes more often, or is given up as too slow. */
const STALE_MS = 3_600_000;
/** How long a part waits to be gone on with. */
const MAX_RESUME_AGE_MS = 14 * 24 * STALE_MS;

/** Where a file goes on, with the strong ETag under which the bytes before came. */
export type ResumePoint = { from: number; ifRange: string };

export function partialFileName(key: string, pid: number, etag?: string): string {
  const tag = etag === undefined ? '' : `-${Buffer.from(etag).toString('base64url')}`;
  return `.arx-${key}-${pid}${tag}.part`;
}

/** Keys that no other run has, nor this one twice. */
export function createUniqueKeys(randomBytes: World['randomBytes']): () => string {
  const run = Buffer.from(randomBytes(4)).toString('hex');
  let count = 0;
  return () => run + (count++).toString(16).padStart(8, '0');
}

export const partialKeyOf = (sha256: string): string => sha256.slice(0, 16).toLowerCase();

/** The ETag, where bytes can be gone on with under it. */
export function strongEtag(etag: string | undefined): string | undefined {
  return etag !== undefined && etag.length <= MAX_ETAG_LENGTH && STRONG_ETAG.test(etag) ? etag : undefined;
}

/** A part that some run left. */
export type ResumableFile = { name: string; etag: string; bytes: number };

export type FolderScan = {
  /** {@link nameKey} of all that stands in the folder. */
  names: Set<string>;
  /** Parts of the dead by {@link partialKeyOf}. Times only say whether somebody still writes; what is in them is hashed. */
  resumable: Map<string, ResumableFile>;
  /** Names of parts that this run has: files of the same bytes would have the same. */
  inUse: Set<string>;
};

/** Of a folder that is not there, or whose names nobody asks for. */
export const emptyScan = (): FolderScan => ({ names: new Set(), resumable: new Map(), inUse: new Set() });

/** Looks at a folder before a pull, and removes temporaries nobody will go on with. */
export async function scanFolder(
  dir: string,
  { now, running, pid }: Pick<World, 'now' | 'running' | 'pid'>,
  { readOnly }: { readOnly: boolean } = { readOnly: false },
): Promise<FolderScan> {
  const { names, resumable, inUse } = emptyScan();
  try {
    for (const name of await readdir(dir)) {
      const [, key = '', owner, tag] = PARTIAL_FILE.exec(name) ?? [];
      if (key === '') names.add(nameKey(name));
      else {
        const found = await lstat(join(dir, name)).catch(() => undefined);
        if (found?.isFile() !== true) continue;
        const age = now() - found.mtimeMs;
        // A number may be used again: a process of that number that does not write is not the owner.
        const isDead =
          age > STALE_MS || (owner !== undefined && (Number(owner) === pid || !running(Number(owner))));
        if (!isDead) continue;
        const etag = tag === undefined ? undefined : strongEtag(Buffer.from(tag, 'base64url').toString());
        // With another name it is finished already, or not ours to write to.
        const isOpen = etag !== undefined && age < MAX_RESUME_AGE_MS && found.nlink === 1;
        const other = resumable.get(key);
        // One is gone on with.
        const isBest = isOpen && found.size >= (other?.bytes ?? 0);
        if (isBest) resumable.set(key, { name, etag, bytes: found.size });
        const useless = isBest ? other?.name : name;
        if (useless !== undefined && !readOnly) await rm(join(dir, useless), { force: true });
      }
    }
  } catch (error) {
    throw diskFault(error, dir);
  }
  return { names, resumable, inUse };
}

/** Removes what the dead left of files that are here by now, whose hashes these are. */
export async function removeFinishedPartials(
  dir: string,
  { resumable }: FolderScan,
  hashes: Iterable<string>,
): Promise<void> {
  for (const sha256 of hashes) {
    const name = resumable.get(partialKeyOf(sha256))?.name;
    if (name === undefined) continue;
    resumable.delete(partialKeyOf(sha256));
    // The next pull will find it again.
    await rm(join(dir, name), { force: true }).catch(() => {});
  }
}
