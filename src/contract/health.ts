// The health reply (interface 4.5, shape not shown: ours).
import * as z from 'zod';
import { Integrity } from './quantity.ts';

/** `counts` are rows in the archive; `asset_url` is where its files are served; `drift` what is injected on demand. */
export const Health = z.looseObject({
  status: z.string(),
  service: z.string().optional(),
  version: z.string().optional(),
  time: z.string().optional(),
  asset_url: z.string().optional(),
  database: z.string().optional(),
  integrity: Integrity.optional(),
  drift_ratio: z.number().optional(),
  counts: z.record(z.string(), z.number()).optional(),
});
export type Health = z.infer<typeof Health>;
