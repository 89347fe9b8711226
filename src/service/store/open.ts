// Opening and closing an archive: a folder with `archive.db` and `blobs/`, private to its owner.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Archive } from '../archive.ts';
import { openBlobs } from './blobs.ts';
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
};

/**
 * Opens the archive in `dir`, created with mode 0700 where it is missing, and brings it to the newest schema.
 * Throws {@link NewerSchema}, {@link ArchiveUnreadable}, or the file system's error where the folder cannot be made.
 */
export async function openArchive({ dir, now, randomBytes }: OpenOptions): Promise<OpenArchive> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  try {
    const database = openSqlite(join(dir, 'archive.db'));
    try {
      await migrate(database);
    } catch (error) {
      await database.close();
      throw error;
    }
    return {
      database,
      blobs: openBlobs(join(dir, 'blobs')),
      now,
      randomBytes,
      close: () => database.close(),
    };
  } catch (error) {
    if (error instanceof NewerSchema) throw error;
    throw new ArchiveUnreadable('the archive cannot be opened', { cause: error });
  }
}
