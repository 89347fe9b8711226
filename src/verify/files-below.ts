// Lists the files below a folder, and the folders themselves.
import { diskFault } from '../disk/disk-fault.ts';
import { walkFolder } from '../disk/walk-folder.ts';

/** `closed`: a folder that cannot be read, under its own path. Paths are relative, with slashes. */
export type FolderEntry = { path: string; kind: 'file' | 'link' | 'special' | 'closed' };

/**
 * Yields what is below a folder, some entries of one folder at a time, files before folders, in the order of names.
 * Follows no links. Adds the path of each folder to `folders`, '' for the first one.
 * Throws Fault `disk` or `unsafe` where `dir` itself cannot be read, and the signal's reason.
 */
export async function* filesBelow(
  dir: string,
  folders: Set<string>,
  signal: AbortSignal,
): AsyncGenerator<FolderEntry[]> {
  const enter = (path: string): boolean => folders.add(path).size > 0;
  for await (const found of walkFolder(dir, { order: 'files-first', enter, signal })) {
    yield found.map((entry): FolderEntry => {
      const { path, kind } = entry;
      if (kind !== 'unreadable' && kind !== 'folder') return { path, kind };
      if (kind === 'unreadable' && path === '') throw diskFault(entry.error, dir);
      folders.add(path);
      return { path, kind: 'closed' };
    });
  }
}
