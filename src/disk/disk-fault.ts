// Errors of the file system as Faults, in our words.
import { NO_FOLDERS } from './durable.ts';
import { Fault } from '../faults.ts';

/** EDQUOT on Linux: Node has no name for it. */
const QUOTA = -122;
const REASONS: Record<string, string> = {
  ENOSPC: 'no space left on the device',
  EDQUOT: 'disk quota exceeded',
  EIO: 'input/output error',
  EROFS: 'read-only file system',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files in the system',
  [NO_FOLDERS]: 'no such file or folder, and none can be made',
  ENOENT: 'no such file or folder',
  EISDIR: 'is a folder',
  ENAMETOOLONG: 'name too long',
};
/** What stands in the way is not what we would make: nothing is overwritten or followed. */
const UNSAFE: Record<string, string> = {
  ENOTDIR: 'not a folder',
  ELOOP: 'a symbolic link',
  EEXIST: 'exists already',
  ENXIO: 'not a regular file',
};

/** A Fault as it is, an error with a system code as `disk` or `unsafe` naming `what`, anything else unchanged. */
export function diskFault(error: unknown, what: string): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error;
  const { code, errno } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (UNSAFE[code] !== undefined) return new Fault('unsafe', `${what}: ${UNSAFE[code]}`, { cause: error });
  // Codes of Node itself (ERR_…) and of streams are not the disk's.
  if (!/^(E[A-Z0-9]+|UNKNOWN|Unknown system error -\d+)$/.test(code)) return error;
  const reason = errno === QUOTA ? REASONS['EDQUOT'] : REASONS[code];
  return new Fault('disk', `${what}: ${reason ?? code.toLowerCase()}`, { cause: error });
}
