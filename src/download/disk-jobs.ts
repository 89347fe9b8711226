// What is done to files of a pull, call by call, in a thread of its own or here: hashing, syncing, giving a name.
import { createHash, type Hash } from 'node:crypto';
import * as fs from 'node:fs';

/** A system error that crossed threads. */
export type SystemError = { code: string | undefined; errno: number | undefined; message: string };

export type DiskJob =
  /** Hashes an open file on to this size; it is read back, so what is hashed is what is there. */
  | { kind: 'hash'; fd: number; to: number }
  /** The hash so far, in hex; unless it goes on, the file is forgotten. */
  | { kind: 'digest'; fd: number; goesOn: boolean }
  | { kind: 'settle'; fd: number; dir: string; temporary: string; path: string; force: boolean };

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
      if (job.kind === 'settle') {
        fs.fsyncSync(job.fd);
        const outcome = settle(job);
        syncFolder(job.dir);
        return { text: outcome };
      }
      hashTo(job.fd, job.to);
      return { text: '' };
    } catch (error) {
      return { failed: systemErrorOf(error) };
    }
  };
}

/** Gives the name. link() refuses one that exists; a file system without links gets one more look. */
export function settle({
  temporary,
  path,
  force,
}: {
  temporary: string;
  path: string;
  force: boolean;
}): 'kept' | 'taken' {
  if (force) {
    fs.renameSync(temporary, path);
    return 'kept';
  }
  try {
    fs.linkSync(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return 'taken';
    if (!isWithoutLinks(code)) throw error;
    return replaceReserved(temporary, path);
  }
  removeQuietly(temporary);
  return 'kept';
}

/** What link() says on a file system that has no links. */
export function isWithoutLinks(code: string | undefined): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code ?? '');
}

/** Opening the name exclusively reserves it, then our own empty file is replaced. */
function replaceReserved(temporary: string, path: string): 'kept' | 'taken' {
  try {
    fs.closeSync(fs.openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'taken';
    throw error;
  }
  fs.renameSync(temporary, path);
  return 'kept';
}

export function syncFolder(dir: string): void {
  const fd = fs.openSync(dir, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

export function removeQuietly(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch {
    // Gone already, or to be removed by the next run.
  }
}

export function systemErrorOf(error: unknown): SystemError {
  const { code, errno, message } = error as NodeJS.ErrnoException;
  return { code, errno, message };
}
