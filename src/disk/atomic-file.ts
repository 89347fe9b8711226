// Gives a file its name only when it is whole and on the disk: temporary file, fsync, rename or link, fsync of the folder.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { closeQuietly, syncFolder, writeAllSync } from './durable-write.ts';

/** A whole file under a temporary name, and the name it gets. Both are on one file system. */
export type PendingFile = {
  temporary: string;
  path: string;
  /** Replace a file that has the name already. */
  force: boolean;
};

/** `kept`: the file has its name, and no longer the temporary one. `taken`: another file has it; nothing was changed. */
export type Placed = 'kept' | 'taken';

/**
 * Writes `bytes` to `path` in one step: after any failure, kill or power loss the name holds the old bytes or the new.
 * The mode of the file is 0600. Without `force` it never replaces a file. No temporary file is left unless the process
 * is killed. Throws the system's error.
 */
export function writeFileAtomically(file: PendingFile, bytes: Uint8Array): Placed {
  let placed: Placed;
  try {
    writeNewFile(file.temporary, bytes);
    placed = placeFile(file);
  } catch (error) {
    removeQuietly(file.temporary);
    throw error;
  }
  if (placed === 'taken') removeQuietly(file.temporary);
  syncFolder(dirname(file.path));
  return placed;
}

/** Writes a new file with mode 0600 and waits until it is on the disk. Throws EEXIST where the name is taken. */
export function writeNewFile(path: string, bytes: Uint8Array): void {
  const { O_WRONLY, O_CREAT, O_EXCL } = fs.constants;
  // Windows does not know O_NOFOLLOW; O_EXCL follows no link there either.
  const fd = fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | (fs.constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    writeAllSync(fd, bytes);
    fs.fsyncSync(fd);
  } catch (error) {
    closeQuietly(fd);
    throw error;
  }
  // A file system may report a failed write only here.
  fs.closeSync(fd);
}

/**
 * Waits until the bytes of a written file are on the disk, gives it its name, and waits until the name is on the disk.
 * `fd` is the file, where the caller has it open; it stays open. Throws the system's error.
 */
export function commitFile(file: PendingFile, fd?: number): Placed {
  const opened = fd ?? fs.openSync(file.temporary, 'r');
  try {
    fs.fsyncSync(opened);
  } finally {
    if (fd === undefined) closeQuietly(opened);
  }
  const placed = placeFile(file);
  syncFolder(dirname(file.path));
  return placed;
}

/**
 * Gives a file its name, and removes the temporary one. Syncs nothing: the caller syncs the file before and the folder
 * after, so that many files can share one sync. Throws the system's error.
 */
export function placeFile({ temporary, path, force }: PendingFile): Placed {
  if (force) {
    fs.renameSync(temporary, path);
    return 'kept';
  }
  try {
    // Unlike a rename, a link never replaces a file.
    fs.linkSync(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return 'taken';
    if (!NO_LINKS.has(code)) throw error;
    return renameOverReserved(temporary, path);
  }
  removeQuietly(temporary);
  return 'kept';
}

/** What link(2) reports on a file system without links. */
const NO_LINKS = new Set<string | undefined>(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Without links: creating the name exclusively reserves it, then the rename replaces only our own empty file. A kill in between leaves that empty file. */
function renameOverReserved(temporary: string, path: string): Placed {
  try {
    fs.closeSync(fs.openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'taken';
    throw error;
  }
  fs.renameSync(temporary, path);
  return 'kept';
}

/** Removes a file if it can. What stays is left for the next run to remove. Never throws. */
export function removeQuietly(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch {
    // Gone already, or not removable now.
  }
}
