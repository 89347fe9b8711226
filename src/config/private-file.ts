// Files only their owner may read: read without following or blocking, replaced whole or not at all, durable on return.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { writeFileAtomically } from '../disk/atomic-file.ts';
import { closeQuietly, syncFolder } from '../disk/durable-write.ts';
import { makeFolderSync, NO_FOLDERS } from '../disk/make-folder.ts';
import { Fault } from '../faults.ts';

/** What small stores need of the world around them. */
export type StoreWorld = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so many milliseconds; may reject to interrupt a wait. */
  sleep(ms: number): Promise<void>;
  randomBytes(count: number): Uint8Array;
  pid: number;
  /** Whether a process with this id exists, whoever owns it. */
  running(pid: number): boolean;
  /** Our user id; undefined where the system has none, and owners and modes are then not checked. */
  uid: number | undefined;
  /** Told one line about what was mended in passing. */
  notice(text: string): void;
};

const MAX_PRIVATE_FILE_BYTES = 4 * 1024 * 1024;
const { O_RDONLY } = fs.constants;
// Windows knows neither; there the checks after opening must do.
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0;
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0;

/**
 * Bytes of a private file, undefined where there is none. A mode open to others is mended to 0600 with a notice.
 * Throws a store Fault for a link, FIFO, socket, folder, another owner's file or one over 4 MiB.
 */
export function readPrivate(path: string, world: Pick<StoreWorld, 'uid' | 'notice'>): Buffer | undefined {
  let descriptor: number;
  try {
    // O_NONBLOCK: a FIFO without a writer would hold us for ever.
    descriptor = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Fault('store', `cannot read ${path} (${reasonOf(error)})`, { cause: error });
  }
  try {
    const stat = fs.fstatSync(descriptor);
    if (!stat.isFile()) throw new Fault('store', `${path} is not a regular file; it was not read`);
    if (world.uid !== undefined && stat.uid !== world.uid) {
      throw new Fault('store', `${path} belongs to another user; it was not read`);
    }
    if (stat.size > MAX_PRIVATE_FILE_BYTES)
      throw new Fault('store', `${path} is larger than 4 MiB; it was not read`);
    if (world.uid !== undefined) closeToOthers(descriptor, path, stat.mode, world.notice);
    return readAll(descriptor, stat.size);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('store', `cannot read ${path} (${reasonOf(error)})`, { cause: error });
  } finally {
    closeQuietly(descriptor);
  }
}

function closeToOthers(descriptor: number, path: string, mode: number, notice: (text: string) => void): void {
  if ((mode & 0o077) === 0) return;
  const was = (mode & 0o777).toString(8).padStart(4, '0');
  try {
    fs.fchmodSync(descriptor, 0o600);
    notice(`${path} was open to others (mode ${was}); it is 0600 now`);
  } catch {
    notice(`${path} is open to others (mode ${was}) and that cannot be changed`);
  }
}

function readAll(descriptor: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let done = 0;
  while (done < size) {
    const read = fs.readSync(descriptor, bytes, done, size - done, null);
    if (read === 0) break;
    done += read;
  }
  return bytes.subarray(0, done);
}

/** Creates the folder with mode 0700, and closes an open one with a notice. Throws a store or disk Fault. */
export function ensurePrivateFolder(path: string, world: Pick<StoreWorld, 'uid' | 'notice'>): void {
  try {
    for (const made of makeFolderSync(path, 0o700)) syncFolder(dirname(made));
    if (world.uid === undefined) return;
    const stat = fs.statSync(path);
    if (stat.uid !== world.uid) {
      throw new Fault('store', `folder ${path} belongs to another user; nothing was written there`);
    }
    if ((stat.mode & 0o077) === 0) return;
    fs.chmodSync(path, 0o700);
    world.notice(`folder ${path} was open to others; its mode is 0700 now`);
  } catch (error) {
    throw writeFault(error, path);
  }
}

/**
 * Replaces the file at `path` in one step: after any failure, kill or power loss it holds the old bytes or the new.
 * `identity` is in the temporary file's name, so that `leftoversOf` can tell a dead writer's. The caller holds the lock.
 * Throws a store or disk Fault.
 */
export function replacePrivate(path: string, bytes: Uint8Array, identity: string): void {
  try {
    writeFileAtomically({ temporary: `${path}.tmp-${identity}`, path, force: true }, bytes);
  } catch (error) {
    throw writeFault(error, path);
  }
}

/** Removes a file or folder if it can. What stays is left for the next writer to remove. Never throws. */
export function removeAllQuietly(path: string): void {
  try {
    fs.rmSync(path, { recursive: true, force: true });
  } catch {
    // Not removable now.
  }
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}

const REASONS: Record<string, string> = {
  ENOSPC: 'no space left',
  EDQUOT: 'disk quota exceeded',
  EIO: 'input/output error',
  EROFS: 'read-only file system',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ELOOP: 'it is a symbolic link',
  ENOTDIR: 'a file stands where a folder should be',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  [NO_FOLDERS]: 'no such file or folder, and none can be made',
};

export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return REASONS[code] ?? code;
}

/** A place that may not be written is the store's fault (15); a disk that will not take it is the disk's (14). */
export function writeFault(error: unknown, path: string): Fault {
  if (error instanceof Fault) return error;
  const refused = ['EACCES', 'EPERM', 'EROFS', 'ELOOP', 'ENOTDIR', 'EISDIR', 'EEXIST'].includes(
    codeOf(error),
  );
  return new Fault(refused ? 'store' : 'disk', `${path} not saved: ${reasonOf(error)}`, {
    kept: 'what was stored before is unchanged',
    cause: error,
  });
}
