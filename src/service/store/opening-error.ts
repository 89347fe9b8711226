// The errors of an archive that cannot be opened.
import type { FilesPlace } from '../../contract/files-place.ts';
import { Fault } from '../../faults.ts';
import type { CopyMark } from './meta-table/copy-mark.ts';
import { NewerSchema, OlderSchema } from './schema/migrate.ts';
import { accessErrorOf, DatabaseAccessError, isMissing } from './sql/database-error.ts';
import { primaryCode, SQLITE } from './sql/sqlite-result-codes.ts';
import { NoArchive, UnfinishedCopy, UnusableArchive } from './sql/unusable-archive.ts';

/** The archive cannot be opened. `why` says the reason as far as it is known; the cause is the engine's error. */
export class ArchiveUnreadable extends Error {
  readonly why: string;
  /** What to do, where something can be done. */
  readonly hint: string | undefined;
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
    this.hint =
      unfit?.hint ?? (this.isDamaged ? 'put a backup into a new place: arx help maintenance' : undefined);
    this.isUnfinishedCopy = cause instanceof UnfinishedCopy;
    this.isMoved = cause instanceof UnfinishedCopy && cause.isMoved;
    this.isMissing = isMissing(cause);
    this.why = unfit?.message ?? whyOf(cause);
  }
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

/** The archive keeps its files in another place than the one it was opened with. `hint`: what to do. */
export class OtherFilesLocation extends Error {
  readonly hint: string;

  constructor(found: FilesPlace, given: FilesPlace, place: string | undefined) {
    super(
      `the archive keeps its files in the ${found}, not in a ${given}${place === undefined ? '' : `: ${place}`}`,
    );
    this.hint =
      found === 'database'
        ? 'name no place of files: leave out --blobs, --from-blobs or --to-blobs; arx blobs move moves the files'
        : `name that ${found}, where they were imported or moved to: --blobs, --from-blobs or --to-blobs`;
  }
}

/** Returns the error of an archive that has messages and does not know where its files are. With a wrong guess all would seem lost. */
export function filesLost(): UnusableArchive {
  return new UnusableArchive('it is damaged: where it keeps its files is not known', { isDamaged: true });
}

/** Returns the error of an interrupted copy of another archive: it lacks rows or indexes. */
export function copyUnfinished({ phase }: CopyMark): UnfinishedCopy {
  return new UnfinishedCopy('it is an unfinished copy; run the same arx archive copy again to complete it', {
    isMoved: phase === 'moved',
  });
}

/** Returns what an error of opening means: a known one as it is, one of the database in our words, else {@link ArchiveUnreadable}. */
export function openingError(error: unknown): unknown {
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
