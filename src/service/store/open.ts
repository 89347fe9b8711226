// Opens an archive: a private folder with `archive.db` and `blobs/`, or a PostgreSQL database.
import type { OwnProcess } from '../../world.ts';
import {
  blobsOf,
  checkArchiveExists,
  createArchiveFolder,
  createPrivate,
  databaseMissing,
  databaseOf,
  hasNoBytes,
  isLost,
  isNotWritable,
  makeFilesPrivate,
  sizeOf,
  withSystemCode,
} from './archive-folder.ts';
import type { Archive } from './archive.ts';
import type { PostgresDatabase, PostgresServer } from './engines/postgres.ts';
import type { Blobs } from './files/blobs.ts';
import type { BucketPlace } from './files/bucket/bucket-address.ts';
import { openDatabaseFiles } from './files/database-files.ts';
import { openFolderFiles } from './files/folder-files.ts';
import { claimFiles } from './files-mark.ts';
import { copyMark, storeCopyMark } from './meta-table/copy-mark.ts';
import { fileKey, storeFileKey } from './meta-table/file-key.ts';
import {
  decideFilesLocation,
  filesLocation,
  filesPlaceOf,
  isFilesHome,
  storedFilesHome,
} from './meta-table/files-location.ts';
import { copyUnfinished, filesLost, openingError, OtherFilesLocation } from './opening-error.ts';
import { checkSchema, migrate, otherTables, refusingNewer } from './schema/migrate.ts';
import { databaseCounters, PROCESS_COUNTERS } from './shared-counters.ts';
import type { Database, Statements } from './sql/database.ts';
import { NoArchive } from './sql/unusable-archive.ts';

/** An archive that whoever opened it must close. `isNew`: it was made when it was opened. */
export type OpenArchive = Archive & { isNew: boolean; close(): Promise<void> };

/** A PostgreSQL database. `server`, `createSchema`, `onMissing`: as for {@link openPostgres}. */
type PostgresPlace = {
  url: string;
  /** The folder or the bucket of its files; absent where they are in the database. */
  blobs?: string | BucketPlace | undefined;
  /** The option that named `blobs`, for messages (default: `--blobs`). */
  blobsOption?: string | undefined;
  server?: PostgresServer | undefined;
  createSchema?: boolean;
  onMissing?: (() => void) | undefined;
};

/** A folder with database and files. `isServed`: it is read for others, who must not wait for a long read. */
type FolderPlace = { dir: string; isServed?: boolean };

/** How an archive is opened. */
type OpenMode = {
  /** Nothing is changed or created. */
  readOnly?: boolean;
  /** A place without an archive is refused. */
  mustExist?: boolean;
  /** An archive that no longer says where its files are is opened with the files of `blobs`, so that damage can be reported. */
  allowDamaged?: boolean;
  /** It may be an unfinished copy of another archive, which is refused otherwise. Its place of files is not claimed. */
  asCopy?: boolean;
};

/** Where an archive is, and how it is opened. */
export type ArchiveLocation = (FolderPlace | PostgresPlace) & OpenMode;

/** Where the archive is, and the clock and random numbers that it uses. */
export type OpenOptions = ArchiveLocation & {
  /** Milliseconds since the epoch. */
  now(): number;
  randomBytes(count: number): Uint8Array;
  /** Resolves after this many milliseconds. Used while waiting for the lock of another process. */
  sleep(ms: number): Promise<void>;
  /** Called once when the lock of another process was waited for so long that the user should know. */
  onLongWait?: (() => void) | undefined;
  /** As for {@link openSqlite}, for an archive that is served and for a large one. */
  startReads?: (() => OwnProcess) | undefined;
};

/**
 * Opens an archive, creates it where it may be missing, and brings it to the newest schema. Read-only, it throws
 * {@link NoArchive} or {@link OlderSchema} instead. Throws {@link NewerSchema}, {@link OtherFilesLocation},
 * {@link DatabaseAccessError}, {@link ArchiveUnreadable}, the Fault of {@link claimFiles}, or the file system's error
 * when a folder cannot be created.
 */
export async function openArchive(options: OpenOptions): Promise<OpenArchive> {
  const { now, randomBytes, readOnly = false, mustExist = readOnly } = options;
  if ('dir' in options)
    if (mustExist) checkArchiveExists(options.dir);
    else await createArchiveFolder(options.dir);
  try {
    const opened = 'dir' in options ? await openFolder(options) : await openDatabase(options);
    const { database } = opened;
    const close = () => database.close();
    const archive: OpenArchive = { ...opened, readOnly, now, randomBytes, isNew: false, close };
    const fill = (statements: Statements) => {
      archive.isNew = true;
      return fillNew(statements, options);
    };
    try {
      if ('dir' in options) await checkTables(database, options.dir, { readOnly, mustExist });
      if (readOnly) await checkSchema(database);
      // The key is created now, so that listing files never writes, for example on a full disk.
      else if (await migrate(database, mustExist ? undefined : fill)) await fileKey(archive);
      archive.database = refusingNewer(database);
      const mark = options.asCopy === true ? undefined : await copyMark(database).catch(() => undefined);
      if (mark !== undefined) throw copyUnfinished(mark);
      if (!('dir' in options)) await checkFilesPlace(archive, options);
      else if (!readOnly) makeFilesPrivate(options.dir);
    } catch (error) {
      await database.close();
      throw error;
    }
    return archive;
  } catch (error) {
    throw openingError('dir' in options ? withSystemCode(error, options.dir) : error);
  }
}

/** Throws where the tables of a database file in a folder are not those of an archive, or there are none and none may be made. */
async function checkTables(
  database: Database,
  dir: string,
  { readOnly, mustExist }: { readOnly: boolean; mustExist: boolean },
): Promise<void> {
  if (!(await hasNoVersions(database))) return;
  // A database that was copied without its log may contain no table, and one with the log of another database other tables.
  if (await isLost(dir, () => hasNoVersions(database))) throw databaseMissing();
  if (await hasNoTable(database)) {
    // Its creation failed, for example at a limit, and was undone.
    if (mustExist) throw new NoArchive('there is no archive');
    return;
  }
  // Another process may have made the archive meanwhile, or be about to: a transaction waits for it.
  if (await (readOnly ? hasNoVersions(database) : database.transaction(hasNoVersions))) throw otherTables(0);
}

/** Writes what a new archive has. One that is made for a copy has the mark of an unfinished copy from the first moment. */
async function fillNew(statements: Statements, { randomBytes, asCopy }: OpenOptions): Promise<void> {
  await storeFileKey(statements, randomBytes);
  if (asCopy === true) await storeCopyMark(statements, { version: 1, run: '', phase: 'empty' });
}

/** Returns the same location, read-only where its database file cannot be written, for example on a read-only disk. */
export function readOnlyIfNotWritable(place: ArchiveLocation): ArchiveLocation {
  if (!('dir' in place) || place.readOnly === true) return place;
  return isNotWritable(place.dir) ? { ...place, readOnly: true } : place;
}

type Opened = Pick<Archive, 'database' | 'blobs' | 'shared'>;

type Folder = Pick<OpenOptions, 'sleep' | 'onLongWait' | 'readOnly' | 'startReads'> & FolderPlace;

/**
 * Databases from this size on are read in a process of its own. One read of them may take seconds, in which this process would not notice
 * Ctrl-C. To start the other process takes 0.1 seconds.
 */
const MIN_LARGE_BYTES = 512 * 1024 * 1024;

async function openFolder({
  dir,
  readOnly = false,
  isServed = false,
  startReads,
  ...options
}: Folder): Promise<Opened> {
  const path = databaseOf(dir);
  if (await isLost(dir, () => hasNoBytes(path))) throw databaseMissing();
  if (!readOnly) createPrivate(path);
  const { openSqlite } = await import('./engines/sqlite.ts');
  const isElsewhere = isServed || sizeOf(path) >= MIN_LARGE_BYTES;
  const database = await openSqlite({
    ...options,
    path,
    readOnly,
    startReads: isElsewhere ? startReads : undefined,
  });
  return { database, blobs: openFolderFiles(blobsOf(dir)), shared: PROCESS_COUNTERS };
}

async function openDatabase(
  options: PostgresPlace & OpenMode & Pick<OpenOptions, 'sleep' | 'randomBytes'>,
): Promise<Opened> {
  const { readOnly = false } = options;
  const { openPostgres } = await import('./engines/postgres.ts');
  const database = await openPostgres(options);
  return {
    database,
    blobs: await openFiles(options, database, options),
    shared: readOnly ? PROCESS_COUNTERS : databaseCounters(database),
  };
}

/** Opens the place of the files of an archive on PostgreSQL: a folder, a bucket, or the database where `blobs` is absent. */
export async function openFiles(
  { blobs, blobsOption }: Pick<PostgresPlace, 'blobs' | 'blobsOption'>,
  database: Database,
  world: Pick<OpenOptions, 'sleep' | 'randomBytes'>,
): Promise<Blobs> {
  if (blobs === undefined) return openDatabaseFiles(database as PostgresDatabase);
  if (typeof blobs === 'string') return openFolderFiles(blobs, blobsOption);
  const { openBucketFiles } = await import('./files/bucket/bucket-files.ts');
  return openBucketFiles(blobs, world, blobsOption);
}

/** Makes all processes use the same place for files, that of the first process. Throws for another one. */
async function checkFilesPlace(archive: OpenArchive, { allowDamaged, asCopy }: OpenMode): Promise<void> {
  const { database, readOnly } = archive;
  const place = filesPlaceOf(archive);
  const decided = await filesLocation(database);
  // First the place is claimed, then it is stored: a place that is refused must not become that of the archive. A copy claims its
  // place when it has the key of the archive.
  const isThere =
    asCopy !== true && (decided === place || decided === 'undecided') ? await claimFiles(archive) : undefined;
  if (!readOnly && decided === 'undecided') await decideFilesLocation(database, place);
  const found = await filesLocation(database);
  if (found === 'lost' && allowDamaged !== true) throw filesLost();
  if (isThere !== undefined && found === place) {
    archive.filesHome = { kind: place, id: (await storedFilesHome(database)).id };
    archive.filesThere = async () => (await isThere()) && (await isFilesHome(archive));
  }
  if (found === 'lost' || found === 'undecided' || found === place) return;
  throw new OtherFilesLocation(found, place, archive.blobs.mark?.place);
}

/** Whether no archive was made in the database: the table of versions is made together with the others. */
async function hasNoVersions(database: Statements): Promise<boolean> {
  return (
    (await database.get("SELECT 1 FROM sqlite_master WHERE name = 'migrations' AND type = 'table'")) ===
    undefined
  );
}

/** Whether the database has no table at all. */
async function hasNoTable(database: Database): Promise<boolean> {
  return (await database.get('SELECT 1 FROM sqlite_master LIMIT 1')) === undefined;
}
