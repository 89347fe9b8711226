// What an open archive is: its database, its files, what its processes share, and what it was opened with.
import type { Database } from './sql/database.ts';
import type { Blobs } from './files/blobs.ts';
import type { SharedCounters } from './shared-counters.ts';

export type Archive = {
  database: Database;
  blobs: Blobs;
  shared: SharedCounters;
  /** Whether the place of the files is still there. Absent where they cannot go without the database. */
  filesThere?: () => Promise<boolean>;
  /** Nothing of it may be changed: another process may write it, or nobody can. */
  readOnly: boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  randomBytes(count: number): Uint8Array;
};
