// An archive as one state of its database shows it.
import type { Archive } from './archive.ts';
import type { PostgresDatabase } from './engines/postgres.ts';
import { openDatabaseFiles } from './files/database-files.ts';
import type { Database, Statements } from './sql/database.ts';
import { longReadsOver } from './sql/long-reads.ts';

/**
 * Returns the archive as the statements of a snapshot read it, also the files in its database. Nothing may be written. Each statement is
 * one of the snapshot's transaction, so many small reads cost less.
 */
export function snapshotView(archive: Archive, statements: Statements): Archive {
  const database: Database = {
    ...archive.database,
    ...statements,
    longReads: longReadsOver(statements),
    dataVersion: () => 0,
  };
  const { blobs } = archive;
  const isInDatabase = database.engine === 'postgres' && blobs.mark === undefined;
  return {
    ...archive,
    database,
    blobs: isInDatabase ? openDatabaseFiles(database as PostgresDatabase) : blobs,
    readOnly: true,
  };
}
