// The work of one hash worker: takes the next file of the shared list, hashes it in one read, and reports it.
import { createHash, hash as hashOf } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * `next` is the index of the next file. All workers share it: each takes the index that it finds there, so no worker
 * waits for another.
 */
export type HashWorkerOptions = {
  dir: string;
  algorithms: readonly string[];
  next: Int32Array<SharedArrayBuffer>;
};

/** Paths that follow those of earlier orders, relative to the folder, separated by NUL. */
export type HashOrder = string;

/**
 * Results of some files. `at`: their indexes. `found`: their hashes in the order of the algorithms, separated by spaces,
 * or a {@link HashFailure}. `bytes`: their sizes. `read`: bytes that were read since the last batch.
 */
export type HashBatch = { at: number[]; found: string[]; bytes: number[]; read: number };

const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Small enough to stay in a core's own cache between the read and the hash. */
const CHUNK_BYTES = 512 * 1024;
const MAX_FILES_PER_BATCH = 256;
const MAX_UNREPORTED_BYTES = 16 * 1024 * 1024;

/**
 * Returns a function that runs an order; it gives the results to `onBatch`. Follows no symlink at the end of a path and
 * never waits on a FIFO. A file is `changed` if its size or modification time differ after the last read: no state of the
 * file may have the hash.
 */
export function createHashRunner(
  { dir, algorithms, next }: HashWorkerOptions,
  onBatch: (batch: HashBatch) => void,
): (order: HashOrder) => void {
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  const paths: string[] = [];
  let taken = Atomics.add(next, 0, 1);
  let batch: HashBatch = { at: [], found: [], bytes: [], read: 0 };
  const report = (): void => {
    onBatch(batch);
    batch = { at: [], found: [], bytes: [], read: 0 };
  };

  const hashFile = (path: string): { found: string; bytes: number } => {
    let fd: number;
    try {
      fd = openSync(`${dir}/${path}`, OPEN_FLAGS);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // ELOOP: a symlink. ENXIO: a socket, or a device without a driver.
      return { found: code === 'ELOOP' || code === 'ENXIO' ? 'special' : 'unreadable', bytes: 0 };
    }
    try {
      const before = fstatSync(fd);
      if (!before.isFile()) return { found: 'special', bytes: 0 };
      const isSame = (bytes: number): boolean => {
        const { mtimeMs, size } = fstatSync(fd);
        return mtimeMs === before.mtimeMs && size === bytes && before.size === bytes;
      };
      let count = readSync(fd, chunk, 0, chunk.length, null);
      if (count < chunk.length && count === before.size) {
        const whole = chunk.subarray(0, count);
        batch.read += count;
        if (!isSame(count)) return { found: 'changed', bytes: count };
        return { found: algorithms.map((name) => hashOf(name, whole, 'hex')).join(' '), bytes: count };
      }
      const hashes = algorithms.map((name) => createHash(name));
      let bytes = 0;
      while (count > 0) {
        const piece = count === chunk.length ? chunk : chunk.subarray(0, count);
        for (const each of hashes) each.update(piece);
        bytes += count;
        batch.read += count;
        if (batch.read >= MAX_UNREPORTED_BYTES) report();
        count = bytes === before.size ? 0 : readSync(fd, chunk, 0, chunk.length, null);
      }
      return { found: isSame(bytes) ? hashes.map((each) => each.digest('hex')).join(' ') : 'changed', bytes };
    } catch {
      return { found: 'unreadable', bytes: 0 };
    } finally {
      closeSync(fd);
    }
  };

  return (order) => {
    for (const path of order.split('\0')) paths.push(path);
    while (taken < paths.length) {
      const { found, bytes } = hashFile(paths[taken]!);
      batch.at.push(taken);
      batch.found.push(found);
      batch.bytes.push(bytes);
      if (batch.at.length >= MAX_FILES_PER_BATCH) report();
      taken = Atomics.add(next, 0, 1);
    }
    report();
  };
}
