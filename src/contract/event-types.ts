// The event types that the interface names, and limits (interface 6). Without schemas, because the command list needs them.

/** What each event type means, in the words of the interface (interface 6). */
export const EVENT_MEANINGS = {
  'message.reordered': 'Message sequence changed with no body mutation',
  'attachment.reclassified': 'Attachment source or layer metadata changed',
  'contact.flagged': 'Contact trust or handler trace escalated',
  'sequence.diverged': 'Sequence drift crossed a warning threshold',
  'mirror.detected': 'A mirror layer has started echoing event envelopes',
} as const;

/** An event type that the interface names (interface 6). */
export type EventType = keyof typeof EVENT_MEANINGS;
/** All event types that the interface names. */
export const EVENT_TYPES = Object.keys(EVENT_MEANINGS) as EventType[];

/** Largest number of envelopes in one ingest request of type `application/x-ndjson` (interface 4.6, our choice). */
export const MAX_BATCH_EVENTS = 1_000;

/** Effects of events that changed nothing (yet). The list of events can be filtered by them (interface 2.4, our choice). */
export const UNSETTLED_EFFECTS = ['queued', 'waiting', 'superseded', 'dead'] as const;
