// A named sequence: where entries are reported and where they were checked to be (interface 4.4). The shape is our choice.
import * as z from 'zod';
import { Integrity } from './scalars.ts';

/** One entry of a sequence as our service sends it. `reported` is the position that the record claims, `checked` its rank by arrival, `offset` = reported − checked. */
export const SentPosition = z.looseObject({
  entry: z.string(),
  message_id: z.string().nullable().optional(),
  source: z.string().optional(),
  status: z.string().optional(),
  reported: z.number().int(),
  checked: z.number().int(),
  offset: z.number().int(),
});

/** The same entry as a client reads it. Another service may lack any of these fields. */
export const Position = SentPosition.partial();
export type Position = z.infer<typeof Position>;

/** One page of a sequence as our service sends it. `total` counts all entries of the sequence, `displaced` all whose offset is not 0. */
export const SentSequence = z.looseObject({
  name: z.string(),
  status: z.string().optional(),
  total: z.number().int().min(0).optional(),
  displaced: z.number().int().min(0).optional(),
  drift_ratio: z.number().optional(),
  integrity: Integrity.optional(),
  has_more: z.boolean().optional(),
  data: z.array(SentPosition),
});
export type SentSequence = z.infer<typeof SentSequence>;

/** The sequence that the interface names: messages in order of arrival. */
export const ARC_RECONSTRUCTION = 'arc_reconstruction';
/** Our second sequence: events in order of arrival, against the order in which they took effect. */
export const MIRROR_RELAY = 'mirror_relay';
