// Stored events and acknowledgements (interface 2.4, 4.6). What is sent is in ingest.ts.
import * as z from 'zod';

/** Reply of the ingest endpoint to one event (interface 4.6). */
export const Acknowledgement = z.looseObject({
  accepted: z.boolean(),
  event_id: z.string(),
  type: z.string(),
  status: z.string(),
});
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/**
 * A stored event: its envelope (interface 2.4) and what became of it. `effect` is queued, applied, recorded, waiting, superseded
 * or dead. `failures` counts failed attempts to apply it; `error` describes the last one.
 */
export const Envelope = z.looseObject({
  id: z.string(),
  type: z.string(),
  status: z.string(),
  payload: z.record(z.string(), z.unknown()),
  sequence: z.number().int().optional(),
  received_at: z.string().optional(),
  effect: z.string().optional(),
  deliveries: z.number().int().optional(),
  failures: z.number().int().optional(),
  error: z.string().optional(),
});
export type Envelope = z.infer<typeof Envelope>;
