// The type of an open archive: its database, its files and the counters that its processes share.
import type { Database } from './sql/database.ts';
import type { Blobs } from './files/blobs.ts';
import type { FilesHome } from './meta-table/files-location.ts';
import type { SharedCounters } from './shared-counters.ts';

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
