// What a thread of a crew does: it takes the next file of a shared list, hashes it in one read and tells what it saw.
import { createHash, hash as hashOf } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** `next` is shared by all threads of a crew: each takes the index it finds there, so none waits for another. */
export type HashWorkerOptions = {
  dir: string;
  algorithms: readonly string[];
  next: Int32Array<SharedArrayBuffer>;
};

/** Paths that follow those already sent, relative to the folder and separated by NUL. */
export type HashOrder = string;

/**
 * What became of some files: `at` is their index, `found` their hashes in the order of the algorithms, separated by
 * spaces, or why there are none; `bytes` their size. `read` counts bytes since the last answer.
 */
export type HashBatch = { at: number[]; found: string[]; bytes: number[]; read: number };

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Small enough to stay in a core's own cache between the read and the hash. */
const CHUNK_BYTES = 512 * 1024;
const MAX_FILES_PER_BATCH = 256;
const MAX_UNREPORTED_BYTES = 16 * 1024 * 1024;

/**
 * Gives what is to be called with each order. Never follows a symlink at the end of a path and never waits on a FIFO. A
 * file of more than one read whose size or time of change differs after it is `changed`; of it no hash is told, for it
 * would be of no one state of the file.
 */
export function createHashRunner(
  { dir, algorithms, next }: HashWorkerOptions,
  told: (answer: HashBatch) => void,
): (order: HashOrder) => void {
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  const paths: string[] = [];
  let claimed = Atomics.add(next, 0, 1);
  let answer: HashBatch = { at: [], found: [], bytes: [], read: 0 };
  const tell = (): void => {
    told(answer);
    answer = { at: [], found: [], bytes: [], read: 0 };
  };

  const look = (path: string): { found: string; bytes: number } => {
    let fd: number;
    try {
      fd = openSync(`${dir}/${path}`, FLAGS);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A symlink; a socket or a device without a driver.
      return { found: code === 'ELOOP' || code === 'ENXIO' ? 'special' : 'unreadable', bytes: 0 };
    }
    try {
      let count = readSync(fd, chunk, 0, chunk.length, null);
      const before = fstatSync(fd);
      if (!before.isFile()) return { found: 'special', bytes: 0 };
      if (count < chunk.length && count === before.size) {
        const whole = chunk.subarray(0, count);
        answer.read += count;
        return { found: algorithms.map((name) => hashOf(name, whole, 'hex')).join(' '), bytes: count };
      }
      const hashes = algorithms.map((name) => createHash(name));
      let bytes = 0;
      while (count > 0) {
        const piece = count === chunk.length ? chunk : chunk.subarray(0, count);
        for (const each of hashes) each.update(piece);
        bytes += count;
        answer.read += count;
        if (answer.read >= MAX_UNREPORTED_BYTES) tell();
        count = bytes === before.size ? 0 : readSync(fd, chunk, 0, chunk.length, null);
      }
      const after = fstatSync(fd);
      const same = after.mtimeMs === before.mtimeMs && after.size === bytes && before.size === bytes;
      return { found: same ? hashes.map((each) => each.digest('hex')).join(' ') : 'changed', bytes };
    } catch {
      return { found: 'unreadable', bytes: 0 };
    } finally {
      closeSync(fd);
    }
  };

  return (order) => {
    for (const path of order.split('\0')) paths.push(path);
    while (claimed < paths.length) {
      const { found, bytes } = look(paths[claimed]!);
      answer.at.push(claimed);
      answer.found.push(found);
      answer.bytes.push(bytes);
      if (answer.at.length >= MAX_FILES_PER_BATCH) tell();
      claimed = Atomics.add(next, 0, 1);
    }
    tell();
  };
}
