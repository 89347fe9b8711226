// Why a file or folder cannot be read, as a reason in reports.

/** Returns an error of the file system as a reason, without its path. */
export function unreadableReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  return code === undefined ? 'cannot be read' : (REASONS[code] ?? `cannot be read (${code})`);
}

const REASONS: Record<string, string> = {
  ENOENT: 'is not there',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  ELOOP: 'is a link',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not a folder',
};
