// The type of an open archive: its database, its files and the counters that its processes share.
import type { FilesPlace } from '../../contract/files-place.ts';
import type { Database } from './sql/database.ts';
import type { Blobs } from './files/blobs.ts';
import type { SharedCounters } from './shared-counters.ts';

/**
 * A place of files: its kind, and the id in its mark. An archive whose files were never moved has the empty id, and so have the
 * marks of its place.
 */
export type FilesHome = { kind: FilesPlace; id: string };

/** An open archive. */
export type Archive = {
  database: Database;
  blobs: Blobs;
  shared: SharedCounters;
  /** Returns whether the place of the files still exists and is that of the archive. Absent on SQLite. */
  filesThere?: () => Promise<boolean>;
  /** The place that the archive was opened with. Absent on SQLite, and for an unfinished copy. */
  filesHome?: FilesHome;
  /** This process must not change anything. */
  readOnly: boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  randomBytes(count: number): Uint8Array;
};
