// Opens the folder that files are downloaded into, and holds it open: what is written to it stays in it.
import { constants } from 'node:fs';
import { open, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskFault, noFolderFault } from '../disk/disk-fault.ts';
import { nameHeldFolder } from '../disk/held-paths.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { Fault } from '../faults.ts';

/** The open target folder of a pull. */
export type TargetFolder = {
  /** Leads to the open folder itself, where the system has such paths, whatever its name leads to by now. */
  path: string;
  /** Also removes the folders that were made for it, where they are still empty. */
  close(): Promise<void>;
};

/**
 * Opens a folder, and makes it if it is missing. A symlink in `dir` is followed once, here. Throws Fault 'unsafe' for
 * what is no folder, 'disk' where it cannot be made or opened.
 */
export async function openTargetFolder(dir: string): Promise<TargetFolder> {
  try {
    const made = await makeFolder(dir);
    const held = await holdOpen(dir);
    return {
      path: held.path,
      async close() {
        await held.close();
        await removeEmpty(made.toReversed());
      },
    };
  } catch (error) {
    throw folderFault(error, dir);
  }
}

/**
 * Opens the folder of a file that is to be written, which is never made: its name may be mistyped. Throws Fault 'disk' where it is
 * missing, and as {@link openTargetFolder}.
 */
export async function openFolderOfFile(path: string): Promise<TargetFolder> {
  const dir = dirname(path);
  const folder = await openExistingFolder(dir);
  if (folder === undefined) throw noFolderFault(dir);
  return folder;
}

/** As {@link openTargetFolder}, but makes nothing: returns undefined if the folder is missing. */
export async function openExistingFolder(dir: string): Promise<TargetFolder | undefined> {
  try {
    return await holdOpen(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw folderFault(error, dir);
  }
}

async function holdOpen(dir: string): Promise<TargetFolder> {
  const folder = await open(dir, constants.O_RDONLY | constants.O_NONBLOCK);
  const opened = await folder.stat();
  if (!opened.isDirectory()) {
    await folder.close();
    throw notAFolder(dir);
  }
  const held = `/proc/self/fd/${folder.fd}`;
  const found = await stat(held).catch(() => undefined);
  const isHeld = found !== undefined && found.ino === opened.ino && found.dev === opened.dev;
  if (!isHeld) return { path: dir, close: () => folder.close() };
  const forgetName = nameHeldFolder(held, dir);
  return {
    path: held,
    close() {
      forgetName();
      return folder.close();
    },
  };
}

/** Removes folders, the innermost first, up to one that is not empty. */
async function removeEmpty(folders: readonly string[]): Promise<void> {
  try {
    for (const folder of folders) await rmdir(folder);
  } catch {
    // It holds something, or it is gone: either way it stays as it is.
  }
}

function folderFault(error: unknown, dir: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  return code === 'EEXIST' || code === 'ENOTDIR' ? notAFolder(dir) : diskFault(error, dir);
}

const notAFolder = (dir: string) =>
  new Fault('unsafe', `${dir} is not a folder`, { hint: 'name a folder, or one that does not exist yet' });
