// What an import finds below a folder: files, Maildirs, and entries that it does not read, with the reason.
import { join } from 'node:path';
import { walkFolder, type FolderEntry } from '../../disk/walk-folder.ts';
import { unreadableReason } from './unreadable-reason.ts';

/** A file below a folder. `relative` is its path there, with `/`. `unreadReason`: why it is not read. */
export type FoundFile = { at: string; relative: string; unreadReason?: string };

/** A Maildir below a folder. Its content is not listed. */
export type FoundMaildir = { at: string; maildir: true };

/**
 * Yields all files below a folder, those of each folder in the order of their names. `maildirs`: whether a Maildir is
 * yielded as one thing instead of its files. Links are not followed. Never throws.
 */
export async function* filesBelow(
  folder: string,
  { maildirs }: { maildirs: boolean },
): AsyncGenerator<FoundFile | FoundMaildir> {
  const enter = (_path: string, entries: readonly FolderEntry[]) => !(maildirs && isMaildir(entries));
  for await (const entries of walkFolder(folder, { order: 'by-name', enter })) {
    for (const entry of entries) {
      const at = join(folder, entry.path);
      const relative = entry.path;
      if (entry.kind === 'unreadable') {
        yield { at, relative, unreadReason: unreadableReason(entry.error) };
        continue;
      }
      const unreadReason = unreadReasonOf(entry);
      if (unreadReason !== undefined) yield { at, relative, unreadReason };
      else if (entry.kind === 'folder') yield { at, maildir: true };
      else yield { at, relative };
    }
  }
}

/** Returns why an entry of a folder is not read; undefined for a file or folder that can be opened by its name. */
export function unreadReasonOf({ kind, isUtf8 }: Pick<FolderEntry, 'kind' | 'isUtf8'>): string | undefined {
  if (!isUtf8) return 'has a name that is not UTF-8';
  if (kind === 'link') return 'is a link';
  return kind === 'special' ? 'is not a regular file' : undefined;
}

/** Returns whether a folder with these entries is a Maildir: it has the folders `cur` and `new`. */
export function isMaildir(entries: readonly FolderEntry[]): boolean {
  const hasFolder = (name: string) => entries.some((entry) => entry.name === name && entry.kind === 'folder');
  return hasFolder('cur') && hasFolder('new');
}
