// Where an archive on PostgreSQL keeps its files, stored in the table `meta`.
import * as z from 'zod';
import { FILES_PLACES, type FilesPlace } from '../../../contract/files-place.ts';
import { Fault } from '../../../faults.ts';
import type { Archive, FilesHome } from '../archive.ts';
import type { Statements } from '../sql/database.ts';

/** `undecided`: there is no value and no message yet. `lost`: the archive has messages, but the value is missing or unknown. */
export type FilesLocation = FilesPlace | 'undecided' | 'lost';

const Home = z.object({ kind: z.enum(FILES_PLACES), id: z.string() });

const KIND = 'files';
const ID = 'files_id';
const MOVE = 'files_move';
const MARKED = 'files_marked';

/** Returns the location. The first process that opens an archive stores it, before there is any message. */
export async function filesLocation(statements: Statements): Promise<FilesLocation> {
  const found = await statements.get<{ value: string | null; message: number | null }>(
    `SELECT (SELECT value FROM meta WHERE key = '${KIND}') AS value, (SELECT MIN(n) FROM messages) AS message`,
  );
  const value = found?.value ?? null;
  const place = FILES_PLACES.find((each) => each === value);
  if (place !== undefined) return place;
  return value === null && found?.message == null ? 'undecided' : 'lost';
}

/** Stores the location unless another process did so first. */
export async function decideFilesLocation(statements: Statements, location: FilesPlace): Promise<void> {
  await statements.run(`INSERT INTO meta VALUES ('${KIND}', $1) ON CONFLICT (key) DO NOTHING`, [location]);
}

/** Returns where an open archive keeps its files. */
export function filesPlaceOf({ blobs }: Pick<Archive, 'blobs'>): FilesPlace {
  return blobs.mark?.kind ?? 'database';
}

/**
 * What the table says of the present place of the files: its kind and its id, which is empty for the first place. `isMarked`: it was marked
 * once. `move`: the place that the files are being moved to, as JSON.
 */
type StoredHome = { kind: string | undefined; id: string; isMarked: boolean; move: string | undefined };

/** Returns what the table says of the present place of the files. */
export async function storedFilesHome(statements: Statements): Promise<StoredHome> {
  const rows = await statements.all<{ key: string; value: string }>(
    `SELECT key, value FROM meta WHERE key IN ('${KIND}', '${ID}', '${MOVE}', '${MARKED}')`,
  );
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  return {
    kind: values.get(KIND),
    id: values.get(ID) ?? '',
    isMarked: values.has(MARKED),
    move: values.get(MOVE),
  };
}

/** Stores that the place of the files is marked. */
export async function storeFilesMarked(statements: Statements): Promise<void> {
  await setValue(statements, MARKED, 'yes');
}

/** Returns the place that the files are being moved to; undefined where they are not. */
export async function filesMove(statements: Statements): Promise<FilesHome | undefined> {
  const { move } = await storedFilesHome(statements);
  return move === undefined ? undefined : Home.parse(JSON.parse(move));
}

/** Stores that the files are being moved: until {@link endFilesMove} nobody stores new ones. */
export async function beginFilesMove(statements: Statements, to: FilesHome): Promise<void> {
  await setValue(statements, MOVE, JSON.stringify(to));
}

/** Stores that the move has ended. `to`: the place that has the files now; without it they stay where they were. */
export async function endFilesMove(statements: Statements, to?: FilesHome): Promise<void> {
  await statements.run(`DELETE FROM meta WHERE key = '${MOVE}'`);
  if (to === undefined) return;
  await setValue(statements, KIND, to.kind);
  await setValue(statements, ID, to.id);
}

/** Returns whether the archive still keeps its files in the place that it was opened with. */
export async function isFilesHome({ database, filesHome }: Archive): Promise<boolean> {
  return filesHome === undefined || isSame(filesHome, await storedFilesHome(database));
}

/**
 * Throws Fault 'store' where the files were moved since the archive was opened, and 'busy' while they are moved. In a transaction
 * that stores rows with files: files that were put into the place before it are there when it commits.
 */
export async function checkFilesHome(statements: Statements, { filesHome }: Archive): Promise<void> {
  if (filesHome === undefined) return;
  const stored = await storedFilesHome(statements);
  if (stored.move !== undefined)
    throw new Fault('busy', 'the files of this archive are being moved', {
      hint: 'run it again when arx blobs move has ended; if that was killed, run it again first',
    });
  if (!isSame(filesHome, stored))
    throw new Fault('store', 'the files of this archive were moved to another place meanwhile', {
      hint: 'run it again with --blobs and the new place',
    });
}

function isSame(home: FilesHome, stored: StoredHome): boolean {
  return home.kind === stored.kind && home.id === stored.id;
}

async function setValue(statements: Statements, key: string, value: string): Promise<void> {
  await statements.run(
    'INSERT INTO meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value',
    [key, value],
  );
}
