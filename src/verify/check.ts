// Verifies a folder against what is expected in it, on all cores, without following a symlink or waiting on a FIFO.
import type { VerifiedFile } from '../contract/report.ts';
import { isFailure, openCrew } from './crew.ts';
import { filesBelow } from './files-below.ts';
import { TEMPORARY } from './keep.ts';
import { MANIFEST_FILE } from './manifest.ts';
import { judge, type Expected, type Observed } from './verdicts.ts';

export type CheckOptions = { signal: AbortSignal; onBytes?: (count: number) => void };

/** What is in a folder: every file with its hash, and the folders that were walked through. */
export type Observation = { files: Observed[]; folders: ReadonlySet<string> };

export type Observing = {
  /** Resolves when every file is found; hashing goes on. */
  listed: Promise<void>;
  observation: Promise<Observation>;
  /** Ends it early. */
  stop(): Promise<void>;
};

/**
 * Begins to hash every file below `dir`. Our manifest and temporaries are no files of the collection. Both promises
 * reject with Fault `disk` where the folder itself cannot be read, `unsafe` where it is none, or the signal's reason.
 */
export function observe(dir: string, options: CheckOptions): Observing {
  const crew = openCrew(dir, { ...options, algorithms: ['sha256'] });
  const folders = new Set<string>();
  const regular: string[] = [];
  const others: Observed[] = [];
  const listed = (async () => {
    for await (const entries of filesBelow(dir, folders, options.signal)) {
      const files: string[] = [];
      for (const { path, kind } of entries) {
        if (isOurs(path)) continue;
        if (kind === 'file') files.push(path);
        else others.push({ path, hash: kind === 'closed' ? 'unreadable' : 'special', bytes: 0 });
      }
      for (const path of files) regular.push(path);
      crew.add(files);
    }
  })();
  const observation = listed.then(
    async () => {
      const { hashes, bytes } = await crew.finish();
      const files = regular.map((path, at) => ({ path, hash: hashes[at]!, bytes: bytes[at]! }));
      return { files: [...files, ...others], folders };
    },
    async (error: unknown) => {
      await crew.stop();
      throw error;
    },
  );
  // Whoever stops early awaits neither.
  listed.catch(() => undefined);
  observation.catch(() => undefined);
  return { listed, observation, stop: () => crew.stop() };
}

/**
 * One row a file or expectation: what is expected in its order, then files nobody expects. An expectation without a
 * path is met by an unexpected file of its hash.
 */
export function compare(expected: readonly Expected[], { files, folders }: Observation): VerifiedFile[] {
  const byPath = new Map(files.map((observed) => [observed.path, observed]));
  const wanted = new Set<Observed>();
  const nameless: Expected[] = [];
  for (const row of expected) {
    const observed = row.path === null ? undefined : byPath.get(row.path);
    if (row.path === null) nameless.push(row);
    else if (observed !== undefined) wanted.add(observed);
  }
  const byHash = new Map<string, Observed[]>();
  if (nameless.length > 0) {
    for (const observed of files) {
      if (wanted.has(observed) || isFailure(observed.hash)) continue;
      const alike = byHash.get(observed.hash);
      if (alike === undefined) byHash.set(observed.hash, [observed]);
      else alike.push(observed);
    }
  }
  const rows = expected.map((row) => {
    const { path } = row;
    const observed =
      path === null
        ? byHash.get(row.sha256?.toLowerCase() ?? '')?.shift()
        : (byPath.get(path) ?? folderAt(folders, path));
    if (path === null && observed !== undefined) wanted.add(observed);
    return judge(row, observed);
  });
  for (const observed of files) if (!wanted.has(observed)) rows.push(judge(undefined, observed));
  return rows;
}

/** A folder under an expected name is there, but it is not the file. */
function folderAt(folders: ReadonlySet<string>, path: string): Observed | undefined {
  return folders.has(path) ? { path, hash: 'special', bytes: 0 } : undefined;
}

const isOurs = (path: string) => path === MANIFEST_FILE || TEMPORARY.test(path);
