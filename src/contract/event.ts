// Stored events and acknowledgements (interface 2.4, 4.6). What is sent is in ingest.ts.
import * as z from 'zod';
import { Flag, OptionalInteger, OptionalText, Text } from './scalars.ts';

/** Reply of the ingest endpoint to one event (interface 4.6). */
export const Acknowledgement = z.looseObject({
  accepted: Flag,
  event_id: Text,
  type: Text,
  status: Text,
});
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/**
 * A stored event as our service sends it: its envelope (interface 2.4) and what became of it. `effect` is queued, applied, recorded, waiting, superseded
 * or dead. `failures` counts failed attempts to apply it; `error` describes the last one.
 */
export const SentEnvelope = z.looseObject({
  id: Text,
  type: Text,
  status: Text,
  payload: z.record(Text, z.unknown()),
  sequence: OptionalInteger,
  received_at: OptionalText,
  effect: OptionalText,
  deliveries: OptionalInteger,
  failures: OptionalInteger,
  error: OptionalText,
});

/** The same event as a client reads it. Another service may lack every field but `id`. */
export const Envelope = SentEnvelope.partial({ type: true, status: true, payload: true });
export type Envelope = z.infer<typeof Envelope>;
