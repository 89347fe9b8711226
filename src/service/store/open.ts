// Opens an archive: a private folder with `archive.db` and `blobs/`, or a PostgreSQL database.
import { constants, type Stats } from 'node:fs';
import { access, chmod, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../disk/make-folder.ts';
import type { FilesPlace } from '../../contract/files-place.ts';
import { Fault } from '../../faults.ts';
import type { Archive } from './archive.ts';
import type { PostgresDatabase, PostgresServer } from './engines/postgres.ts';
import type { OwnProcess } from '../../world.ts';
import type { Blobs } from './files/blobs.ts';
import { openFolderFiles } from './files/folder-files.ts';
import { openDatabaseFiles } from './files/database-files.ts';
import type { Database, Statements } from './sql/database.ts';
import type { BucketPlace } from './files/bucket/bucket-address.ts';
import { claimFiles } from './files-mark.ts';
import { copyMark, storeCopyMark, type CopyMark } from './meta-table/copy-mark.ts';
import { fileKey, storeFileKey } from './meta-table/file-key.ts';
import {
  decideFilesLocation,
  filesId,
  filesLocation,
  filesPlaceOf,
  isFilesHome,
} from './meta-table/files-location.ts';
import { primaryCode, SQLITE } from './sql/sqlite-result-codes.ts';
import { checkSchema, migrate, NewerSchema, OlderSchema } from './schema/migrate.ts';
import { PROCESS_COUNTERS, databaseCounters } from './shared-counters.ts';
import { accessErrorOf, DatabaseAccessError, isMissing, isNoSpace } from './sql/database-error.ts';
import { NoArchive, UnfinishedCopy, UnusableArchive } from './sql/unusable-archive.ts';

export { DatabaseAccessError, NewerSchema, NoArchive, OlderSchema };

/** An archive that its opener must close. */
export type OpenArchive = Archive & { close(): Promise<void> };

/** The archive cannot be opened. `why` says the reason as far as it is known; the cause is the engine's error. */
export class ArchiveUnreadable extends Error {
  readonly why: string;
  /** The archive is damaged, not only unreadable for this user or now. */
  readonly isDamaged: boolean;
  /** It is being copied or moved here. */
  readonly isUnfinishedCopy: boolean;
  /** Only the last step of a move to here is missing: its source is being dropped, or was. */
  readonly isMoved: boolean;
  /** It was dropped while it was opened, or it lacks a table. */
  readonly isMissing: boolean;

  constructor(cause: unknown) {
    super('the archive cannot be opened', { cause });
    const code = primaryCode(cause);
    const unfit = cause instanceof UnusableArchive ? cause : undefined;
    this.isDamaged = unfit?.isDamaged ?? (code === SQLITE.CORRUPT || code === SQLITE.NOTADB);
    this.isUnfinishedCopy = cause instanceof UnfinishedCopy;
    this.isMoved = cause instanceof UnfinishedCopy && cause.isMoved;
    this.isMissing = isMissing(cause);
    this.why = unfit?.message ?? whyOf(cause);
  }
}

/** There are files of an archive, but no database. */
function databaseMissing(): UnusableArchive {
  return new UnusableArchive(`${DATABASE} is missing or empty, but the files that it named are here`, {
    isDamaged: true,
  });
}

/** The archive has messages and does not know where its files are. With a wrong guess all files would seem lost. */
function filesLost(): UnusableArchive {
  return new UnusableArchive('it is damaged: where it keeps its files is not known', { isDamaged: true });
}

/** A copy of another archive that was interrupted lacks rows or indexes. */
function copyUnfinished({ phase }: CopyMark): UnfinishedCopy {
  return new UnfinishedCopy('it is an unfinished copy; run the same arx archive copy again to complete it', {
    isMoved: phase === 'moved',
  });
}

function whyOf(cause: unknown): string {
  const missing = MISSING[String((cause as { code?: unknown }).code)];
  if (missing !== undefined) return missing;
  if (primaryCode(cause) === SQLITE.READONLY) return 'it may not be written to';
  return 'it is damaged, foreign or not permitted';
}

/** By SQLSTATE. */
const MISSING: Record<string, string> = {
  '3F000': 'there is no schema in it that this user may use',
};

type PostgresPlace = {
  url: string;
  blobs?: string | BucketPlace | undefined;
  blobsOption?: string | undefined;
  server?: PostgresServer | undefined;
  createSchema?: boolean;
  onMissing?: (() => void) | undefined;
};

/**
 * A folder with database and files (`isServed`: long reads hold up no other request), or a PostgreSQL database; `blobs`: the folder or the bucket of its files, absent where they are in it;
 * `blobsOption`: the option that named it, for messages (default: `--blobs`). `readOnly`: nothing
 * is changed or created. `mustExist`: a place without an archive is refused. `allowDamaged`: an archive that has lost the location of its files is opened with this one, so
 * that damage can be reported. `server`, `createSchema`, `onMissing`: as for {@link openPostgres}. `asCopy`: it may be an unfinished copy of another archive, which is refused otherwise; its
 * place of files is not claimed.
 */
export type ArchiveLocation = ({ dir: string; isServed?: boolean } | PostgresPlace) & {
  readOnly?: boolean;
  mustExist?: boolean;
  allowDamaged?: boolean;
  asCopy?: boolean;
};

/** Where the archive is, and the clock and random numbers that it uses. */
export type OpenOptions = ArchiveLocation & {
  /** Milliseconds since the epoch. */
  now(): number;
  randomBytes(count: number): Uint8Array;
  /** Resolves after so many milliseconds. Used while waiting for the lock of another process. */
  sleep(ms: number): Promise<void>;
  /** Called once when the lock of another process was waited for so long that the user should know. */
  onLongWait?: (() => void) | undefined;
  /** For an archive that is served: as for {@link openSqlite}. */
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
    await (mustExist ? checkArchiveExists(options.dir) : createArchiveFolder(options.dir));
  try {
    const opened = 'dir' in options ? await openFolder(options) : await openDatabase(options);
    const { database } = opened;
    const fill = (statements: Statements) => fillNew(statements, options);
    const archive: OpenArchive = { ...opened, readOnly, now, randomBytes, close: () => database.close() };
    try {
      // A database that was copied without its log may contain no table.
      if ('dir' in options && (await isLost(options.dir, () => hasNoTable(database))))
        throw databaseMissing();
      // Its creation failed, for example at a limit, and was undone.
      if (mustExist && 'dir' in options && (await hasNoTable(database)))
        throw new NoArchive('there is no archive');
      if (readOnly) await checkSchema(database);
      // The key is created now, so that listing files never writes, for example on a full disk.
      else if (await migrate(database, mustExist ? undefined : fill)) await fileKey(archive);
      const mark = options.asCopy === true ? undefined : await copyMark(database).catch(() => undefined);
      if (mark !== undefined) throw copyUnfinished(mark);
      if (!('dir' in options)) await checkFiles(archive, options);
      else if (!readOnly) await makeFilesPrivate(options.dir);
    } catch (error) {
      await database.close();
      throw error;
    }
    return archive;
  } catch (error) {
    throw openingError('dir' in options ? await withSystemCode(error, options.dir) : error);
  }
}

/**
 * SQLite gives one code for a file that it may not open and for one that no descriptor is left for. The system's error is the
 * second; where the file can be opened and its folder written, descriptors are missing for the log.
 */
async function withSystemCode(error: unknown, dir: string): Promise<unknown> {
  if (primaryCode(error) !== SQLITE.CANTOPEN) return error;
  try {
    await (await open(join(dir, DATABASE), 'r')).close();
    await access(dir, constants.W_OK);
  } catch (cause) {
    return ['EMFILE', 'ENFILE'].includes((cause as NodeJS.ErrnoException).code ?? '') ? cause : error;
  }
  return Object.assign(new Error('no descriptor is left', { cause: error }), { code: 'EMFILE' });
}

/** Writes what a new archive has. One that is made for a copy is never seen empty. */
async function fillNew(statements: Statements, { randomBytes, asCopy }: OpenOptions): Promise<void> {
  await storeFileKey(statements, randomBytes);
  if (asCopy === true) await storeCopyMark(statements, { version: 1, run: '', phase: 'empty' });
}

async function createArchiveFolder(dir: string): Promise<void> {
  await makeFolder(dir, 0o700).catch((error: unknown) => {
    throw isNoSpace(error) ? openingError(error) : error;
  });
}

async function checkArchiveExists(dir: string): Promise<void> {
  const isThere = (await sizeOf(join(dir, DATABASE))) > 0 || (await hasShards(dir));
  if (!isThere) throw new NoArchive('there is no archive');
}

/** Returns the same location, read-only where its database file cannot be written, for example on a read-only medium. */
export async function readOnlyIfNotWritable(place: ArchiveLocation): Promise<ArchiveLocation> {
  if (!('dir' in place) || place.readOnly === true) return place;
  const errorCode = await access(join(place.dir, DATABASE), constants.W_OK).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => code,
  );
  return ['EROFS', 'EACCES', 'EPERM'].includes(errorCode ?? '') ? { ...place, readOnly: true } : place;
}

function openingError(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const isKnown = [NewerSchema, NoArchive, OlderSchema, OtherFilesLocation, DatabaseAccessError].some(
    (kind) => error instanceof kind,
  );
  if (isKnown) return error;
  const meant = accessErrorOf(error);
  // A file that this user may not write is another matter than a disk on which nobody can make one.
  const isReadOnlyDisk = (error as NodeJS.ErrnoException).code === 'EROFS';
  const isFailing = meant instanceof DatabaseAccessError && (meant.kind !== 'read_only' || isReadOnlyDisk);
  return isFailing ? meant : new ArchiveUnreadable(error);
}

type Opened = Pick<Archive, 'database' | 'blobs' | 'shared'>;

type Folder = Pick<OpenOptions, 'sleep' | 'onLongWait' | 'readOnly' | 'startReads'> & { dir: string };

async function openFolder({ dir, readOnly = false, ...options }: Folder): Promise<Opened> {
  const path = join(dir, DATABASE);
  if (await isLost(dir, () => hasNoBytes(path))) throw databaseMissing();
  if (!readOnly) await createPrivate(path);
  const { openSqlite } = await import('./engines/sqlite.ts');
  const database = await openSqlite({ ...options, path, readOnly });
  return { database, blobs: openFolderFiles(join(dir, BLOBS)), shared: PROCESS_COUNTERS };
}

type PostgresLocation = PostgresPlace & {
  readOnly?: boolean;
  mustExist?: boolean;
  allowDamaged?: boolean;
  asCopy?: boolean;
};

async function openDatabase(
  options: PostgresLocation & Pick<OpenOptions, 'sleep' | 'randomBytes'>,
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

/** Opens a place for the files of an archive on PostgreSQL; none is the database. */
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

/** The archive keeps its files in another place than the one it was opened with. `hint`: what to do. */
export class OtherFilesLocation extends Error {
  readonly hint: string;

  constructor(found: FilesPlace, given: FilesPlace, place: string | undefined) {
    super(
      `the archive keeps its files in the ${found}, not in a ${given}${place === undefined ? '' : `: ${place}`}`,
    );
    this.hint =
      found === 'database'
        ? 'name no place of files: leave out --blobs, --from-blobs or --to-blobs'
        : `name that ${found}, where they were imported or moved to: --blobs, --from-blobs or --to-blobs`;
  }
}

/** Makes all processes use the same location for files, that of the first process. */
async function checkFiles(archive: OpenArchive, { allowDamaged, asCopy }: PostgresLocation): Promise<void> {
  const { database, readOnly } = archive;
  const place = filesPlaceOf(archive);
  const decided = await filesLocation(database);
  // Check the folder before storing the location: a refused folder must not fix it.
  // That of a copy is claimed when it has the key of the archive.
  const isThere =
    asCopy !== true && (decided === place || decided === 'undecided') ? await claimFiles(archive) : undefined;
  if (!readOnly && decided === 'undecided') {
    await decideFilesLocation(database, place);
  }
  const found = await filesLocation(database);
  if (found === 'lost' && allowDamaged !== true) throw filesLost();
  if (isThere !== undefined && found === place) {
    archive.filesHome = { kind: place, id: await filesId(database) };
    archive.filesThere = async () => (await isThere()) && (await isFilesHome(archive));
  }
  if (found === 'lost' || found === 'undecided' || found === place) return;
  throw new OtherFilesLocation(found, place, archive.blobs.mark?.place);
}

const DATABASE = 'archive.db';
const BLOBS = 'blobs';

/**
 * Whether there are files of an archive without its database. Then no new database is created. `isNone` is called again
 * after looking for files: another process may be creating the archive, and it creates tables before files.
 */
async function isLost(dir: string, isNone: () => Promise<boolean>): Promise<boolean> {
  return (await isNone()) && (await hasShards(dir)) && isNone();
}

async function hasShards(dir: string): Promise<boolean> {
  const names = await readdir(join(dir, BLOBS)).catch(() => []);
  return names.some((name) => /^[\da-f]{2}$/.test(name));
}

async function hasNoBytes(path: string): Promise<boolean> {
  return sizeOf(path).then(
    (size) => size === 0,
    () => true,
  );
}

async function hasNoTable(database: Database): Promise<boolean> {
  return (await database.get('SELECT 1 FROM sqlite_master LIMIT 1')) === undefined;
}

/** Called when the folder is known to be an archive. SQLite gives new files the mode of the database file. */
async function makeFilesPrivate(dir: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await makePrivate(join(dir, DATABASE + end));
}

/** Creates the database file before SQLite does, which would make it readable for everyone. */
async function createPrivate(path: string): Promise<void> {
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
