// What the disk is asked for in every room: all of some bytes written, a folder made, a file or a folder on it for good.
import { mkdirSync, statSync } from 'node:fs';
import { mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The code of {@link makeFolder}, ours, where a file system takes no folders, as /proc: mkdir(2) says ENOENT of a new name. */
export const NO_FOLDERS = 'ENOFOLDERS';

/** All of the bytes from `at` on, however few the system takes at a time. Throws what it throws. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

/** A file's bytes, or the names in a folder. */
export async function syncAt(path: string): Promise<void> {
  const opened = await open(path, 'r');
  await opened.sync().finally(() => opened.close());
}

/**
 * Makes a folder, and those above it that are missing, with this mode; what is there stays as it is. Throws the system's
 * error, EEXIST or ENOTDIR for what is no folder, and {@link NO_FOLDERS}. Node's own way has no end there, and no signal
 * ends it, and it says ENOENT of a read-only file system.
 */
export async function makeFolder(dir: string, mode = 0o777): Promise<void> {
  const steps = [dir];
  for (let at = dirname(dir); !(await isFolder(at)) && steps[0] !== at; at = dirname(at)) steps.unshift(at);
  for (const at of steps) {
    try {
      await mkdir(at, { mode });
    } catch (error) {
      if ((await isFolder(at)) || (at !== dir && isTaken(error))) continue;
      throw (await isFolder(dirname(at))) ? refused(error) : error;
    }
  }
}

/** {@link makeFolder} at once. Gives those that it made, outermost first. */
export function makeFolderNow(dir: string, mode: number): string[] {
  const steps = [dir];
  for (let at = dirname(dir); !isFolderNow(at) && steps[0] !== at; at = dirname(at)) steps.unshift(at);
  const made: string[] = [];
  for (const at of steps) {
    try {
      mkdirSync(at, { mode });
      made.push(at);
    } catch (error) {
      if (isFolderNow(at) || (at !== dir && isTaken(error))) continue;
      throw isFolderNow(dirname(at)) ? refused(error) : error;
    }
  }
  return made;
}

/** By what is no folder: the next step says so. */
function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST';
}

function refused(error: unknown): unknown {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT') return error;
  return Object.assign(new Error(message, { cause: error }), { code: NO_FOLDERS, syscall });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isFolderNow(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
