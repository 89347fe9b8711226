// Reads the files that programs for AWS share: profiles, and the tokens of roles.
import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Fault } from '../faults.ts';
import { reasonOf } from './private-file.ts';

/** A file of settings has a few kilobytes. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Returns the text of a file; empty where there is none. Throws Fault 'auth' for one that is larger than 1 MiB or cannot be read. */
export async function awsTextFile(path: string): Promise<string> {
  try {
    // Without O_NONBLOCK, a FIFO that has no writer would be waited for, and no signal would end that.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { bytesRead, buffer } = await file.read(
        Buffer.alloc(MAX_FILE_BYTES + 1),
        0,
        MAX_FILE_BYTES + 1,
        0,
      );
      if (bytesRead > MAX_FILE_BYTES) throw new Fault('auth', `cannot read ${path}: it is larger than 1 MiB`);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (error instanceof Fault) throw error;
    if (['ENOENT', 'ENOTDIR'].includes(code)) return '';
    throw new Fault('auth', `cannot read ${path} (${reasonOf(error)})`);
  }
}
