// Lists a folder and all folders below it, in the order of names, without following links.
import { lstatSync, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A name in a folder. Where the bytes of the name are not UTF-8, nothing can be opened by it. */
export type FolderEntry = { name: string; kind: 'file' | 'folder' | 'link' | 'special'; isUtf8: boolean };

/**
 * Something below a folder. `path` is relative to it, with slashes, '' for the folder itself.
 * `folder` is a folder that was not entered: `enter` refused it, or its name is not UTF-8.
 * `unreadable` is a folder that could not be listed, with the system's error.
 */
export type FoundBelow =
  | { path: string; kind: FolderEntry['kind']; isUtf8: boolean }
  | { path: string; kind: 'unreadable'; error: unknown };

/** Options of {@link walkFolder}. */
export type WalkOptions = {
  /** Whether a folder's files come before its folders, or both in one order of names. */
  order: 'files-first' | 'by-name';
  /** Gets each folder that was listed. Where it returns false, the folder itself is yielded and nothing below it. */
  enter?: (path: string, entries: readonly FolderEntry[]) => boolean;
  signal?: AbortSignal;
};

/** Returns the entries of one folder, sorted by name. Throws the system's error. */
export async function listFolder(dir: string): Promise<FolderEntry[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  return entries.map((entry) => ({ name: entry.name, ...natureOf(dir, entry) })).sort(byName);
}

/**
 * Yields everything below a folder that is not a folder itself, some entries of one folder at a time. Throws only the
 * signal's reason: a folder that cannot be listed, the first one included, is yielded as `unreadable`.
 */
export async function* walkFolder(
  dir: string,
  { order, enter = () => true, signal }: WalkOptions,
): AsyncGenerator<FoundBelow[]> {
  // A stack, the next one last: folders to list, and files that come after a folder.
  const ahead: Array<string | FoundBelow[]> = [''];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next !== 'string') {
      yield next;
      continue;
    }
    signal?.throwIfAborted();
    const path = next;
    let entries: FolderEntry[];
    try {
      entries = await listFolder(join(dir, path));
    } catch (error) {
      yield [{ path, kind: 'unreadable', error }];
      continue;
    }
    if (!enter(path, entries)) {
      yield [{ path, kind: 'folder', isUtf8: true }];
      continue;
    }
    if (order === 'files-first') {
      entries = [...entries.filter(isNoFolder), ...entries.filter((entry) => !isNoFolder(entry))];
    }
    // One by one: a call takes fewer arguments than a folder may have folders.
    for (const step of stepsOf(path, entries).toReversed()) ahead.push(step);
  }
}

/** Folders by their paths, and the entries between two folders together. */
function stepsOf(folder: string, entries: readonly FolderEntry[]): Array<string | FoundBelow[]> {
  const steps: Array<string | FoundBelow[]> = [];
  for (const { name, kind, isUtf8 } of entries) {
    const path = folder === '' ? name : `${folder}/${name}`;
    const last = steps.at(-1);
    if (kind === 'folder' && isUtf8) steps.push(path);
    else if (Array.isArray(last)) last.push({ path, kind, isUtf8 });
    else steps.push([{ path, kind, isUtf8 }]);
  }
  return steps;
}

const isNoFolder = ({ kind }: FolderEntry): boolean => kind !== 'folder';

function natureOf(dir: string, entry: Dirent): Pick<FolderEntry, 'kind' | 'isUtf8'> {
  // Node replaces bytes that are no UTF-8 with U+FFFD, and nothing has the name that results.
  const isUtf8 = !entry.name.includes('\u{fffd}') || exists(join(dir, entry.name));
  if (entry.isDirectory()) return { kind: 'folder', isUtf8 };
  if (entry.isFile()) return { kind: 'file', isUtf8 };
  return { kind: entry.isSymbolicLink() ? 'link' : 'special', isUtf8 };
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** By UTF-16 code units: the same order on every system and in every locale. */
function byName(a: FolderEntry, b: FolderEntry): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
