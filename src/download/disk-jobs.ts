// What is done to files of a pull, call by call, in a thread of its own or here: hashing, syncing, giving a name.
import { createHash, type Hash } from 'node:crypto';
import * as fs from 'node:fs';
import { commitFile } from '../disk/atomic-file.ts';

/** A system error that crossed threads. */
export type SystemError = { code: string | undefined; errno: number | undefined; message: string };

export type DiskJob =
  /** Hashes an open file on to this size; it is read back, so what is hashed is what is there. */
  | { kind: 'hash'; fd: number; to: number }
  /** The hash so far, in hex; unless it goes on, the file is forgotten. */
  | { kind: 'digest'; fd: number; goesOn: boolean }
  | { kind: 'settle'; fd: number; temporary: string; path: string; force: boolean };

export type DiskJobResult = { text: string } | { failed: SystemError };

const CHUNK_BYTES = 1024 * 1024;

/** Never throws. */
export function createDiskJobRunner(): (job: DiskJob) => DiskJobResult {
  const hashes = new Map<number, { hash: Hash; at: number }>();
  let chunk: Buffer | undefined;

  function hashTo(fd: number, to: number): void {
    const known = hashes.get(fd) ?? { hash: createHash('sha256'), at: 0 };
    hashes.set(fd, known);
    chunk ??= Buffer.allocUnsafeSlow(CHUNK_BYTES);
    while (known.at < to) {
      const count = fs.readSync(fd, chunk, 0, Math.min(CHUNK_BYTES, to - known.at), known.at);
      if (count === 0) throw Object.assign(new Error('the file became shorter'), { code: 'EIO' });
      known.hash.update(chunk.subarray(0, count));
      known.at += count;
    }
  }
  function digest(fd: number, goesOn: boolean): string {
    const { hash } = hashes.get(fd) ?? { hash: createHash('sha256') };
    if (goesOn) return hash.copy().digest('hex');
    hashes.delete(fd);
    return hash.digest('hex');
  }
  return (job) => {
    try {
      if (job.kind === 'digest') return { text: digest(job.fd, job.goesOn) };
      if (job.kind === 'settle') return { text: commitFile(job, job.fd) };
      hashTo(job.fd, job.to);
      return { text: '' };
    } catch (error) {
      return { failed: systemErrorOf(error) };
    }
  };
}

export function systemErrorOf(error: unknown): SystemError {
  const { code, errno, message } = error as NodeJS.ErrnoException;
  return { code, errno, message };
}
