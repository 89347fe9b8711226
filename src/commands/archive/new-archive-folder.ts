// Keeps a new archive out of folders that hold other things, and away from places that a mistyped path would make.
import { readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault, NOTHING_CHANGED } from '../../faults.ts';

/** What arx, a killed run of it, or a file system may leave in a folder without an archive. */
const OWN_FILE = /^(?:archive\.db.*|blobs|serve\.lock.*|lost\+found|\..*)$/;

/**
 * Checks a folder that the command line names, where an archive may be made. Throws Fault 'unsafe' for one with other files and no archive,
 * and Fault 'usage' where the folder above it is missing. What cannot be looked at is left to who opens it.
 */
export async function checkArchiveFolder(dir: string): Promise<void> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException): string[] | undefined =>
    error.code === 'ENOENT' ? undefined : [],
  );
  if (names === undefined) {
    if (await isMissing(dirname(dir)))
      throw new Fault('usage', `${dirname(dir)}: no such folder`, {
        kept: NOTHING_CHANGED,
        hint: 'make it first, or correct the name',
      });
    return;
  }
  if (names.includes('archive.db') || names.every((name) => OWN_FILE.test(name))) return;
  throw new Fault('unsafe', `${dir}: the folder is not empty, and no archive`, {
    kept: NOTHING_CHANGED,
    hint: 'name the folder of an archive, or one that does not exist yet',
  });
}

async function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}
