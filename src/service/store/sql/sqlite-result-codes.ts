// The result codes of SQLite that something is decided by, and how a thrown value carries one.

/** By the names that SQLite gives them. The last is an extended one: the index of the log, a file beside it, found no space. */
export const SQLITE = {
  ERROR: 1,
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
  IOERR_SHMSIZE: 4874,
};

/** The primary result code, which extended ones carry in their low byte; undefined where it is no error of SQLite. */
export function primaryCode(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}
