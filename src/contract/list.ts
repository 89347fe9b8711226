// The body that our service sends for every list (interface 4.2, 4.7). What a client reads of other services: client/shapes.
import * as z from 'zod';
import { Integrity } from './scalars.ts';

/** Returns the schema of a list of `row` as our service sends it. `drift_ratio` is 0 unless drift is injected. */
export function sentListOf<Row extends z.ZodType>(row: Row) {
  return z.looseObject({
    object: z.literal('list'),
    status: z.enum(['stable', 'partial']),
    data: z.array(row),
    has_more: z.boolean(),
    drift_ratio: z.number().min(0).max(1),
    integrity: Integrity,
  });
}

/** The body that our service sends for a list. See {@link sentListOf}. */
export type List<Row> = {
  object: 'list';
  status: 'stable' | 'partial';
  data: Row[];
  has_more: boolean;
  drift_ratio: number;
  integrity: number;
};
