// A named sequence: where entries are reported and where they were checked to be (interface 4.4). The shape is our choice.
import * as z from 'zod';
import {
  Integer,
  OptionalCount,
  OptionalFlag,
  OptionalIntegrity,
  OptionalText,
  OptionalTextOrNull,
  Text,
} from './scalars.ts';

/** One entry of a sequence as our service sends it. `reported` is the position that the record claims, `checked` its rank by arrival, `offset` = reported − checked. */
export const SentPosition = z.looseObject({
  entry: Text,
  message_id: OptionalTextOrNull,
  source: OptionalText,
  status: OptionalText,
  reported: Integer,
  checked: Integer,
  offset: Integer,
});

/** The same entry as a client reads it. Another service may lack any of these fields. */
export const Position = SentPosition.partial();
export type Position = z.infer<typeof Position>;

/** One page of a sequence as our service sends it. `total` counts all entries of the sequence, `displaced` all whose offset is not 0. */
export const SentSequence = z.looseObject({
  name: Text,
  status: OptionalText,
  total: OptionalCount,
  displaced: OptionalCount,
  drift_ratio: z.number().optional(),
  integrity: OptionalIntegrity,
  has_more: OptionalFlag,
  data: z.array(SentPosition),
});
export type SentSequence = z.infer<typeof SentSequence>;

/** The sequence that the interface names: messages in order of arrival. */
export const ARC_RECONSTRUCTION = 'arc_reconstruction';
/** Our second sequence: events in order of arrival, against the order in which they took effect. */
export const MIRROR_RELAY = 'mirror_relay';
