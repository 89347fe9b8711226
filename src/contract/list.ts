// The one list a client works with, whatever of the plausible bodies a service sends (interface 4.2, 4.7: "not shown").
import * as z from 'zod';
import { Integrity } from './scalars.ts';

/**
 * Accepts `{status, data}`, `{object: "list", data, has_more}`, `{items, next}` and a bare array,
 * and yields `{…unknown fields, data, status?, has_more?, next?}`. Rows keep their unknown fields.
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

/** What our own service sends for every list. `drift_ratio` is what it reports of its drift, 0 when it has none. */
export type List<Row> = {
  object: 'list';
  status: 'stable' | 'partial';
  data: Row[];
  has_more: boolean;
  drift_ratio: number;
  integrity: number;
};
