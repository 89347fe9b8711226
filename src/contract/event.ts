// Event envelopes, the five event types with their payloads, and the acknowledgement (interface 2.4, 4.6, 6).
import * as z from 'zod';

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
} as const;
/** An event type that the interface names (interface 6). */
export type EventType = keyof typeof PAYLOADS;
/** All event types that the interface names. */
export const EVENT_TYPES = Object.keys(PAYLOADS) as EventType[];

/** What each event type means, in the words of the interface (interface 6). */
export const EVENT_MEANINGS: Record<EventType, string> = {
  'message.reordered': 'Message sequence changed with no body mutation',
  'attachment.reclassified': 'Attachment source or layer metadata changed',
  'contact.flagged': 'Contact trust or handler trace escalated',
  'sequence.diverged': 'Sequence drift crossed a warning threshold',
  'mirror.detected': 'A mirror layer has started echoing event envelopes',
};

/** Request body of the ingest endpoint (interface 4.6). */
export const IngestRequest = z.object({
  id: EventId,
  type: name,
  payload: z.record(z.string(), z.unknown()),
});
export type IngestRequest = z.infer<typeof IngestRequest>;

/** Reply of the ingest endpoint to one event (interface 4.6). */
export const Acknowledgement = z.looseObject({
  accepted: z.boolean(),
  event_id: z.string(),
  type: z.string(),
  status: z.string(),
});
export type Acknowledgement = z.infer<typeof Acknowledgement>;

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

/** Largest number of envelopes in one ingest request of type `application/x-ndjson` (interface 4.6, our choice). */
export const MAX_BATCH_EVENTS = 1_000;

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

/** Effects of events that changed nothing (yet). The list of events can be filtered by them (interface 2.4, our choice). */
export const UNSETTLED_EFFECTS = ['queued', 'waiting', 'superseded', 'dead'] as const;

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
