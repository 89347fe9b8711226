// Result codes of SQLite that decisions depend on.

/** By their names in SQLite. IOERR_SHMSIZE is an extended code: no space for the index of the write-ahead log. */
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

/** Returns the primary result code of a thrown value, undefined when SQLite did not throw it. */
export function primaryCode(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}
