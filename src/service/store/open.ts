// Opening and closing an archive: a folder with `archive.db` and `blobs/`, private to its owner.
import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Archive } from '../archive.ts';
import { openBlobs } from './blobs.ts';
import { fileKey } from './meta.ts';
import { migrate, NewerSchema } from './schema.ts';
import { openSqlite } from './sqlite.ts';

export { NewerSchema };

export type OpenArchive = Archive & { close(): Promise<void> };

/** `archive.db` is not a database this arx can read: damaged, foreign, or not permitted. The cause is the engine's error. */
export class ArchiveUnreadable extends Error {}

export type OpenOptions = {
  dir: string;
  /** Milliseconds since the epoch. */
  now(): number;
  randomBytes(count: number): Uint8Array;
  /** Resolves after so many milliseconds; waits for another process's write are made of it. */
  sleep(ms: number): Promise<void>;
};

/**
 * Opens the archive in `dir`, created with mode 0700 where it is missing, and brings it to the newest schema. Its
 * database is its owner's alone (0600), also in a folder that others may enter and whatever the umask.
 * Throws {@link NewerSchema}, {@link ArchiveUnreadable}, or the file system's error where the folder cannot be made.
 */
export async function openArchive({ dir, now, randomBytes, sleep }: OpenOptions): Promise<OpenArchive> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  try {
    const path = join(dir, 'archive.db');
    await createPrivate(path);
    const database = await openSqlite({ path, sleep });
    const archive = {
      database,
      blobs: openBlobs(join(dir, 'blobs')),
      now,
      randomBytes,
      close: () => database.close(),
    };
    try {
      // Made with the archive, so that a list of files needs to write nothing later, on a full disk for one.
      if (await migrate(database)) await fileKey(archive);
      // Only now is it known to be ours; the engine gives the files beside it the mode of the first.
      for (const file of [path, `${path}-wal`, `${path}-shm`]) await makePrivate(file);
    } catch (error) {
      await database.close();
      throw error;
    }
    return archive;
  } catch (error) {
    if (error instanceof NewerSchema) throw error;
    throw new ArchiveUnreadable('the archive cannot be opened', { cause: error });
  }
}

/** Made before the engine would make it, which would make it readable to everyone. */
async function createPrivate(path: string): Promise<void> {
  if ((await modeOf(path)) !== undefined) return;
  const file = await open(path, 'a', PRIVATE);
  // The umask may have taken from us what we need.
  await file.chmod(PRIVATE).finally(() => file.close());
}

async function makePrivate(path: string): Promise<void> {
  const mode = await modeOf(path);
  if (mode === undefined || (mode & 0o077) === 0) return;
  await chmod(path, PRIVATE).catch((error: NodeJS.ErrnoException) => {
    // Another user's file: its owner decides who reads it. Gone: another process closed the archive.
    if (error.code !== 'EPERM' && error.code !== 'ENOENT' && error.code !== 'EROFS') throw error;
  });
}

const PRIVATE = 0o600;

async function modeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mode }) => mode,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
}
