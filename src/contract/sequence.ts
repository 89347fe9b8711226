// A named sequence: positions as reported against positions as checked (interface 4.4, shape not shown: ours).
import * as z from 'zod';
import { Integrity } from './scalars.ts';

/** `reported` is what the record claims, `checked` its rank by arrival, `offset` = reported − checked. */
export const Position = z.looseObject({
  entry: z.string(),
  message_id: z.string().nullable().optional(),
  source: z.string().optional(),
  status: z.string().optional(),
  reported: z.number().int(),
  checked: z.number().int(),
  offset: z.number().int(),
});
export type Position = z.infer<typeof Position>;

/** One page of a sequence. `total` counts all positions, `displaced` those with offset ≠ 0, over the whole sequence. */
export const Sequence = z.looseObject({
  name: z.string(),
  status: z.string().optional(),
  total: z.number().int().min(0).optional(),
  displaced: z.number().int().min(0).optional(),
  drift_ratio: z.number().optional(),
  integrity: Integrity.optional(),
  has_more: z.boolean().optional(),
  data: z.array(Position),
});
export type Sequence = z.infer<typeof Sequence>;

export const ARC_RECONSTRUCTION = 'arc_reconstruction';
/** Our second sequence: events in order of arrival at the relay against the order in which they took effect. */
export const MIRROR_RELAY = 'mirror_relay';
