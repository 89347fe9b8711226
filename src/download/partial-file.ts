// The partial file that a download is written to: a new one, or one that an earlier run left.
import { constants } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from '../world.ts';
import type { FolderScan } from './folder-scan.ts';
import { partialFileName, partialKeyOf } from './partial-names.ts';

/** An open partial file. Its bytes are not verified. */
export type PartialFile = {
  readonly name: string;
  readonly handle: FileHandle;
  /** The strong ETag under which its bytes came, if there was one. */
  readonly etag: string | undefined;
  /** Bytes in it. */
  length: number;
};

/** Where a partial file is opened, and for which file. */
export type PartialFileOptions = {
  dir: string;
  /** Hash of the whole file, in lower case. */
  sha256: string;
  scan: FolderScan;
  uniqueKey: () => string;
  world: Pick<World, 'pid' | 'uid'>;
};

/** Names tried before the folder is given up. */
const MAX_NAMES = 8;

/**
 * Takes over the partial file that an ended run left for this hash. Returns undefined if there is none, or another run
 * was faster: only one rename succeeds. A file of another user, or with a second name, is never written to; it and one
 * of more than `maxBytes` are removed. Throws the system's error.
 */
export async function takeOverPartialFile(
  { dir, sha256, scan, world }: PartialFileOptions,
  maxBytes: number,
): Promise<PartialFile | undefined> {
  const key = partialKeyOf(sha256);
  const resumable = scan.resumable.get(key);
  scan.resumable.delete(key);
  if (resumable === undefined) return undefined;
  const name = partialFileName(key, world.pid, resumable.etag);
  scan.inUse.add(name);
  try {
    await rename(join(dir, resumable.name), join(dir, name));
  } catch (error) {
    scan.inUse.delete(name);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(join(dir, name), O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  const { size, nlink, uid } = await handle.stat();
  const isOurs = nlink === 1 && (world.uid === undefined || uid === world.uid);
  if (isOurs && size <= maxBytes) return { name, handle, etag: resumable.etag, length: size };
  await handle.close().catch(() => {});
  await rm(join(dir, name), { force: true }).catch(() => {});
  scan.inUse.delete(name);
  return undefined;
}

/** Makes a partial file. It can be resumed by a later run if there is an `etag`. Throws the system's error. */
export async function createPartialFile(
  { dir, sha256, scan, uniqueKey, world }: PartialFileOptions,
  etag: string | undefined,
): Promise<PartialFile> {
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  for (let attempt = 0; ; attempt++) {
    // If somebody else's file or symlink has that name, another name is used.
    const tag = attempt === 0 ? etag : undefined;
    const name = partialFileName(tag === undefined ? uniqueKey() : partialKeyOf(sha256), world.pid, tag);
    if (scan.inUse.has(name)) continue;
    scan.inUse.add(name);
    try {
      const handle = await open(join(dir, name), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      return { name, handle, etag: tag, length: 0 };
    } catch (error) {
      scan.inUse.delete(name);
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt >= MAX_NAMES) throw error;
    }
  }
}
