// What the disk is asked for in every room: all of some bytes written, a file or a folder on it before what comes next.
import { open, type FileHandle } from 'node:fs/promises';

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
