// The folder of an archive on SQLite: `archive.db` and `blobs/`, for its owner alone.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  openSync,
  readdirSync,
  statSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../disk/make-folder.ts';
import { openingError } from './opening-error.ts';
import { isNoSpace } from './sql/database-error.ts';
import { primaryCode, SQLITE } from './sql/sqlite-result-codes.ts';
import { NoArchive, UnusableArchive } from './sql/unusable-archive.ts';

const DATABASE = 'archive.db';
const BLOBS = 'blobs';

/** Returns the path of the database of an archive. */
export function databaseOf(dir: string): string {
  return join(dir, DATABASE);
}

/** Returns the folder of the files of an archive. */
export function blobsOf(dir: string): string {
  return join(dir, BLOBS);
}

/** Returns the error of a folder that has files of an archive, but no database. */
export function databaseMissing(): UnusableArchive {
  return new UnusableArchive(
    `${DATABASE} is missing, empty or the database of something else, but the files of an archive are here`,
    {
      isDamaged: true,
    },
  );
}

/** Makes the folder of a new archive. Throws the error of the file system, or what a full disk means. */
export async function createArchiveFolder(dir: string): Promise<void> {
  await makeFolder(dir, 0o700).catch((error: unknown) => {
    throw isNoSpace(error) ? openingError(error) : error;
  });
}

/** Throws {@link NoArchive} where the folder has no archive. */
export function checkArchiveExists(dir: string): void {
  const isThere = sizeOf(join(dir, DATABASE)) > 0 || hasShards(dir);
  if (!isThere) throw new NoArchive('there is no archive');
}

/** Returns whether this process may not write the database of an archive, for example on a read-only medium. */
export function isNotWritable(dir: string): boolean {
  try {
    accessSync(join(dir, DATABASE), constants.W_OK);
    return false;
  } catch (error) {
    return ['EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

/**
 * Returns the error with which SQLite could not open an archive, or that of the system where no descriptor is left: SQLite gives
 * one code for both. Where the file can be opened and its folder written, descriptors are missing for the log.
 */
export function withSystemCode(error: unknown, dir: string): unknown {
  if (primaryCode(error) !== SQLITE.CANTOPEN) return error;
  try {
    // The database is not opened here: to close it would release locks that SQLite has on it in this process.
    closeSync(openSync(dir, 'r'));
    accessSync(join(dir, DATABASE), constants.R_OK);
    accessSync(dir, constants.W_OK);
  } catch (cause) {
    return ['EMFILE', 'ENFILE'].includes((cause as NodeJS.ErrnoException).code ?? '') ? cause : error;
  }
  return Object.assign(new Error('no descriptor is left', { cause: error }), { code: 'EMFILE' });
}

/**
 * Whether there are files of an archive without its database. Then no new database is created. `isNone` is called again
 * after looking for files: another process may be creating the archive, and it creates tables before files.
 */
export async function isLost(dir: string, isNone: () => boolean | Promise<boolean>): Promise<boolean> {
  return (await isNone()) && hasShards(dir) && isNone();
}

function hasShards(dir: string): boolean {
  try {
    return readdirSync(join(dir, BLOBS)).some((name) => /^[\da-f]{2}$/.test(name));
  } catch {
    return false;
  }
}

/** Returns whether a file is empty or not there. */
export function hasNoBytes(path: string): boolean {
  try {
    return sizeOf(path) === 0;
  } catch {
    return true;
  }
}

/** Makes the files of a database private, in a folder that is known to be an archive. SQLite gives new files the mode of the database file. */
export function makeFilesPrivate(dir: string): void {
  for (const end of ['', '-wal', '-shm']) makePrivate(join(dir, DATABASE + end));
}

/** Creates the database file before SQLite does, which would make it readable for everyone. */
export function createPrivate(path: string): void {
  if (statIfExists(path) !== undefined) return;
  const file = openSync(path, 'a', PRIVATE);
  try {
    // The umask may have removed permissions that the owner needs.
    fchmodSync(file, PRIVATE);
  } finally {
    closeSync(file);
  }
}

function makePrivate(path: string): void {
  const { mode = 0 } = statIfExists(path) ?? {};
  if ((mode & 0o077) === 0) return;
  try {
    chmodSync(path, PRIVATE);
  } catch (error) {
    // EPERM: the file belongs to another user, who decides. ENOENT: another process has closed the archive.
    if (!['EPERM', 'ENOENT', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

const PRIVATE = 0o600;

/** Returns the bytes of a file, 0 where there is none. */
export function sizeOf(path: string): number {
  return statIfExists(path)?.size ?? 0;
}

/** Not through the thread pool, whose threads and module take a start 1 ms: SQLite reads the same folder in this thread. */
function statIfExists(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
