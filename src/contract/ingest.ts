// The request of the ingest endpoint with the payloads of the five event types, and the replies to many events (interface 4.6, 6).
import * as z from 'zod';
import { Acknowledgement } from './event.ts';
import type { EventType } from './event-types.ts';
import { fieldsOf, type RecordField } from './record-fields.ts';

const name = z.string().min(1).max(200);

/** The id of an event: 1 to 200 characters, none of them a control character (our choice). */
export const EventId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{C}]+$/u, 'must not hold control characters');

/** Payload schema of each event type (interface 6). The interface shows two of them; the others are our choice. Unknown fields are kept. */
export const PAYLOADS = {
  'message.reordered': z.looseObject({ id: name, entry: name, sequence: z.number().int().min(0) }),
  'attachment.reclassified': z.looseObject({
    id: name,
    source: name.optional(),
    decorative_layer: z.boolean().optional(),
  }),
  'contact.flagged': z.looseObject({
    contact: name,
    trust: z.string().optional(),
    handler_trace: z.string().optional(),
  }),
  'sequence.diverged': z.looseObject({
    name,
    drift_ratio: z.number().min(0),
    threshold: z.number().optional(),
  }),
  'mirror.detected': z.looseObject({ layer: name }),
} as const satisfies Record<EventType, z.ZodType>;

/** Returns the fields of the payload of an event type, with their types in words. */
export function payloadFields(type: EventType): RecordField[] {
  return fieldsOf(PAYLOADS[type]);
}

/** Request body of the ingest endpoint (interface 4.6). */
export const IngestRequest = z.object({
  id: EventId,
  type: name,
  payload: z.record(z.string(), z.unknown()),
});
export type IngestRequest = z.infer<typeof IngestRequest>;

/** Output row of `events send --file` for an event that the service refused. `line` counts from 1; `error.code` is the service's code. */
export const RefusedEvent = z.object({
  accepted: z.literal(false),
  event_id: z.string(),
  type: z.string(),
  status: z.literal('refused'),
  line: z.number().int().min(1),
  error: z.object({ code: z.string(), message: z.string() }),
});
export type RefusedEvent = z.infer<typeof RefusedEvent>;

/** Result for one envelope of a batch: its acknowledgement, or why it was refused. `event_id` is null where the line has no valid id. */
const Outcome = z.union([
  Acknowledgement.extend({ accepted: z.literal(true) }),
  z.looseObject({
    accepted: z.literal(false),
    event_id: z.string().nullable(),
    error: z.looseObject({ code: z.string(), message: z.string() }),
  }),
]);

/** Reply to a batch. `data` has one result for each line that is not blank, in their order. `status` is queued or partial. */
export const BatchAcknowledgement = z.looseObject({
  object: z.string().optional(),
  status: z.string(),
  data: z.array(Outcome),
});
export type BatchAcknowledgement = z.infer<typeof BatchAcknowledgement>;
