// Everything below a folder that is not a folder itself, without following a symlink.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../disk/disk-fault.ts';

/** `closed`: a folder that cannot be read, under its own path. Paths are relative, with slashes. */
export type FolderEntry = { path: string; kind: 'file' | 'link' | 'special' | 'closed' };

/**
 * The entries of each folder, folder after folder, in the order of their names. The folders that were read are added to
 * `folders`, the first as ''. Fault `disk` or `unsafe` where `dir` itself cannot be read.
 */
export async function* filesBelow(
  dir: string,
  folders: Set<string>,
  signal: AbortSignal,
): AsyncGenerator<FolderEntry[]> {
  const ahead = [''];
  for (;;) {
    const below = ahead.pop();
    if (below === undefined) return;
    signal.throwIfAborted();
    folders.add(below);
    const listed = await readdir(join(dir, below), { withFileTypes: true }).catch((error: unknown) => {
      if (below === '') throw diskFault(error, dir);
      return undefined;
    });
    if (listed === undefined) {
      yield [{ path: below, kind: 'closed' }];
      continue;
    }
    listed.sort((a, b) => (a.name < b.name ? -1 : 1));
    const entries: FolderEntry[] = [];
    const inner: string[] = [];
    for (const entry of listed) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) inner.push(path);
      else
        entries.push({
          path,
          kind: entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'special',
        });
    }
    for (const path of inner.toReversed()) ahead.push(path);
    yield entries;
  }
}
