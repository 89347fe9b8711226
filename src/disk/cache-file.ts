// Files of the cache folder: small, only for their owner, made again where they are missing or damaged.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { removeQuietly } from './atomic-file.ts';
import { closeQuietly, writeAllSync } from './durable-write.ts';

/** `uid` is our user id, undefined where the system has none. */
type Owner = { uid: number | undefined };

/**
 * Returns the bytes of a cache file. Undefined where it is missing, longer than `maxBytes`, a link, not a regular file, or
 * where another user owns it or may write it. Never throws.
 */
export function readCacheFile(
  path: string,
  { uid, maxBytes }: Owner & { maxBytes: number },
): Buffer | undefined {
  let descriptor: number;
  try {
    // Without O_NONBLOCK, opening a FIFO that has no writer would block for ever. Windows has neither flag.
    const flags = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
    descriptor = fs.openSync(path, fs.constants.O_RDONLY | flags);
  } catch {
    return undefined;
  }
  try {
    const stat = fs.fstatSync(descriptor);
    if (!stat.isFile() || stat.size > maxBytes || !isOwn(stat, uid)) return undefined;
    return fs.readFileSync(descriptor);
  } catch {
    return undefined;
  } finally {
    closeQuietly(descriptor);
  }
}

/**
 * Replaces a cache file in one step, with mode 0600 in a folder with mode 0700. The folder and the two above it are made
 * where they are missing. Nothing is synced: what a power loss damages is made again. Returns false where it cannot be
 * written, or where the folder is open to other users. Never throws.
 */
export function writeCacheFile(
  path: string,
  bytes: Uint8Array,
  { uid, pid }: Owner & { pid: number },
): boolean {
  const dir = dirname(path);
  const temporary = `${path}.tmp-${pid}`;
  try {
    for (const at of [dirname(dirname(dir)), dirname(dir), dir]) makeFolder(at);
    if (!isOwn(fs.lstatSync(dir), uid)) return false;
    const descriptor = fs.openSync(temporary, 'wx', 0o600);
    try {
      writeAllSync(descriptor, bytes);
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(temporary, path);
    return true;
  } catch {
    // Also a file that a killed process of this id left.
    removeQuietly(temporary);
    return false;
  }
}

/** The folder above must be there: a home folder that is missing is never made. */
function makeFolder(path: string): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Whether a file or folder is ours and nobody else may write it. */
function isOwn(stat: fs.Stats, uid: number | undefined): boolean {
  return uid === undefined || (stat.uid === uid && (stat.mode & 0o022) === 0);
}
