// The health reply (interface 4.5, shape not shown: ours).
import * as z from 'zod';
import { Integrity } from './scalars.ts';

/**
 * `counts` are rows in the archive; `asset_url` is where its files are served; `drift` what is injected on demand.
 * `schema` is the version of the database's tables; `files_writable` is false where their folder
 * takes none, for want of rights or space. `ingest_batch` is how many events one request of application/x-ndjson may hold,
 * absent where it takes none.
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
 * The answer to a probe. `reachable`, `schema` and `migration_needed` are of the database, and with `files_writable` only
 * in the answer to `/api/health/ready`; `files_there` is in it, and false, where the folder of the files is gone.
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
});
export type Probe = z.infer<typeof Probe>;
