// Files that only their owner may read: read without following links, replaced in one step.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { writeFileAtomically } from '../disk/atomic-file.ts';
import { closeQuietly, syncFolder } from '../disk/durable-write.ts';
import { makeFolderSync, NO_FOLDERS } from '../disk/make-folder.ts';
import { Fault } from '../faults.ts';

/** What the stores of settings and tokens need of the system. */
export type StoreWorld = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after this many milliseconds. May reject to interrupt the wait. */
  sleep(ms: number): Promise<void>;
  randomBytes(count: number): Uint8Array;
  pid: number;
  /** Whether a process with this id exists, whoever owns it. */
  running(pid: number): boolean;
  /** Our user id. Undefined where the system has none; owners and modes are not checked then. */
  uid: number | undefined;
  /** Writes one line for the user about something that was corrected. */
  notice(text: string): void;
};

const MAX_PRIVATE_FILE_BYTES = 4 * 1024 * 1024;
const { O_RDONLY } = fs.constants;
// Windows has neither; there only the checks after opening apply.
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0;
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0;

/**
 * Returns the bytes of a private file, undefined where there is none. A mode that lets others read is changed to 0600 with a
 * notice. Throws Fault 'store' for a link, FIFO, socket, folder, a file of another owner or one over 4 MiB, and
 * Fault 'disk' where too many files are open.
 */
export function readPrivate(path: string, world: Pick<StoreWorld, 'uid' | 'notice'>): Buffer | undefined {
  let descriptor: number;
  try {
    // Without O_NONBLOCK, opening a FIFO that has no writer would block for ever.
    descriptor = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw readFault(error, path);
  }
  try {
    const stat = fs.fstatSync(descriptor);
    if (!stat.isFile()) throw new Fault('store', `${path} is not a regular file; it was not read`);
    if (world.uid !== undefined && stat.uid !== world.uid) {
      throw new Fault('store', `${path} belongs to another user; it was not read`);
    }
    if (stat.size > MAX_PRIVATE_FILE_BYTES)
      throw new Fault('store', `${path} is larger than 4 MiB; it was not read`);
    if (world.uid !== undefined) restrictToOwner(descriptor, path, stat.mode, world.notice);
    return readAll(descriptor, stat.size);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw readFault(error, path);
  } finally {
    closeQuietly(descriptor);
  }
}

/** Returns Fault 'disk' where this process or machine has too many open files, which says nothing about the file; else 'store'. */
function readFault(error: unknown, path: string): Fault {
  const kind = ['EMFILE', 'ENFILE'].includes(codeOf(error)) ? 'disk' : 'store';
  return new Fault(kind, `cannot read ${path} (${reasonOf(error)})`, { cause: error });
}

function restrictToOwner(
  descriptor: number,
  path: string,
  mode: number,
  notice: (text: string) => void,
): void {
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

/** Makes a folder with mode 0700. An existing one keeps its mode. Throws Fault 'store' or 'disk'. */
export function ensureFolder(path: string): void {
  try {
    makeDurableFolder(path);
  } catch (error) {
    throw writeFault(error, path);
  }
}

function makeDurableFolder(path: string): void {
  for (const made of makeFolderSync(path, 0o700)) syncFolder(dirname(made));
}

/** Makes a folder with mode 0700; an existing one that others may read gets that mode with a notice. Throws Fault 'store' or 'disk'. */
export function ensurePrivateFolder(path: string, world: Pick<StoreWorld, 'uid' | 'notice'>): void {
  try {
    makeDurableFolder(path);
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

/** Returns the code of a system error. */
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
  ENOTDIR: 'a file is in the place of the folder',
  EEXIST: 'a file is in the place of the folder',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  [NO_FOLDERS]: 'no such file or folder, and none can be made',
};

/** Returns what a system error means, else its code. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return REASONS[code] ?? code;
}

/** Returns an error as a Fault: 'store' where the place may not be written, 'disk' where the disk failed or is full. */
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
