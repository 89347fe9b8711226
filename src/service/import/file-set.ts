// A set of files that are read by name: the files of a folder, or the entries of a zip.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { listFolder } from '../../disk/walk-folder.ts';

/** Files that are read by name. */
export type FileSet = {
  /** Names with `/` between their parts, in no particular order. */
  names: readonly string[];
  /** Folders that could not be listed, each with the reason. */
  unlisted: ReadonlyArray<readonly [name: string, reason: string]>;
  /** Returns the bytes of a file. Throws {@link UnreadableError} when it is absent, damaged or longer than `maxBytes`. */
  read(name: string, maxBytes: number): Promise<Uint8Array>;
  close(): void;
};

/** Says why a file cannot be read: lower case, without its path and without a final full stop. */
export class UnreadableError extends Error {}

/**
 * Opens the files of a folder and of the folders in it, at most `maxDepth` levels down. Links are left out. Throws the
 * error of the file system when the folder itself cannot be listed.
 */
export async function openFolder(root: string, maxDepth: number): Promise<FileSet> {
  const names: string[] = [];
  const unlisted: Array<[string, string]> = [];
  const list = async (folder: string, levelsLeft: number): Promise<void> => {
    for (const entry of await listFolder(join(root, folder))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.kind === 'file') names.push(name);
      else if (entry.kind === 'folder' && levelsLeft > 0) {
        await list(name, levelsLeft - 1).catch((error: unknown) => {
          unlisted.push([name, unreadableReason(error)]);
        });
      }
    }
  };
  await list('', maxDepth);
  return {
    names,
    unlisted,
    read: (name, maxBytes) => readRegularFile(join(root, name), maxBytes),
    close: () => {},
  };
}

/** Returns the bytes of a regular file. Refuses a link and does not block on a pipe. Throws {@link UnreadableError}. */
export async function readRegularFile(path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw new UnreadableError('is not a regular file');
      if (found.size > maxBytes) throw new UnreadableError(`is larger than ${maxBytes} bytes`);
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw error instanceof UnreadableError ? error : new UnreadableError(unreadableReason(error));
  }
}

/** Returns an error of the file system as a reason, without its path. */
export function unreadableReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  return code === undefined ? 'cannot be read' : (REASONS[code] ?? `cannot be read (${code})`);
}

const REASONS: Record<string, string> = {
  ENOENT: 'is not there',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  ELOOP: 'is a link',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not a folder',
};
