// Makes a folder and the missing folders above it.
import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Error code of our own: the parent folder exists, but its file system makes no folders (for example /proc). */
export const NO_FOLDERS = 'ENOFOLDERS';

/**
 * Makes a folder and the missing folders above it, with this mode. Existing folders stay as they are. Returns the
 * folders that it made, outermost first. Throws the system's error: EEXIST or ENOTDIR where something else has the name, or {@link NO_FOLDERS}.
 *
 * `mkdir` with `recursive` is not used: on such a file system it never returns and no signal ends it, and on a read-only
 * file system it reports ENOENT.
 */
export async function makeFolder(dir: string, mode = 0o777): Promise<string[]> {
  const steps = [dir];
  for (let at = dirname(dir); !(await isFolder(at)) && steps[0] !== at; at = dirname(at)) steps.unshift(at);
  const made: string[] = [];
  for (const at of steps) {
    try {
      await mkdir(at, { mode });
      made.push(at);
    } catch (error) {
      if ((await isFolder(at)) || (at !== dir && isTaken(error))) continue;
      throw (await isFolder(dirname(at))) ? withOwnCode(error) : error;
    }
  }
  return made;
}

/** As {@link makeFolder}, synchronously. */
export function makeFolderSync(dir: string, mode: number): string[] {
  const steps = [dir];
  for (let at = dirname(dir); !isFolderSync(at) && steps[0] !== at; at = dirname(at)) steps.unshift(at);
  const made: string[] = [];
  for (const at of steps) {
    try {
      mkdirSync(at, { mode });
      made.push(at);
    } catch (error) {
      if (isFolderSync(at) || (at !== dir && isTaken(error))) continue;
      throw isFolderSync(dirname(at)) ? withOwnCode(error) : error;
    }
  }
  return made;
}

/** Something that is no folder has the name. The next step fails with ENOTDIR, which says more. */
function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST';
}

/** mkdir(2) reports ENOENT for a new name where the file system makes no folders, although the parent exists. */
function withOwnCode(error: unknown): unknown {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT') return error;
  return Object.assign(new Error(message, { cause: error }), { code: NO_FOLDERS, syscall });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isFolderSync(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
