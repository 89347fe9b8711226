// A bag as its check sees it: the files below its base directory, read and hashed without leaving it or following a link.
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../disk/disk-fault.ts';
import { Fault } from '../faults.ts';
import {
  openHashPool,
  type HashPoolOptions,
  type HashFailure,
  type FileHashes,
} from '../verify/hash-pool.ts';
import { filesBelow } from '../verify/files-below.ts';

export type BagSource = {
  /** Paths of the regular files, relative to the base directory. */
  files: ReadonlySet<string>;
  /** What else is there, and why it is no file. */
  others: ReadonlyMap<string, HashFailure>;
  /** Whether there is a payload directory. */
  hasPayload: boolean;
  /** Odd things about the container that change no verdict. */
  oddities: string[];
  /** A whole file; Fault `unsafe` when it is larger than `most` bytes. */
  read(path: string, most: number): Promise<Uint8Array>;
  /** Sum of the sizes of these files, without reading them. */
  octets(paths: readonly string[]): Promise<number>;
  hash(paths: readonly string[], options: HashPoolOptions): Promise<FileHashes>;
  close(): void;
};

/** Fault `unsafe` where a link stands in the folder: a bag holds what is in it, not what its links lead to. */
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
    read: (path, most) => readWhole(join(dir, path), path, most),
    async octets(paths) {
      let sum = 0;
      for (const path of paths) sum += (await lstat(join(dir, path)).catch(() => ({ size: 0 }))).size;
      return sum;
    },
    hash(paths, options) {
      const crew = openHashPool(dir, options);
      crew.add(paths);
      return crew.finish();
    },
    close: () => undefined,
  };
}

async function readWhole(path: string, name: string, most: number): Promise<Uint8Array> {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      if ((await file.stat()).size > most) throw tooLarge(name, most);
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw diskFault(error, name);
  }
}

export function tooLarge(name: string, most: number): Fault {
  return new Fault('unsafe', `${name} is larger than ${most} bytes`);
}
