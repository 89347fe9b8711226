// Where an archive on PostgreSQL keeps its files, stored in the table `meta`.
import { FILES_PLACES, type FilesPlace } from '../../../contract/files-place.ts';
import type { Archive } from '../archive.ts';
import type { Statements } from '../sql/database.ts';

/** `lost`: the archive has messages, but the value is missing or unknown. */
export type FilesLocation = FilesPlace | 'undecided' | 'lost';

/** Returns the location. The first process that opens an archive decides it, before there is any message. */
export async function filesLocation(statements: Statements): Promise<FilesLocation> {
  const found = await statements.get<{ value: string | null; message: number | null }>(
    `SELECT (SELECT value FROM meta WHERE key = 'files') AS value, (SELECT MIN(n) FROM messages) AS message`,
  );
  const value = found?.value ?? null;
  const place = FILES_PLACES.find((each) => each === value);
  if (place !== undefined) return place;
  return value === null && found?.message == null ? 'undecided' : 'lost';
}

/** Stores the location unless another process did so first. */
export async function decideFilesLocation(statements: Statements, location: FilesPlace): Promise<void> {
  await statements.run(`INSERT INTO meta VALUES ('files', $1) ON CONFLICT (key) DO NOTHING`, [location]);
}

/** Returns where an open archive keeps its files. */
export function filesPlaceOf({ blobs }: Pick<Archive, 'blobs'>): FilesPlace {
  return blobs.mark?.kind ?? 'database';
}
