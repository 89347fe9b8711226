// A file that says what a folder should hold, read whole: never through a link, never waited for, never without end.
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../disk/disk-fault.ts';
import { Fault } from '../faults.ts';

/** Largest manifest or sums file, in bytes: more than a million lines. */
export const MAX_REFERENCE_BYTES = 256 * 1024 * 1024;

/** `<dir>/<name>`, undefined where there is none. Fault `unsafe` for what is no regular file or too large. */
export async function readReferenceFile(dir: string, name: string): Promise<Buffer | undefined> {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = await open(join(dir, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    return await readBounded(file, name).finally(() => file.close());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw diskFault(error, name);
  }
}

/** The same of a file that is open, which stays open. */
export async function readBounded(file: FileHandle, name: string): Promise<Buffer> {
  const found = await file.stat();
  if (!found.isFile()) throw new Fault('unsafe', `${name} is not a regular file`);
  if (found.size > MAX_REFERENCE_BYTES) {
    throw new Fault('unsafe', `${name} is larger than ${MAX_REFERENCE_BYTES} bytes`);
  }
  return file.readFile();
}
