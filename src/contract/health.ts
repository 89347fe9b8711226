// The health reply and the probes (interface 4.5). The interface shows no shape; all fields are our choice.
import * as z from 'zod';
import { OptionalFlag, OptionalInteger, OptionalIntegrity, OptionalText, Text } from './scalars.ts';

/**
 * The health reply (interface 4.5). `counts` are rows in the archive, withheld ones too. `asset_url` is where files are served. `drift_ratio` is 0
 * unless drift is injected. `schema` is the version of the database tables. `files_writable` is false where the folder of the
 * files lacks permission or space. `ingest_batch` is the number of events that one application/x-ndjson request may hold; absent
 * where such requests are not accepted.
 */
export const Health = z.looseObject({
  status: Text,
  service: OptionalText,
  version: OptionalText,
  time: OptionalText,
  asset_url: OptionalText,
  database: OptionalText,
  ingest_batch: z.number().int().min(1).optional(),
  integrity: OptionalIntegrity,
  drift_ratio: z.number().optional(),
  counts: z.record(Text, z.number()).optional(),
  schema: OptionalInteger,
  files_writable: OptionalFlag,
  read_only: OptionalFlag,
  uptime_ms: OptionalInteger,
});
export type Health = z.infer<typeof Health>;

/**
 * The reply to a probe. Only `/api/health/ready` has `reachable`, `schema` and `migration_needed` (of the database) and
 * `files_writable`. `files_there` is present, and false, only where the folder of the files is gone; `takes_writes`, only where
 * the service should write and the server of its database is a standby.
 */
export const Probe = z.looseObject({
  status: z.enum(['live', 'ready', 'unready']),
  uptime_ms: OptionalInteger,
  read_only: OptionalFlag,
  database: OptionalText,
  reachable: OptionalFlag,
  schema: z.number().int().nullable().optional(),
  migration_needed: OptionalFlag,
  files_writable: OptionalFlag,
  files_there: OptionalFlag,
  takes_writes: OptionalFlag,
});
export type Probe = z.infer<typeof Probe>;
