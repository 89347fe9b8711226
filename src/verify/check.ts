// Verifies a folder against what is expected in it, file after file, without following a symlink or waiting on a FIFO.
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../faults.ts';
import type { VerifiedFile } from '../contract/report.ts';
import { digestFile } from './digest.ts';
import { diskFault } from '../disk-fault.ts';
import { TEMPORARY } from './keep.ts';
import { inLanes } from './lanes.ts';
import { MANIFEST_FILE } from './manifest.ts';
import { judge, type Expected, type Observed } from './verdicts.ts';

export type CheckOptions = { signal: AbortSignal; onBytes?: (count: number) => void };

/** Files hashed at once: libuv reads in the background while the other is hashed. */
const AT_ONCE = 2;

/**
 * One row a file or expectation: expected files as they are met, then files nobody expects, then what is missing.
 * An expectation without a path is met by an unexpected file of its hash. Our manifest and temporaries are no files of
 * the collection. Fault `disk` where the folder itself cannot be read, `unsafe` where it is none.
 */
export async function* checkFolder(
  dir: string,
  expected: readonly Expected[],
  options: CheckOptions,
): AsyncGenerator<VerifiedFile> {
  const byPath = new Map<string, Expected[]>();
  for (const row of expected) if (row.path !== null) push(byPath, row.path, row);
  const met = new Set<string>();
  const unexpected = new Set<Observed>();
  const byHash = new Map<string, Observed[]>();
  const folders = new Set<string>();
  for await (const observed of observe(dir, folders, options)) {
    met.add(observed.path);
    const rows = byPath.get(observed.path) ?? [];
    for (const row of rows) yield judge(row, observed);
    if (rows.length > 0) continue;
    unexpected.add(observed);
    if (observed.state === 'read') push(byHash, observed.sha256, observed);
  }
  for (const row of expected) {
    if (row.path !== null && met.has(row.path)) continue;
    const found =
      row.path === null ? byHash.get(row.sha256?.toLowerCase() ?? '')?.shift() : folderAt(folders, row.path);
    if (found !== undefined) unexpected.delete(found);
    yield judge(row, found);
  }
  for (const observed of unexpected) yield judge(undefined, observed);
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** A folder under an expected name is there, but it is not the file. */
function folderAt(folders: ReadonlySet<string>, path: string): Observed | undefined {
  return folders.has(path) ? { path, state: 'special' } : undefined;
}

/** Folders that were walked through are added to `folders`. */
function observe(dir: string, folders: Set<string>, options: CheckOptions): AsyncGenerator<Observed> {
  return inLanes(filesOf(dir, '', folders), AT_ONCE, async (entry) => {
    options.signal.throwIfAborted();
    return entry.regular ? look(dir, entry.path, options) : unread(entry);
  });
}

type Entry = { path: string; regular: boolean; closed?: boolean };

const unread = ({ path, closed }: Entry): Observed => ({
  path,
  state: closed === true ? 'unreadable' : 'special',
});

async function look(dir: string, path: string, options: CheckOptions): Promise<Observed> {
  try {
    const { changed, sha256, bytes } = await digestFile(join(dir, path), options);
    return changed ? { path, state: 'changed' } : { path, state: 'read', sha256, bytes };
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof Fault || (error as NodeJS.ErrnoException).code === 'ELOOP')
      return { path, state: 'special' };
    return { path, state: 'unreadable' };
  }
}

/** Everything below a folder but folders, in name order. A folder that cannot be read is named as unreadable. */
async function* filesOf(dir: string, below: string, folders: Set<string>): AsyncGenerator<Entry> {
  folders.add(below);
  const entries = [];
  try {
    for await (const entry of await opendir(join(dir, below))) entries.push(entry);
  } catch (error) {
    if (below === '') throw diskFault(error, dir);
    yield { path: below, regular: false, closed: true };
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* filesOf(dir, path, folders);
    else if (!isOurs(path)) yield { path, regular: entry.isFile() };
  }
}

const isOurs = (path: string) => path === MANIFEST_FILE || TEMPORARY.test(path);
