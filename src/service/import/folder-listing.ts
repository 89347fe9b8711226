// Lists what lies in a folder, in the order of names, and says of each entry that is not read why.
import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { byName, reasonOf } from './named-files.ts';

export type Listed = { name: string; at: string } & (
  { is: 'file' } | { is: 'folder' } | { is: 'refused'; reason: string }
);

/** Throws the file system's error where the folder cannot be listed. Links are not followed. */
export async function entriesOf(folder: string): Promise<Listed[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort(byName);
  return entries.map((entry) => {
    const { name } = entry;
    const at = join(folder, name);
    const refused = (reason: string): Listed => ({ name, at, is: 'refused', reason });
    // Bytes that are no UTF-8 come as U+FFFD, under which there is nothing.
    if (name.includes('\u{fffd}') && !exists(at)) return refused('has a name that is not UTF-8');
    if (entry.isDirectory()) return { name, at, is: 'folder' };
    if (entry.isFile()) return { name, at, is: 'file' };
    return refused(entry.isSymbolicLink() ? 'is a link' : 'is not a regular file');
  });
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A file below a folder, or what is not read there; `relative` is its path in it, with `/`. */
export type Found = { at: string; relative: string; refusal?: string };

/** A Maildir that was met on the way, whose inside is not listed. */
export type FoundMaildir = { at: string; maildir: true };

/** All files below a folder, each folder in the order of names. Never throws. */
export async function* filesBelow(
  folder: string,
  { maildirs }: { maildirs: boolean },
  prefix = '',
): AsyncGenerator<Found | FoundMaildir> {
  let entries: Listed[];
  try {
    entries = await entriesOf(folder);
  } catch (error) {
    yield { at: folder, relative: prefix, refusal: reasonOf(error) };
    return;
  }
  if (maildirs && isMaildir(entries)) {
    yield { at: folder, maildir: true };
    return;
  }
  for (const entry of entries) {
    const { at, name } = entry;
    const relative = prefix === '' ? name : `${prefix}/${name}`;
    if (entry.is === 'folder') yield* filesBelow(at, { maildirs }, relative);
    else if (entry.is === 'file') yield { at, relative };
    else yield { at, relative, refusal: entry.reason };
  }
}

export function isMaildir(entries: readonly Listed[]): boolean {
  const has = (name: string) => entries.some((entry) => entry.name === name && entry.is === 'folder');
  return has('cur') && has('new');
}
