// Event envelopes, the five event types with their payloads, and the acknowledgement (interface 2.4, 4.6, 6).
import * as z from 'zod';
import { listOf } from './list.ts';

const name = z.string().min(1).max(200);

/** The id of an event: 1 to 200 visible characters without control characters. */
export const EventId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{C}]+$/u, 'must not hold control characters');

/** Payload of each type. Two are shown by the interface (section 6); the other three are our choice. Unknown fields pass. */
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
export type EventType = keyof typeof PAYLOADS;
export const EVENT_TYPES = Object.keys(PAYLOADS) as EventType[];

export const EVENT_MEANINGS: Record<EventType, string> = {
  'message.reordered': 'Message sequence changed with no body mutation',
  'attachment.reclassified': 'Attachment source or layer metadata changed',
  'contact.flagged': 'Contact trust or handler trace escalated',
  'sequence.diverged': 'Sequence drift crossed a warning threshold',
  'mirror.detected': 'A mirror layer has started echoing event envelopes',
};

/** What is sent to the ingest endpoint (interface 4.6). */
export const IngestRequest = z.object({
  id: EventId,
  type: name,
  payload: z.record(z.string(), z.unknown()),
});
export type IngestRequest = z.infer<typeof IngestRequest>;

export const Acknowledgement = z.looseObject({
  accepted: z.boolean(),
  event_id: z.string(),
  type: z.string(),
  status: z.string(),
});
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/**
 * Row of `events send --file` for an event that the service said no to; `line` is its line in the file, the first is 1,
 * and `error.code` the service's code.
 */
export const RefusedEvent = z.object({
  accepted: z.literal(false),
  event_id: z.string(),
  type: z.string(),
  status: z.literal('refused'),
  line: z.number().int().min(1),
  error: z.object({ code: z.string(), message: z.string() }),
});
export type RefusedEvent = z.infer<typeof RefusedEvent>;

/** Most envelopes that one request to the ingest endpoint may hold as `application/x-ndjson` (our choice). */
export const MAX_BATCH_EVENTS = 1_000;

/**
 * What became of one envelope of a batch: its acknowledgement, or why it was not taken in; `event_id` is null where it
 * has no id that is valid.
 */
const Outcome = z.union([
  Acknowledgement.extend({ accepted: z.literal(true) }),
  z.looseObject({
    accepted: z.literal(false),
    event_id: z.string().nullable(),
    error: z.looseObject({ code: z.string(), message: z.string() }),
  }),
]);

/**
 * Answer to a batch: `data` has one outcome for each line that is not blank, in their order; `status` is queued, or
 * partial.
 */
export const BatchAcknowledgement = z.looseObject({
  object: z.string().optional(),
  status: z.string(),
  data: z.array(Outcome),
});
export type BatchAcknowledgement = z.infer<typeof BatchAcknowledgement>;

/** Effects of events that are not in force, by which their list can be filtered. */
export const UNSETTLED_EFFECTS = ['queued', 'waiting', 'superseded', 'dead'] as const;

/**
 * An event as the service keeps it: the envelope of 2.4 and what became of it. `effect` is queued, applied, recorded,
 * waiting, superseded or dead; `failures` counts how often applying it failed, `error` is what the last one was.
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

export const EnvelopeList = listOf(Envelope);
export type EnvelopeList = z.infer<typeof EnvelopeList>;
