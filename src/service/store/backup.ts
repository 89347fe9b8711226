// Backs up an archive in a folder while others write: one state of the database and every file that it names.
import { constants } from 'node:fs';
import { copyFile, link, lstat, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BackupReport } from '../../contract/reports/archive.ts';
import { commitFile } from '../../disk/atomic-file.ts';
import { syncPath } from '../../disk/durable-write.ts';
import { makeFolder } from '../../disk/make-folder.ts';
import { readBytesIfExists } from '../../disk/regular-file.ts';
import type { Archive } from './archive.ts';
import { renumberCopy } from './engines/sqlite-log.ts';
import { checkShard, openFolderFiles } from './files/folder-files.ts';
import { blobPath } from './files/blobs.ts';
import { archiveId } from './meta-table/file-key.ts';
import { isNoSpace } from './sql/database-error.ts';

/** The target is the archive's own folder, or contains something other than an earlier backup of it. */
export class BackupTargetError extends Error {}

/** How a backup is interrupted, and who learns its progress. */
export type BackupOptions = {
  signal: AbortSignal;
  /** Called with the bytes of files that are in the backup, of all. */
  progress(state: { label: string; done: number; total: number; unit: string }): void;
  /**
   * Called for each file that the archive lacks, or has in another size or as no plain file, with the id of its first attachment. It is
   * not copied.
   */
  onDamaged(sha256: string, attachment: string | undefined): void;
  /** Runs the work while no other process backs up to the same place. The lock is `<path>.lock`. */
  exclusively?<T>(path: string, work: () => Promise<T>): Promise<T>;
};

const MARK = 'backup.json';
const MAX_MARK_BYTES = 4096;
const DATABASE = 'archive.db';
const LOCKED = 'backup';

/**
 * Writes the archive to `dir`, which is missing, empty, or an earlier backup of it. Files of an earlier backup stay. The
 * result is an archive folder, private to its owner; the database gets its name when everything is on the disk. Files are
 * copied after the database, because they are stored before their rows and never change. Throws
 * {@link BackupTargetError}, or the file system's error.
 */
export async function backUp(archive: Archive, dir: string, options: BackupOptions): Promise<BackupReport> {
  const { database, blobs } = archive;
  if (database.engine !== 'sqlite' || blobs.dir === undefined)
    throw new Error('only a SQLite archive folder can be backed up');
  await refuseOwnFolder(dir, blobs.dir);
  await makeFolder(dir, 0o700);
  const work = (): Promise<BackupReport> => writeBackup(archive, blobs.dir!, dir, options);
  return options.exclusively === undefined ? work() : options.exclusively(join(dir, LOCKED), work);
}

async function writeBackup(
  archive: Archive,
  blobs: string,
  dir: string,
  options: BackupOptions,
): Promise<BackupReport> {
  const { database } = archive;
  await claim(dir, await archiveId(archive));

  const fresh = join(dir, `${DATABASE}.new`);
  await rm(fresh, { force: true });
  // Created here with a private mode. SQLite accepts an empty file.
  await writeFile(fresh, '', { mode: 0o600 });
  const taken_at = new Date(archive.now()).toISOString();
  const pages = await database.get<{ bytes: number }>(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  );
  // The database is written by one statement, which tells nothing before its end.
  options.progress({ label: 'database', done: 0, total: pages?.bytes ?? 0, unit: 'bytes' });
  // `get`, because errors of `all` have no code.
  await database.get('VACUUM INTO $1', [fresh]).catch(async (error: unknown) => {
    for (const end of ['', '-journal']) await rm(fresh + end, { force: true });
    if (!isNoSpace(error)) throw error;
    throw Object.assign(new Error('no space is left', { cause: error }), {
      code: 'ENOSPC',
      syscall: 'write',
    });
  });
  renumberCopy(fresh, archive.randomBytes(4));
  await syncPath(fresh);

  const report: BackupReport = {
    version: 1,
    path: dir,
    taken_at,
    database_bytes: (await stat(fresh)).size,
    files: { added: 0, known: 0, linked: 0 },
    bytes: 0,
  };
  const all = await database.get<{ bytes: number }>(
    `SELECT COALESCE(SUM(bytes), 0) AS bytes FROM
      (SELECT MAX(bytes) AS bytes FROM attachments WHERE stored = 1 GROUP BY sha256)`,
  );
  let done = 0;
  const there = (bytes: number): void => {
    done += bytes;
    options.progress({ label: 'files', done, total: Math.max(done, all?.bytes ?? 0), unit: 'bytes' });
    options.signal.throwIfAborted();
  };
  there(0);
  for (let shard = 0; shard < 256; shard += 1) {
    options.signal.throwIfAborted();
    const name = shard.toString(16).padStart(2, '0');
    // Before the files are listed: a file is stored before its row.
    const rows = await database.all<{ sha256: string; bytes: number; first: number }>(
      `SELECT sha256, MIN(bytes) AS bytes, MIN(n) AS first FROM attachments
        WHERE stored = 1 AND sha256 >= $1 AND sha256 < $2 GROUP BY sha256`,
      [name, `${name}g`],
    );
    const sizes = new Map(rows.map(({ sha256, bytes }) => [sha256, bytes]));
    const firsts = new Map(rows.map(({ sha256, first }) => [sha256, `att_${first}`]));
    for (const sha256 of await copyShard(blobs, join(dir, 'blobs'), { name, sizes }, report, there))
      options.onDamaged(sha256, firsts.get(sha256));
  }
  const path = join(dir, DATABASE);
  commitFile({ temporary: fresh, path, force: true });
  // Whoever opened the earlier backup and was killed left its log, which belongs to no file now.
  for (const end of ['-wal', '-shm']) await rm(path + end, { force: true });
  return report;
}

/**
 * Throws {@link BackupTargetError} when the target is inside the archive with these files, also through links. A copy there
 * would damage the archive.
 */
export async function refuseOwnFolder(dir: string, blobs: string): Promise<void> {
  const own = new Set(await Promise.all([dirname(blobs), blobs].map(nearestReal)));
  for (let at = await nearestReal(dir); ; at = dirname(at)) {
    if (own.has(at)) throw new BackupTargetError("it is in the archive's own folder");
    if (dirname(at) === at) return;
  }
}

/** Returns the real path, or that of the nearest folder that exists. */
async function nearestReal(path: string): Promise<string> {
  return realpath(path).catch((error: unknown) => {
    if (dirname(path) === path) throw error;
    return nearestReal(dirname(path));
  });
}

/** Marks the folder as a backup of this archive, or checks that it is one. */
async function claim(dir: string, of: string): Promise<void> {
  const mark = join(dir, MARK);
  const known = (await readBytesIfExists(mark, MAX_MARK_BYTES))?.toString();
  if (known === undefined) {
    if ((await readdir(dir)).some((name) => name !== `${LOCKED}.lock`))
      throw new BackupTargetError('it is not empty, and no backup of this archive');
    await writeFile(mark, `${JSON.stringify({ version: 1, of })}\n`, { mode: 0o600, flag: 'wx' });
    await syncPath(mark);
  } else if (!known.includes(`"of":"${of}"`)) {
    throw new BackupTargetError('it is a backup of another archive');
  }
}

/** Files whose hash begins with `name`, and the sizes that their rows have. */
type Shard = { name: string; sizes: ReadonlyMap<string, number> };

/**
 * Copies files that the backup lacks, and calls `there` with the size of each that is in it then. Returns the hashes of those that
 * are damaged or missing.
 */
async function copyShard(
  from: string,
  to: string,
  shard: Shard,
  report: BackupReport,
  there: (bytes: number) => void,
): Promise<string[]> {
  const { name, sizes } = shard;
  const source = openFolderFiles(from);
  const hashes = await source.names(name);
  const missing = new Set(sizes.keys());
  const damaged: string[] = [];
  const folder = join(to, name);
  if (hashes.length > 0) {
    checkShard(to, name);
    await makeFolder(folder, 0o700);
  }
  const target = openFolderFiles(to);
  for (const sha256 of hashes) {
    missing.delete(sha256);
    const size = await source.size(sha256);
    if (size === undefined || size !== (sizes.get(sha256) ?? size)) {
      damaged.push(sha256);
      continue;
    }
    const paths = [blobPath(from, sha256), blobPath(to, sha256)] as const;
    if ((await target.size(sha256)) === size) {
      report.files.known += 1;
    } else {
      await copy(...paths);
      report.files.added += 1;
      report.bytes += size;
    }
    if (await isSameFile(...paths)) report.files.linked += 1;
    there(size);
  }
  if (hashes.length > 0) await syncPath(folder);
  return [...damaged, ...missing];
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [{ dev, ino }, found] = await Promise.all([
    lstat(one, { bigint: true }),
    lstat(other, { bigint: true }),
  ]);
  return found.dev === dev && found.ino === ino;
}

/** A stored file never changes, so a hard link is a copy, but not one that a damaged disk leaves whole. */
async function copy(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch {
    const part = `${target}.new`;
    await rm(part, { force: true });
    await copyFile(source, part, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await syncPath(part);
    // The folder is synced once for all of its files.
    await rename(part, target);
  }
}
