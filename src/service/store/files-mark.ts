// Marks the folder or bucket in which an archive on PostgreSQL keeps its files, so that no other one is taken for it.
import * as z from 'zod';
import { Fault, NOTHING_CHANGED } from '../../faults.ts';
import type { Archive } from './archive.ts';
import type { BlobsMark } from './files/blobs.ts';
import { archiveId } from './meta-table/file-key.ts';
import { storedFilesHome, storeFilesMarked } from './meta-table/files-location.ts';

const MARK = 'arx-archive.json';
/** `place`: the id of the place, absent in one that the archive began with. */
const Mark = z.object({ version: z.literal(1), archive: z.string(), place: z.string().optional() });
type Mark = z.infer<typeof Mark>;

/** How many of the oldest files are looked for in a place without a mark. */
const OLDEST_FILES = 16;

/**
 * Makes sure that the files of an archive are where it was opened with, and marks the place unless the archive is read-only. A
 * place without a mark, as an older arx leaves it, must contain one of the archive's oldest files; where there are none, no place
 * may have been marked before. Returns a function that tells whether the place is still there. Throws Fault 'store' for another place, 'disk' or 'unsafe' when
 * a folder cannot be created or read, and DatabaseAccessError for a bucket.
 */
export async function claimFiles(archive: Archive): Promise<() => Promise<boolean>> {
  const { mark } = archive.blobs;
  if (mark === undefined) return async () => true;
  const isMarked = await claimMark(archive, mark);
  const isThere = async (): Promise<boolean> => {
    try {
      return isMarked ? (await mark.read(MARK)) !== undefined : await mark.isThere();
    } catch {
      return false;
    }
  };
  // There is no folder yet, and a read-only archive creates none.
  return (await isThere()) ? isThere : async () => true;
}

async function claimMark(archive: Archive, mark: BlobsMark): Promise<boolean> {
  // A read-only archive may have lost its key. `arx fsck` reports that.
  const id = await archiveId(archive).catch((error: unknown) => {
    if (!archive.readOnly) throw error;
    return undefined;
  });
  const { id: place, isMarked } = await storedFilesHome(archive.database);
  const named = await namedBy(mark);
  if (named !== undefined && id !== undefined) {
    if (named.archive !== id) throw wrongPlaceFault(mark, `its ${MARK} names another archive`);
    if (named.id !== place) throw wrongPlaceFault(mark, 'the archive keeps its files in another place now');
    if (!archive.readOnly && !isMarked) await storeFilesMarked(archive.database);
    return true;
  }
  if (place !== '') throw wrongPlaceFault(mark, `its ${MARK} is missing`);
  const oldest = await oldestFiles(archive);
  if (oldest.length === 0 && isMarked) throw wrongPlaceFault(mark, `its ${MARK} is missing`);
  if (oldest.length > 0 && !(await holdsOne(archive, oldest)))
    throw wrongPlaceFault(mark, 'it holds none of the oldest files of the archive');
  if (archive.readOnly || id === undefined) return false;
  await writeMark(mark, { version: 1, archive: id });
  const namedAfter = await namedBy(mark);
  if (namedAfter !== undefined && namedAfter.archive !== id)
    throw wrongPlaceFault(mark, `its ${MARK} names another archive`);
  if (namedAfter !== undefined) await storeFilesMarked(archive.database);
  return namedAfter !== undefined;
}

/**
 * Marks a place that files are moved to, and returns its id: that of its mark where this archive has marked it before. Throws
 * Fault 'unsafe' where another archive has, and 'disk' where it cannot be marked.
 */
export async function markNewPlace(archive: Archive, mark: BlobsMark, newId: string): Promise<string> {
  const own = await archiveId(archive);
  if ((await namedBy(mark)) === undefined) await writeMark(mark, { version: 1, archive: own, place: newId });
  const named = await namedBy(mark);
  if (named === undefined) throw new Fault('disk', `cannot write ${MARK} in ${mark.place}`);
  if (named.archive === own) return named.id;
  throw otherArchiveFault(mark);
}

/** Throws what {@link markNewPlace} throws for a place that cannot be read or has the files of another archive. Writes nothing. */
export async function checkNewPlace(archive: Archive, mark: BlobsMark): Promise<void> {
  const named = await namedBy(mark);
  if (named !== undefined && named.archive !== (await archiveId(archive))) throw otherArchiveFault(mark);
}

function otherArchiveFault({ place }: BlobsMark): Fault {
  return new Fault('unsafe', `${place} has the files of another archive: its ${MARK} names it`, {
    kept: NOTHING_CHANGED,
  });
}

async function writeMark(mark: BlobsMark, content: Mark): Promise<void> {
  await mark.write(MARK, `${JSON.stringify(content)}\n`);
}

async function oldestFiles({ database }: Archive): Promise<string[]> {
  const rows = await database.all<{ sha256: string }>(
    'SELECT sha256 FROM attachments WHERE stored = 1 ORDER BY n LIMIT $1',
    [OLDEST_FILES],
  );
  return rows.map(({ sha256 }) => sha256);
}

async function holdsOne({ blobs }: Archive, files: readonly string[]): Promise<boolean> {
  for (const sha256 of files) if ((await blobs.size(sha256)) !== undefined) return true;
  return false;
}

/** Returns the archive that the mark names, and the id of the place; undefined where there is no mark. */
async function namedBy(mark: BlobsMark): Promise<{ archive: string; id: string } | undefined> {
  const text = await mark.read(MARK);
  if (text === undefined) return undefined;
  try {
    const { archive, place = '' } = Mark.parse(JSON.parse(text));
    return { archive, id: place };
  } catch {
    throw wrongPlaceFault(mark, `its ${MARK} cannot be understood`);
  }
}

function wrongPlaceFault({ place, kind, option }: BlobsMark, why: string): Fault {
  return new Fault('store', `${option} ${place} is not the ${kind} of this archive: ${why}`, {
    kept: NOTHING_CHANGED,
    hint: `give the ${kind} that the archive began with${kind === 'folder' ? '; is it mounted?' : ''}`,
  });
}
