// Opens regular files only: never what a symbolic link or a FIFO of that name leads to.
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { Fault } from '../faults.ts';

const READ_AND_APPEND = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;

/**
 * Opens a file, by default for reading and appending, and makes it with mode 0600 if it is missing. Throws Fault `unsafe`
 * when it is not a regular file, or the system's error.
 */
export async function openRegularFile(path: string, flags = READ_AND_APPEND): Promise<FileHandle> {
  const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Fault('unsafe', `${path} is not a regular file`);
}

/** Opens a file for reading; undefined where it is a link, a pipe or another thing that is no plain file by now. */
export async function openIfRegular(path: string): Promise<FileHandle | undefined> {
  try {
    return await openRegularFile(path, constants.O_RDONLY);
  } catch (error) {
    if (error instanceof Fault || (error as NodeJS.ErrnoException).code === 'ELOOP') return undefined;
    throw error;
  }
}

/**
 * Returns the bytes of a file; undefined when there is none. Throws Fault 'unsafe' for one of more than `maxBytes`, and as
 * {@link openRegularFile} does.
 */
export async function readBytesIfExists(path: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    const file = await openRegularFile(path, constants.O_RDONLY);
    try {
      const bytes = await readAtMost(file, maxBytes);
      if (bytes === undefined) throw new Fault('unsafe', `${path} is larger than ${maxBytes} bytes`);
      return bytes;
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns the bytes of an open file; undefined where it has more than `maxBytes`. Not by its size alone: a file may grow while it is read,
 * and one of /proc states no size and may not end.
 */
export async function readAtMost(file: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const { size } = await file.stat();
  if (size > maxBytes) return undefined;
  let bytes = Buffer.allocUnsafeSlow(Math.min(maxBytes, size === 0 ? UNKNOWN_SIZE_BYTES : size) + 1);
  for (let length = 0; ;) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    length += bytesRead;
    if (length > maxBytes) return undefined;
    if (bytesRead === 0 || length === size) return bytes.subarray(0, length);
    if (length < bytes.length) continue;
    const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes + 1, 2 * bytes.length));
    larger.set(bytes);
    bytes = larger;
  }
}

const UNKNOWN_SIZE_BYTES = 64 * 1024;
