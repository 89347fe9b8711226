// Lists the files that an import reads from a folder, and says of each other entry why it is not read.
import { join } from 'node:path';
import { listFolder, walkFolder, type FolderEntry } from '../../disk/walk-folder.ts';
import { reasonOf } from './named-files.ts';

export type Listed = { name: string; at: string } & (
  { is: 'file' } | { is: 'folder' } | { is: 'refused'; reason: string }
);

/** Returns the entries of a folder in the order of names. Follows no links. Throws the file system's error. */
export async function entriesOf(folder: string): Promise<Listed[]> {
  return (await listFolder(folder)).map((entry): Listed => {
    const { name, kind } = entry;
    const at = join(folder, name);
    const reason = refusalOf(entry);
    if (reason !== undefined) return { name, at, is: 'refused', reason };
    return { name, at, is: kind === 'folder' ? 'folder' : 'file' };
  });
}

/** Why an entry is not read; undefined for a file or folder that is. */
function refusalOf({ kind, isUtf8 }: Pick<FolderEntry, 'kind' | 'isUtf8'>): string | undefined {
  if (!isUtf8) return 'has a name that is not UTF-8';
  if (kind === 'link') return 'is a link';
  return kind === 'special' ? 'is not a regular file' : undefined;
}

/** A file below a folder, or what is not read there; `relative` is its path in it, with `/`. */
export type Found = { at: string; relative: string; refusal?: string };

/** A Maildir that was met on the way, whose inside is not listed. */
export type FoundMaildir = { at: string; maildir: true };

/** Yields all files below a folder, in the order of names; folders and files are sorted together. Never throws. */
export async function* filesBelow(
  folder: string,
  { maildirs }: { maildirs: boolean },
): AsyncGenerator<Found | FoundMaildir> {
  const enter = (_path: string, entries: readonly FolderEntry[]): boolean =>
    !maildirs || !isMaildir(entries.map(({ name, kind }) => ({ name, is: kind })));
  for await (const found of walkFolder(folder, { order: 'by-name', enter })) {
    for (const entry of found) {
      const { path: relative } = entry;
      const at = relative === '' ? folder : join(folder, relative);
      if (entry.kind === 'unreadable') yield { at, relative, refusal: reasonOf(entry.error) };
      else if (entry.kind === 'folder' && entry.isUtf8) yield { at, maildir: true };
      else {
        const refusal = refusalOf(entry);
        yield refusal === undefined ? { at, relative } : { at, relative, refusal };
      }
    }
  }
}

/** Whether a folder is a Maildir: it has folders `cur` and `new`. */
export function isMaildir(entries: ReadonlyArray<{ name: string; is: string }>): boolean {
  const has = (name: string) => entries.some((entry) => entry.name === name && entry.is === 'folder');
  return has('cur') && has('new');
}
