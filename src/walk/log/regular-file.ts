// Files of a frozen walk: regular ones of their name, never what a link or a FIFO of that name leads to.
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { Fault } from '../../faults.ts';

const APPENDED = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;

/** Opens for reading and appending unless `flags` say otherwise. Throws Fault `unsafe` or the file system's error. */
export async function openRegularFile(path: string, flags = APPENDED): Promise<FileHandle> {
  const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Fault('unsafe', `${path} is not a regular file`);
}

/** The text of a file, undefined where there is none. Throws as {@link openRegularFile} does. */
export async function readTextIfExists(path: string): Promise<string | undefined> {
  try {
    const file = await openRegularFile(path, constants.O_RDONLY);
    return await file.readFile('utf8').finally(() => file.close());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
