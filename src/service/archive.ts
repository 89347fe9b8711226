// What an open archive is: its database, its blob folder, and what both were opened with.
import type { Database } from './store/database.ts';
import type { Blobs } from './store/blobs.ts';

export type Archive = {
  database: Database;
  blobs: Blobs;
  /** Milliseconds since the epoch. */
  now(): number;
  randomBytes(count: number): Uint8Array;
};
