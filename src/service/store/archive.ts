// The type of an open archive: its database, its files and the counters that its processes share.
import type { Database } from './sql/database.ts';
import type { Blobs } from './files/blobs.ts';
import type { SharedCounters } from './shared-counters.ts';

/** An open archive. */
export type Archive = {
  database: Database;
  blobs: Blobs;
  shared: SharedCounters;
  /** Returns whether the folder of the files still exists. Absent where files and database are in one place. */
  filesThere?: () => Promise<boolean>;
  /** This process must not change anything. */
  readOnly: boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  randomBytes(count: number): Uint8Array;
};
