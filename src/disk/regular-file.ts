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
      if ((await file.stat()).size > maxBytes)
        throw new Fault('unsafe', `${path} is larger than ${maxBytes} bytes`);
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
