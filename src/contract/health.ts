// The health reply and the probes (interface 4.5). The interface shows no shape; all fields are our choice.
import * as z from 'zod';
import { Integrity } from './scalars.ts';

/**
 * The health reply (interface 4.5). `counts` are rows in the archive, withheld ones too. `asset_url` is where files are served. `drift_ratio` is 0
 * unless drift is injected. `schema` is the version of the database tables. `files_writable` is false where the folder of the
 * files lacks permission or space. `ingest_batch` is the number of events that one application/x-ndjson request may hold; absent
 * where such requests are not accepted.
 */
export const Health = z.looseObject({
  status: z.string(),
  service: z.string().optional(),
  version: z.string().optional(),
  time: z.string().optional(),
  asset_url: z.string().optional(),
  database: z.string().optional(),
  ingest_batch: z.number().int().min(1).optional(),
  integrity: Integrity.optional(),
  drift_ratio: z.number().optional(),
  counts: z.record(z.string(), z.number()).optional(),
  schema: z.number().int().optional(),
  files_writable: z.boolean().optional(),
  read_only: z.boolean().optional(),
  uptime_ms: z.number().int().optional(),
});
export type Health = z.infer<typeof Health>;

/**
 * The reply to a probe. Only `/api/health/ready` has `reachable`, `schema` and `migration_needed` (of the database) and
 * `files_writable`. `files_there` is present, and false, only where the folder of the files is gone; `takes_writes`, only where
 * the service should write and the server of its database is a standby.
 */
export const Probe = z.looseObject({
  status: z.enum(['live', 'ready', 'unready']),
  uptime_ms: z.number().int().optional(),
  read_only: z.boolean().optional(),
  database: z.string().optional(),
  reachable: z.boolean().optional(),
  schema: z.number().int().nullable().optional(),
  migration_needed: z.boolean().optional(),
  files_writable: z.boolean().optional(),
  files_there: z.boolean().optional(),
  takes_writes: z.boolean().optional(),
});
export type Probe = z.infer<typeof Probe>;
