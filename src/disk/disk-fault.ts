// Turns errors of the file system into Faults with readable messages.
import { shownPath } from './held-paths.ts';
import { NO_FOLDERS } from './make-folder.ts';
import { Fault } from '../faults.ts';

/** EDQUOT on Linux. Node has no name for it. */
const EDQUOT_LINUX_ERRNO = -122;
const REASONS: Record<string, string> = {
  ENOSPC: 'no space left on the device',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'file size limit exceeded',
  EIO: 'input/output error',
  EROFS: 'read-only file system',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files in the system',
  [NO_FOLDERS]: 'no such file or folder, and none can be made',
  ENOENT: 'no such file or folder',
  ENAMETOOLONG: 'name too long',
};
const OF_THE_DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS']);
/** Something else has the name. arx replaces and follows nothing, so this is `unsafe` and not `disk`. */
const UNSAFE: Record<string, string> = {
  ENOTDIR: 'not a folder',
  ELOOP: 'a symbolic link',
  EEXIST: 'exists already',
  ENXIO: 'not a regular file',
  EISDIR: 'is a folder',
};

/** This user may not read it. */
const FORBIDDEN: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);
const FORBIDDEN_HINT = 'make it and its folders readable for this user, as with chmod u+rX, or move it away';
/** With these the name is right. */
const NOT_OF_THE_NAME: ReadonlySet<string> = new Set([...FORBIDDEN, 'EIO', 'EMFILE', 'ENFILE']);

/** Returns the Fault for a file that the user named and that cannot be read: `usage` where the name may be wrong, else `disk`. */
export function unreadableInput(what: string, error: unknown): Fault {
  const reason = unreadableReason(error);
  const { code = '' } = error as NodeJS.ErrnoException;
  return new Fault(
    NOT_OF_THE_NAME.has(code) ? 'disk' : 'usage',
    `cannot read ${what}${reason === undefined ? '' : ` (${reason})`}`,
    { cause: error, ...(FORBIDDEN.has(code) ? { hint: FORBIDDEN_HINT } : {}) },
  );
}

/** Returns what is wrong with a file that cannot be read, in words; undefined for an error without a system code. */
export function unreadableReason(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? undefined : (UNSAFE[code] ?? REASONS[code] ?? code.toLowerCase());
}

/** Returns why the disk refuses every file of a run, in words, where that is why a Fault came: it is full, read-only or broken. */
export function diskReason({ kind, detail }: Fault): string | undefined {
  const { code, errno } = (detail.cause ?? {}) as NodeJS.ErrnoException;
  if (kind !== 'disk' || code === undefined) return undefined;
  const known = errno === EDQUOT_LINUX_ERRNO ? 'EDQUOT' : code;
  return OF_THE_DISK.has(known) ? REASONS[known] : undefined;
}

/** Returns the Fault for the missing folder of a file that is to be written. It is not made: its name may be mistyped. */
export function noFolderFault(dir: string): Fault {
  return new Fault('disk', `${dir}: no such folder`, { hint: 'make it first, or correct the name' });
}

/** Returns the error of reading a file, as {@link diskFault}, with what to do where this user may not read it. */
export function readFault(error: unknown, path: string): unknown {
  const fault = diskFault(error, path);
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException;
  if (fault instanceof Fault && FORBIDDEN.has(code)) fault.detail.hint ??= FORBIDDEN_HINT;
  return fault;
}

/**
 * Returns an error of the file system as a Fault `disk` or `unsafe` whose message begins with `path`, the thing that was
 * read or written, as a user knows it. Returns a Fault, and an error without a system code, as it is.
 */
export function diskFault(error: unknown, path: string): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error;
  const { code, errno } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  const what = shownPath(path);
  if (UNSAFE[code] !== undefined) return new Fault('unsafe', `${what}: ${UNSAFE[code]}`, { cause: error });
  // Codes of Node itself (ERR_…) and of streams are not errors of the disk.
  if (!/^(E[A-Z0-9]+|UNKNOWN|Unknown system error -\d+)$/.test(code)) return error;
  const reason = errno === EDQUOT_LINUX_ERRNO ? REASONS['EDQUOT'] : REASONS[code];
  return new Fault('disk', `${what}: ${reason ?? code.toLowerCase()}`, { cause: error });
}
