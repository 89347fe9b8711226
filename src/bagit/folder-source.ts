// A bag in a folder, as the check reads it: without leaving the folder or following a link.
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../disk/disk-fault.ts';
import { readAtMost } from '../disk/regular-file.ts';
import { Fault } from '../faults.ts';
import {
  openHashPool,
  type HashPoolOptions,
  type HashFailure,
  type FileHashes,
} from '../verify/hash-pool.ts';
import { filesBelow } from '../verify/files-below.ts';

/** The files of a bag, and how to read them. Paths are relative to the base directory of the bag, with `/`. */
export type BagSource = {
  /** Paths of the regular files, relative to the base directory. */
  files: ReadonlySet<string>;
  /** Everything else, and why it is no file. */
  others: ReadonlyMap<string, HashFailure>;
  /** Whether the payload directory exists. */
  hasPayload: boolean;
  /** Notices about the container that change no verdict. */
  oddities: string[];
  /** Returns a whole file. Throws Fault 'unsafe' if it is larger than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  /** Returns the sum of the sizes of these files, without reading them. */
  octets(paths: readonly string[]): Promise<number>;
  hash(paths: readonly string[], options: HashPoolOptions): Promise<FileHashes>;
  close(): void;
};

/** Opens a bag in a folder. Throws Fault 'unsafe' if there is a symlink: a bag must contain its files. */
export async function openFolderSource(dir: string, signal: AbortSignal): Promise<BagSource> {
  const files = new Set<string>();
  const others = new Map<string, HashFailure>();
  const folders = new Set<string>();
  for await (const entries of filesBelow(dir, folders, signal)) {
    for (const { path, kind } of entries) {
      if (kind === 'link') throw new Fault('unsafe', `the bag has a symbolic link, ${path}`);
      if (kind === 'file') files.add(path);
      else others.set(path, kind === 'closed' ? 'unreadable' : 'special');
    }
  }
  return {
    files,
    others,
    hasPayload: folders.has('data'),
    oddities: [],
    read: (path, maxBytes) => readWhole(join(dir, path), path, maxBytes),
    async octets(paths) {
      let sum = 0;
      for (const path of paths) sum += (await lstat(join(dir, path)).catch(() => ({ size: 0 }))).size;
      return sum;
    },
    hash(paths, options) {
      const pool = openHashPool(dir, options);
      pool.add(paths);
      return pool.finish();
    },
    close: () => undefined,
  };
}

async function readWhole(path: string, name: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const bytes = await readAtMost(file, maxBytes);
      if (bytes === undefined) throw tooLarge(name, maxBytes);
      return bytes;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw diskFault(error, name);
  }
}

/** Returns Fault 'unsafe' for a file that must be read into memory and is too large. */
export function tooLarge(name: string, maxBytes: number): Fault {
  return new Fault('unsafe', `${name} is larger than ${maxBytes} bytes`);
}
