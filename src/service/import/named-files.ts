// A set of files that are read by name, whether they lie in a folder or in a zip.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { listFolder } from '../../disk/walk-folder.ts';

export type NamedFiles = {
  /** Names with `/` between their parts, in no promised order. */
  names: readonly string[];
  /** Folders that could not be listed, and why. */
  unlisted: ReadonlyArray<readonly [name: string, reason: string]>;
  /** The bytes of a file; throws {@link Unreadable} for one that is absent, damaged or longer than `most` bytes. */
  read(name: string, most: number): Promise<Uint8Array>;
  close(): void;
};

/** Why a file cannot be read: lower case, without a path or a final full stop. */
export class Unreadable extends Error {}

/** Files of a folder, at most `depth` folders down. Links are not followed and not named. */
export async function openFolder(root: string, depth: number): Promise<NamedFiles> {
  const names: string[] = [];
  const unlisted: Array<[string, string]> = [];
  const list = async (folder: string, left: number): Promise<void> => {
    for (const entry of await listFolder(join(root, folder))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.kind === 'file') names.push(name);
      else if (entry.kind === 'folder' && left > 0) {
        await list(name, left - 1).catch((error: unknown) => unlisted.push([name, reasonOf(error)]));
      }
    }
  };
  await list('', depth);
  return {
    names,
    unlisted,
    read: (name, most) => readWhole(join(root, name), most),
    close: () => {},
  };
}

/** The bytes of a regular file of at most `most` bytes; a link is refused, and nothing can make it wait. */
export async function readWhole(path: string, most: number): Promise<Uint8Array> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw new Unreadable('is not a regular file');
      if (found.size > most) throw new Unreadable(`is larger than ${most} bytes`);
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable(reasonOf(error));
  }
}

/** A system error as a reason without its path. */
export function reasonOf(error: unknown): string {
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
