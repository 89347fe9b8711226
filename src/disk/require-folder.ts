// Checks the folder of a file that is to be written.
import { stat } from 'node:fs/promises';
import { diskFault, noFolderFault } from './disk-fault.ts';

/** Throws Fault 'disk' where a folder is missing, or cannot be looked at. */
export async function requireFolder(dir: string): Promise<void> {
  await stat(dir).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? noFolderFault(dir) : diskFault(error, dir);
  });
}
