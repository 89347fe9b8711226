// Where an archive on PostgreSQL keeps its files, stored in the table `meta`.
import type { Statements } from '../sql/database.ts';

/** `lost`: the archive has messages, but the value is missing or unknown. */
export type FilesLocation = 'database' | 'folder' | 'undecided' | 'lost';

/** Returns the location. The first process that opens an archive decides it, before there is any message. */
export async function filesLocation(statements: Statements): Promise<FilesLocation> {
  const found = await statements.get<{ value: string | null; message: number | null }>(
    `SELECT (SELECT value FROM meta WHERE key = 'files') AS value, (SELECT MIN(n) FROM messages) AS message`,
  );
  const value = found?.value ?? null;
  if (value === 'database' || value === 'folder') return value;
  return value === null && found?.message == null ? 'undecided' : 'lost';
}

/** Stores the location unless another process did so first. */
export async function decideFilesLocation(
  statements: Statements,
  location: 'database' | 'folder',
): Promise<void> {
  await statements.run(`INSERT INTO meta VALUES ('files', $1) ON CONFLICT (key) DO NOTHING`, [location]);
}
