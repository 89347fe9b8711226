// Writes small files: each when its bytes arrive, then many are synced together, and each gets its name once it is known.
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { placeFile, removeQuietly } from '../disk/atomic-file.ts';
import { syncFolder, writeAllSync } from '../disk/durable-write.ts';
import { systemErrorOf, type SystemError } from './disk-jobs.ts';

/** `temporary` is a name in the folder that no file has; `size` is the size by the catalogue. */
export type SmallFile = { temporary: string; sha256: string; size: number | undefined };

/** The name that a file gets. `force`: it may replace another file. */
export type FinalName = { name: string; force: boolean };

/**
 * `kept`: the file has its name. `taken`: another file has the name. `wrong`: the bytes have another hash or size. After
 * the last two nothing is left of the file.
 */
export type StoredFile = { outcome: 'kept' | 'taken' | 'wrong'; sha256: string; bytes: number };

/** Files are distinguished by a key of the caller's. */
export type SmallFileWriter<Key> = {
  /** Returns the number of files that {@link SmallFileWriter.commit} would process. */
  pending(): number;
  /** Hashes and writes a file. The bytes are not needed afterwards. Never throws. */
  add(key: Key, file: SmallFile, bytes: Uint8Array): void;
  /** Must be called once for each file, before its bytes come or any time after. Until then it has its temporary name. */
  setName(key: Key, name: FinalName): void;
  /**
   * Syncs all files that were added, and gives those their names that have one. Returns what became of these, and of the
   * files that failed. On a journalling file system the first sync also writes the data of the others.
   */
  commit(): [Key, StoredFile | SystemError][];
};

type Entry<Key> = {
  key: Key;
  file: SmallFile;
  stored: StoredFile;
  finalName?: FinalName | undefined;
  fd?: number;
  error?: SystemError;
};

/** Returns a writer of small files into the folder `dir`. */
export function createSmallFileWriter<Key>(dir: string): SmallFileWriter<Key> {
  /** Names of files whose bytes are not here yet. */
  const namesAhead = new Map<Key, FinalName>();
  /** Synced files without a name. */
  const unnamed = new Map<Key, Entry<Key>>();
  /** Files that are not synced yet. */
  let written: Entry<Key>[] = [];
  /** Synced files with a name, and failed ones. */
  let ready: Entry<Key>[] = [];

  const attempt = (entry: Entry<Key>, step: () => void): void => {
    try {
      step();
    } catch (error) {
      entry.error ??= systemErrorOf(error);
    }
  };
  const isFailed = ({ error, stored }: Entry<Key>): boolean =>
    error !== undefined || stored.outcome !== 'kept';

  function takeName(entry: Entry<Key>): FinalName | undefined {
    entry.finalName ??= namesAhead.get(entry.key);
    if (entry.finalName !== undefined || isFailed(entry)) namesAhead.delete(entry.key);
    else unnamed.set(entry.key, entry);
    return entry.finalName;
  }
  function syncWritten(): void {
    for (const entry of written) if (!isFailed(entry)) attempt(entry, () => fs.fsyncSync(entry.fd!));
    for (const entry of written) if (entry.fd !== undefined) attempt(entry, () => fs.closeSync(entry.fd!));
    for (const entry of written) if (takeName(entry) !== undefined || isFailed(entry)) ready.push(entry);
    written = [];
  }
  return {
    pending: () => written.length + ready.length,
    add: (key, file, bytes) => {
      const sha256 = hash('sha256', bytes, 'hex');
      const isRight = sha256 === file.sha256 && bytes.length === (file.size ?? bytes.length);
      const stored: StoredFile = { outcome: isRight ? 'kept' : 'wrong', sha256, bytes: bytes.length };
      const entry: Entry<Key> = { key, file, stored };
      written.push(entry);
      if (!isRight) return;
      attempt(entry, () => {
        const { O_WRONLY, O_CREAT, O_EXCL } = fs.constants;
        const fd = fs.openSync(`${dir}/${file.temporary}`, O_WRONLY | O_CREAT | O_EXCL, 0o600);
        entry.fd = fd;
        writeAllSync(fd, bytes);
      });
    },
    setName: (key, name) => {
      const entry = unnamed.get(key);
      if (entry === undefined) namesAhead.set(key, name);
      else {
        unnamed.delete(key);
        entry.finalName = name;
        ready.push(entry);
      }
    },
    commit: () => {
      syncWritten();
      const committed = ready;
      ready = [];
      for (const entry of committed) {
        const { file, finalName, stored } = entry;
        if (isFailed(entry) || finalName === undefined) continue;
        attempt(entry, () => {
          const { name, force } = finalName;
          stored.outcome = placeFile({
            temporary: `${dir}/${file.temporary}`,
            path: `${dir}/${name}`,
            force,
          });
        });
      }
      const synced = new Set<string>();
      for (const entry of committed) {
        if (isFailed(entry)) continue;
        attempt(entry, () => {
          const folder = dirname(`${dir}/${entry.finalName?.name}`);
          if (!synced.has(folder)) syncFolder(folder);
          synced.add(folder);
        });
      }
      for (const entry of committed) {
        if (entry.fd !== undefined && isFailed(entry)) removeQuietly(`${dir}/${entry.file.temporary}`);
      }
      return committed.map(({ key, stored, error }): [Key, StoredFile | SystemError] => [
        key,
        error ?? stored,
      ]);
    },
  };
}
