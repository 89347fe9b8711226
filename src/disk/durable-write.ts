// Writes all of some bytes, and waits until a file or the names in a folder are on the disk.
import * as fs from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** Writes all bytes at the offset `at`, however few the system takes at a time. Throws the system's error. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

/** As {@link writeAll}, synchronously. */
export function writeAllSync(fd: number, bytes: Uint8Array, at = 0): void {
  for (let done = 0; done < bytes.length;) {
    done += fs.writeSync(fd, bytes, done, bytes.length - done, at + done);
  }
}

/** Waits until a file's bytes, or the names in a folder, are on the disk. Throws the system's error. */
export async function syncPath(path: string): Promise<void> {
  const opened = await open(path, 'r');
  await opened.sync().finally(() => opened.close());
}

/**
 * Waits until the names in a folder are on the disk, where the system can tell. Does nothing for a folder that may be
 * written but not listed, on Windows, and on file systems that cannot sync a folder. Throws the system's other errors.
 */
export function syncFolder(path: string): void {
  let fd: number;
  try {
    fd = fs.openSync(path, 'r');
  } catch (error) {
    if (['EACCES', 'EPERM', 'EISDIR'].includes(codeOf(error))) return;
    throw error;
  }
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'ENOTSUP'].includes(codeOf(error))) throw error;
  } finally {
    closeQuietly(fd);
  }
}

/** Closes a file whose bytes are synced already, or whose first error is the one to report. Never throws. */
export function closeQuietly(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch {
    // Nothing depends on this descriptor any more.
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
