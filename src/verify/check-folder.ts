// Hashes the files of a folder on all cores, and compares them with what is expected. Follows no symlink, waits on no FIFO.
import type { VerifiedFile } from '../contract/reports/files.ts';
import { isHashFailure, openHashPool, type HashPoolOptions } from './hash-pool.ts';
import { filesBelow } from './files-below.ts';
import { verdictRow, type ExpectedFile, type FoundFile } from './verdicts.ts';

/** Options of the check of a folder. Its hash is always SHA-256. */
export type VerifyOptions = Omit<HashPoolOptions, 'algorithms'>;

/** `isIgnored`: whether a path (relative, with slashes) is no file of the collection. */
export type FolderOptions = VerifyOptions & { isIgnored?: (path: string) => boolean };

/** Every file with its hash, and the paths of the folders. */
export type FolderContents = { files: FoundFile[]; folders: ReadonlySet<string> };

/** A folder while its files are listed and hashed. */
export type FolderReading = {
  /** Resolves when every file is listed; hashing goes on. */
  listed: Promise<void>;
  contents: Promise<FolderContents>;
  /** Ends it early. */
  stop(): Promise<void>;
};

/**
 * Begins to hash every file below `dir` that is not ignored. Both promises reject with Fault 'disk' where the folder
 * cannot be read, 'unsafe' where it is no folder, or the signal's reason.
 */
export function readFolder(dir: string, options: FolderOptions): FolderReading {
  const pool = openHashPool(dir, { ...options, algorithms: ['sha256'] });
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
      pool.add(files);
    }
  })();
  const contents = listed.then(
    async () => {
      const { hashes, bytes } = await pool.finish();
      const files = regular.map((path, at) => ({ path, hash: hashes[at]!, bytes: bytes[at]! }));
      return { files: files.concat(others), folders };
    },
    async (error: unknown) => {
      await pool.stop();
      throw error;
    },
  );
  // A caller that stops early awaits neither.
  listed.catch(() => undefined);
  contents.catch(() => undefined);
  return { listed, contents, stop: () => pool.stop() };
}

/**
 * Returns one line of the report for each expected file, in their order, then for each file that is not expected. An
 * expected file without a path is matched by its hash with a file that is not expected by path.
 */
export function compareFolder(
  expected: readonly ExpectedFile[],
  { files, folders }: FolderContents,
): VerifiedFile[] {
  const indexByPath = new Map<string, number>();
  for (let at = 0; at < files.length; at++) indexByPath.set(files[at]!.path, at);
  const isMatched = new Uint8Array(files.length);
  for (const { path } of expected) {
    const at = path === null ? undefined : indexByPath.get(path);
    if (at !== undefined) isMatched[at] = 1;
  }
  const byHash = expected.some(({ path }) => path === null) ? unmatchedByHash(files, isMatched) : undefined;
  const rows: VerifiedFile[] = [];
  for (const row of expected) {
    const at =
      row.path === null ? byHash?.get(row.sha256?.toLowerCase() ?? '')?.shift() : indexByPath.get(row.path);
    if (at !== undefined) isMatched[at] = 1;
    rows.push(verdictRow(row, at === undefined ? folderAt(folders, row.path) : files[at]));
  }
  for (let at = 0; at < files.length; at++)
    if (isMatched[at] === 0) rows.push(verdictRow(undefined, files[at]));
  return rows;
}

/** Indexes in `files` of those that are not matched, by their hash, in their order. */
function unmatchedByHash(files: readonly FoundFile[], isMatched: Uint8Array): Map<string, number[]> {
  const byHash = new Map<string, number[]>();
  for (const [at, { hash }] of files.entries()) {
    if (isMatched[at] === 1 || isHashFailure(hash)) continue;
    const known = byHash.get(hash);
    if (known === undefined) byHash.set(hash, [at]);
    else known.push(at);
  }
  return byHash;
}

/** Returns a folder that has the expected name: it exists, but it is no file. */
function folderAt(folders: ReadonlySet<string>, path: string | null): FoundFile | undefined {
  return path !== null && folders.has(path) ? { path, hash: 'special', bytes: 0 } : undefined;
}
