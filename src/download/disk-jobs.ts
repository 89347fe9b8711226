// Blocking work on downloaded files: hashing, and giving a file its name. Runs in the disk worker, or in this thread.
import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { commitFile, type PendingFile } from '../disk/atomic-file.ts';

/** A system error as it crosses threads. */
export type SystemError = { code: string | undefined; errno: number | undefined; message: string };

/** Files are given by descriptors, which threads of a process share. */
export type DiskJob =
  /** Hashes a file up to the offset `to`. It reads the file back, so the hash is of what is on the disk. */
  | { kind: 'hash'; fd: number; to: number }
  /** Returns the SHA-256 of what was hashed so far, in hex. Unless `keep` is set, the file is forgotten. */
  | { kind: 'digest'; fd: number; keep: boolean }
  /** Gives a file its name and returns 'kept' or 'taken', see {@link commitFile}. */
  | ({ kind: 'commit'; fd: number } & PendingFile);

/** What the disk worker is started with. After `stopped` became 1 it begins no job, and ends a hash. */
export type DiskWorkerData = { stopped: Int32Array };

/** The result of a job: its text, or the system error that it failed with. */
export type DiskJobResult = { text: string } | { error: SystemError };

const CHUNK_BYTES = 1024 * 1024;

/** Returns a function that runs one job after the other. It never throws. A hash ends early once `isStopped` says so. */
export function createDiskJobRunner(isStopped = (): boolean => false): (job: DiskJob) => DiskJobResult {
  const hashes = new Map<number, { hash: Hash; at: number }>();
  let chunk: Buffer | undefined;

  function hashTo(fd: number, to: number): void {
    const known = hashes.get(fd) ?? { hash: createHash('sha256'), at: 0 };
    hashes.set(fd, known);
    chunk ??= Buffer.allocUnsafeSlow(CHUNK_BYTES);
    while (known.at < to && !isStopped()) {
      const count = readSync(fd, chunk, 0, Math.min(CHUNK_BYTES, to - known.at), known.at);
      if (count === 0) throw Object.assign(new Error('the file became shorter'), { code: 'EIO' });
      known.hash.update(chunk.subarray(0, count));
      known.at += count;
    }
  }
  function digest(fd: number, keep: boolean): string {
    const { hash } = hashes.get(fd) ?? { hash: createHash('sha256') };
    if (keep) return hash.copy().digest('hex');
    hashes.delete(fd);
    return hash.digest('hex');
  }
  return (job) => {
    try {
      if (job.kind === 'digest') return { text: digest(job.fd, job.keep) };
      if (job.kind === 'commit') return { text: commitFile(job, job.fd) };
      hashTo(job.fd, job.to);
      return { text: '' };
    } catch (error) {
      return { error: systemErrorOf(error) };
    }
  };
}

/** Returns the fields of a system error that cross threads. */
export function systemErrorOf(error: unknown): SystemError {
  const { code, errno, message } = error as NodeJS.ErrnoException;
  return { code, errno, message };
}
