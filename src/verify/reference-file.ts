// Reads a file that says what a folder should hold (a manifest or a checksum list), up to a size limit.
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../disk/disk-fault.ts';
import { readAtMost } from '../disk/regular-file.ts';
import { Fault } from '../faults.ts';

/** Enough for more than a million lines. */
export const MAX_REFERENCE_BYTES = 256 * 1024 * 1024;

/**
 * Returns the bytes of `dir/name`; undefined if there is no such file. Follows no symlink and never waits on a FIFO.
 * Throws Fault 'unsafe' for what is no regular file or too large, 'disk' for what cannot be read.
 */
export async function readReferenceFile(dir: string, name: string): Promise<Buffer | undefined> {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = await open(join(dir, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    return await readBounded(file, name).finally(() => file.close());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw diskFault(error, (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? dir : name);
  }
}

/** Returns the bytes of an open file, which stays open. Throws as {@link readReferenceFile}. */
export async function readBounded(file: FileHandle, name: string): Promise<Buffer> {
  if (!(await file.stat()).isFile()) throw new Fault('unsafe', `${name} is not a regular file`);
  const bytes = await readAtMost(file, MAX_REFERENCE_BYTES);
  if (bytes === undefined) throw new Fault('unsafe', `${name} is larger than ${MAX_REFERENCE_BYTES} bytes`);
  return bytes;
}
