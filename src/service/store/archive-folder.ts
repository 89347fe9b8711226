// The folder of an archive on SQLite: `archive.db` and `blobs/`, for its owner alone.
import { constants, type Stats } from 'node:fs';
import { access, chmod, open, readdir, stat } from 'node:fs/promises';
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
  return new UnusableArchive(`${DATABASE} is missing or empty, but the files that it named are here`, {
    isDamaged: true,
  });
}

/** Makes the folder of a new archive. Throws the error of the file system, or what a full disk means. */
export async function createArchiveFolder(dir: string): Promise<void> {
  await makeFolder(dir, 0o700).catch((error: unknown) => {
    throw isNoSpace(error) ? openingError(error) : error;
  });
}

/** Throws {@link NoArchive} where the folder has no archive. */
export async function checkArchiveExists(dir: string): Promise<void> {
  const isThere = (await sizeOf(join(dir, DATABASE))) > 0 || (await hasShards(dir));
  if (!isThere) throw new NoArchive('there is no archive');
}

/** Returns whether this process may not write the database of an archive, for example on a read-only medium. */
export async function isNotWritable(dir: string): Promise<boolean> {
  const errorCode = await access(join(dir, DATABASE), constants.W_OK).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => code,
  );
  return ['EROFS', 'EACCES', 'EPERM'].includes(errorCode ?? '');
}

/**
 * Returns the error with which SQLite could not open an archive, or that of the system where no descriptor is left: SQLite gives
 * one code for both. Where the file can be opened and its folder written, descriptors are missing for the log.
 */
export async function withSystemCode(error: unknown, dir: string): Promise<unknown> {
  if (primaryCode(error) !== SQLITE.CANTOPEN) return error;
  try {
    await (await open(join(dir, DATABASE), 'r')).close();
    await access(dir, constants.W_OK);
  } catch (cause) {
    return ['EMFILE', 'ENFILE'].includes((cause as NodeJS.ErrnoException).code ?? '') ? cause : error;
  }
  return Object.assign(new Error('no descriptor is left', { cause: error }), { code: 'EMFILE' });
}

/**
 * Whether there are files of an archive without its database. Then no new database is created. `isNone` is called again
 * after looking for files: another process may be creating the archive, and it creates tables before files.
 */
export async function isLost(dir: string, isNone: () => Promise<boolean>): Promise<boolean> {
  return (await isNone()) && (await hasShards(dir)) && isNone();
}

async function hasShards(dir: string): Promise<boolean> {
  const names = await readdir(join(dir, BLOBS)).catch(() => []);
  return names.some((name) => /^[\da-f]{2}$/.test(name));
}

/** Returns whether a file is empty or not there. */
export async function hasNoBytes(path: string): Promise<boolean> {
  return sizeOf(path).then(
    (size) => size === 0,
    () => true,
  );
}

/** Makes the files of a database private, in a folder that is known to be an archive. SQLite gives new files the mode of the database file. */
export async function makeFilesPrivate(dir: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await makePrivate(join(dir, DATABASE + end));
}

/** Creates the database file before SQLite does, which would make it readable for everyone. */
export async function createPrivate(path: string): Promise<void> {
  if ((await modeOf(path)) !== undefined) return;
  const file = await open(path, 'a', PRIVATE);
  // The umask may have removed permissions that the owner needs.
  await file.chmod(PRIVATE).finally(() => file.close());
}

async function makePrivate(path: string): Promise<void> {
  const mode = await modeOf(path);
  if (mode === undefined || (mode & 0o077) === 0) return;
  await chmod(path, PRIVATE).catch((error: NodeJS.ErrnoException) => {
    // EPERM: the file belongs to another user, who decides. ENOENT: another process has closed the archive.
    if (error.code !== 'EPERM' && error.code !== 'ENOENT' && error.code !== 'EROFS') throw error;
  });
}

const PRIVATE = 0o600;

async function modeOf(path: string): Promise<number | undefined> {
  return (await statIfExists(path))?.mode;
}

/** Returns the bytes of a file, 0 where there is none. */
async function sizeOf(path: string): Promise<number> {
  return (await statIfExists(path))?.size ?? 0;
}

async function statIfExists(path: string): Promise<Stats | undefined> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
