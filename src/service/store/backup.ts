// A copy of a folder's archive, taken while others write: one moment of the database, and every file that it names.
import { constants } from 'node:fs';
import { copyFile, link, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BackupReport } from '../../contract/reports/archive.ts';
import { commitFile } from '../../disk/atomic-file.ts';
import { syncPath } from '../../disk/durable-write.ts';
import { makeFolder } from '../../disk/make-folder.ts';
import type { Archive } from './archive.ts';
import { openBlobs } from './files/folder-files.ts';
import { blobPath } from './files/blobs.ts';
import { archiveId } from './meta-table/file-key.ts';
import { isNoSpace } from './sql/database-error.ts';

/** The target is the archive's own, or holds something that is no earlier backup of it. */
export class BackupTargetError extends Error {}

export type BackupOptions = {
  signal: AbortSignal;
  progress(state: { label: string; done: number; unit: string }): void;
};

const MARK = 'backup.json';
const DATABASE = 'archive.db';

/**
 * Writes the archive to `dir`, which is missing, empty, or an earlier backup of it, whose files are kept. What stands
 * there is a folder like the archive's own, private to its owner; the database gets its name when all is on the disk.
 * Files are read after the database: they are there before their rows, and are never changed or removed. Throws
 * {@link BackupTargetError}, or the file system's error.
 */
export async function backUp(archive: Archive, dir: string, options: BackupOptions): Promise<BackupReport> {
  const { database, blobs } = archive;
  if (database.engine !== 'sqlite' || blobs.dir === undefined) throw new Error('only a folder is copied');
  await refuseOwn(dir, blobs.dir);
  await claim(dir, await archiveId(archive));

  const fresh = join(dir, `${DATABASE}.new`);
  await rm(fresh, { force: true });
  // Made by us, so that it is nobody else's; the engine takes an empty file.
  await writeFile(fresh, '', { mode: 0o600 });
  const taken_at = new Date(archive.now()).toISOString();
  options.progress({ label: 'database', done: 0, unit: 'bytes' });
  // Not by all(), whose errors have no code.
  await database.get('VACUUM INTO $1', [fresh]).catch(async (error: unknown) => {
    for (const end of ['', '-journal']) await rm(fresh + end, { force: true });
    if (!isNoSpace(error)) throw error;
    throw Object.assign(new Error('no space is left', { cause: error }), {
      code: 'ENOSPC',
      syscall: 'write',
    });
  });
  await syncPath(fresh);

  const report: BackupReport = {
    version: 1,
    path: dir,
    taken_at,
    database_bytes: (await stat(fresh)).size,
    files: { added: 0, known: 0 },
    bytes: 0,
  };
  for (let shard = 0; shard < 256; shard += 1) {
    options.signal.throwIfAborted();
    options.progress({ label: 'files', done: report.bytes, unit: 'bytes' });
    await copyShard(blobs.dir, join(dir, 'blobs'), shard.toString(16).padStart(2, '0'), report);
  }
  commitFile({ temporary: fresh, path: join(dir, DATABASE), force: true });
  return report;
}

/** Nothing is made within the archive, by whatever name: its check would find it, and a backup onto itself replace it. */
async function refuseOwn(dir: string, blobs: string): Promise<void> {
  const own = new Set(await Promise.all([dirname(blobs), blobs].map(nearestReal)));
  for (let at = await nearestReal(dir); ; at = dirname(at)) {
    if (own.has(at)) throw new BackupTargetError("it is in the archive's own folder");
    if (dirname(at) === at) return;
  }
}

/** What a path leads to, or would be made in. */
async function nearestReal(path: string): Promise<string> {
  return realpath(path).catch((error: unknown) => {
    if (dirname(path) === path) throw error;
    return nearestReal(dirname(path));
  });
}

/** Makes the folder ours, or makes sure that it is. */
async function claim(dir: string, of: string): Promise<void> {
  await makeFolder(dir, 0o700);
  const mark = join(dir, MARK);
  const known = await readFile(mark, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (known === undefined) {
    if ((await readdir(dir)).length > 0)
      throw new BackupTargetError('it is not empty, and no backup of this archive');
    await writeFile(mark, `${JSON.stringify({ version: 1, of })}\n`, { mode: 0o600, flag: 'wx' });
    await syncPath(mark);
  } else if (!known.includes(`"of":"${of}"`)) {
    throw new BackupTargetError('it is a backup of another archive');
  }
}

async function copyShard(from: string, to: string, shard: string, report: BackupReport): Promise<void> {
  const hashes = await openBlobs(from).names(shard);
  if (hashes.length === 0) return;
  const folder = join(to, shard);
  await makeFolder(folder, 0o700);
  const there = new Set(await openBlobs(to).names(shard));
  for (const sha256 of hashes) {
    if (there.has(sha256)) {
      report.files.known += 1;
      continue;
    }
    const source = blobPath(from, sha256);
    await copy(source, blobPath(to, sha256));
    report.files.added += 1;
    report.bytes += (await stat(source)).size;
  }
  await syncPath(folder);
}

/** A stored file never changes, so on the same file system a second name is a copy. */
async function copy(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch {
    const part = `${target}.new`;
    await copyFile(source, part, constants.COPYFILE_FICLONE);
    await syncPath(part);
    // The folder is synced once for all of its files.
    await rename(part, target);
  }
}
