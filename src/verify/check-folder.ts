// Verifies a folder against what is expected in it, on all cores, without following a symlink or waiting on a FIFO.
import type { VerifiedFile } from '../contract/reports/files.ts';
import { isHashFailure, openHashPool, type HashPoolOptions } from './hash-pool.ts';
import { filesBelow } from './files-below.ts';
import { verdictRow, type ExpectedFile, type FoundFile } from './verdicts.ts';

export type VerifyOptions = Omit<HashPoolOptions, 'algorithms'>;

/** `isIgnored`: whether a path (relative, with slashes) is no file of the collection. */
export type FolderOptions = VerifyOptions & { isIgnored?: (path: string) => boolean };

/** What is in a folder: every file with its hash, and the folders that were walked through. */
export type FolderContents = { files: FoundFile[]; folders: ReadonlySet<string> };

export type FolderReading = {
  /** Resolves when every file is found; hashing goes on. */
  listed: Promise<void>;
  contents: Promise<FolderContents>;
  /** Ends it early. */
  stop(): Promise<void>;
};

/**
 * Begins to hash every file below `dir`, except those that `isIgnored`. Both promises
 * reject with Fault `disk` where the folder itself cannot be read, `unsafe` where it is none, or the signal's reason.
 */
export function readFolder(dir: string, options: FolderOptions): FolderReading {
  const crew = openHashPool(dir, { ...options, algorithms: ['sha256'] });
  const folders = new Set<string>();
  const regular: string[] = [];
  const others: FoundFile[] = [];
  const listed = (async () => {
    for await (const entries of filesBelow(dir, folders, options.signal)) {
      const files: string[] = [];
      for (const { path, kind } of entries) {
        if (options.isIgnored?.(path) === true) continue;
        if (kind === 'file') files.push(path);
        else others.push({ path, hash: kind === 'closed' ? 'unreadable' : 'special', bytes: 0 });
      }
      for (const path of files) regular.push(path);
      crew.add(files);
    }
  })();
  const contents = listed.then(
    async () => {
      const { hashes, bytes } = await crew.finish();
      const files = regular.map((path, at) => ({ path, hash: hashes[at]!, bytes: bytes[at]! }));
      return { files: files.concat(others), folders };
    },
    async (error: unknown) => {
      await crew.stop();
      throw error;
    },
  );
  // Whoever stops early awaits neither.
  listed.catch(() => undefined);
  contents.catch(() => undefined);
  return { listed, contents, stop: () => crew.stop() };
}

/**
 * One row a file or expectation: what is expected in its order, then files nobody expects. An expectation without a
 * path is met by an unexpected file of its hash.
 */
export function compareFolder(
  expected: readonly ExpectedFile[],
  { files, folders }: FolderContents,
): VerifiedFile[] {
  const placeOf = new Map<string, number>();
  for (let at = 0; at < files.length; at++) placeOf.set(files[at]!.path, at);
  const isWanted = new Uint8Array(files.length);
  for (const { path } of expected) {
    const at = path === null ? undefined : placeOf.get(path);
    if (at !== undefined) isWanted[at] = 1;
  }
  const byHash = expected.some(({ path }) => path === null) ? unwantedByHash(files, isWanted) : undefined;
  const rows: VerifiedFile[] = [];
  for (const row of expected) {
    const at =
      row.path === null ? byHash?.get(row.sha256?.toLowerCase() ?? '')?.shift() : placeOf.get(row.path);
    if (at !== undefined) isWanted[at] = 1;
    rows.push(verdictRow(row, at === undefined ? folderAt(folders, row.path) : files[at]));
  }
  for (let at = 0; at < files.length; at++)
    if (isWanted[at] === 0) rows.push(verdictRow(undefined, files[at]));
  return rows;
}

/** Places in `files`, in their order, by what is there. */
function unwantedByHash(files: readonly FoundFile[], isWanted: Uint8Array): Map<string, number[]> {
  const byHash = new Map<string, number[]>();
  for (const [at, { hash }] of files.entries()) {
    if (isWanted[at] === 1 || isHashFailure(hash)) continue;
    const alike = byHash.get(hash);
    if (alike === undefined) byHash.set(hash, [at]);
    else alike.push(at);
  }
  return byHash;
}

/** A folder under an expected name is there, but it is not the file. */
function folderAt(folders: ReadonlySet<string>, path: string | null): FoundFile | undefined {
  return path !== null && folders.has(path) ? { path, hash: 'special', bytes: 0 } : undefined;
}
