// The one list shape that the client works with, and the bodies that it accepts for it (interface 4.2, 4.7).
import * as z from 'zod';
import { Integrity } from './scalars.ts';

/**
 * Returns the schema of a list of `row`. It accepts `{status, data}`, `{object: "list", data, has_more}`, `{items, next}` and a bare array,
 * and parses them to `{…unknown fields, data, status?, has_more?, next?}`. Rows keep their unknown fields.
 */
export function listOf<Row extends z.ZodType>(row: Row) {
  const envelope = z.looseObject({
    data: z.array(row),
    status: z.string().optional(),
    has_more: z.boolean().optional(),
    next: z.string().nullable().optional(),
    drift_ratio: z.number().optional(),
    integrity: Integrity.optional(),
  });
  return z.preprocess(asEnvelope, envelope);
}

function asEnvelope(body: unknown): unknown {
  if (Array.isArray(body)) return { data: body };
  if (typeof body !== 'object' || body === null) return body;
  if ('data' in body || !('items' in body)) return body;
  const { items, ...rest } = body;
  return { ...rest, data: items };
}

/** The body that our service sends for every list. `drift_ratio` is 0 unless drift is injected. */
export type List<Row> = {
  object: 'list';
  status: 'stable' | 'partial';
  data: Row[];
  has_more: boolean;
  drift_ratio: number;
  integrity: number;
};
