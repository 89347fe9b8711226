// Events: the columns of the table and the record of one event (interface 6).
import type { Envelope } from '../../contract/event.ts';
import { bodyHash, type Effect } from '../rules/ingest.ts';
import { INTEGER, oneOf, orNull, table, TEXT, type RowOf } from './table.ts';

/** `n` is the order in which events were accepted, without gaps. */
export const EVENTS = table('events', {
  n: { type: INTEGER },
  id: { type: TEXT },
  type: { type: TEXT },
  /** Canonical JSON of the payload as sent. */
  payload: { type: TEXT },
  /** SHA-256 of type and payload: two deliveries are the same event when it is equal. */
  body_sha256: { type: TEXT },
  received_ms: { type: INTEGER },
  deliveries: { type: INTEGER },
  effect: { type: oneOf<Effect>() },
  /** The ordinal in which the event took effect, null until then. */
  applied: { type: orNull(INTEGER), inserted: false },
  /** The number of the message that the event waits for. */
  message: { type: orNull(INTEGER), read: false, inserted: false },
  /** The number of the attachment that the event waits for. */
  attachment: { type: orNull(INTEGER), read: false, inserted: false },
  /** How many times applying it failed, and the last error. */
  failures: { type: INTEGER, inserted: false },
  /** A queued event is applied at this time or later; 0 for at once. */
  due_ms: { type: INTEGER, read: false, inserted: false },
  error: { type: orNull(TEXT), inserted: false },
});

/** An event as statements read it. */
export type EventRow = RowOf<typeof EVENTS>;

/** Returns the payload of an event, undefined where type or payload are not those that were received. */
export function payloadOf(
  row: Pick<EventRow, 'type' | 'payload' | 'body_sha256'>,
): Record<string, unknown> | undefined {
  if (bodyHash(row.type, row.payload) !== row.body_sha256) return undefined;
  return JSON.parse(row.payload) as Record<string, unknown>;
}

/** Returns one event as stored, with its effect. A damaged one is listed without its payload, as `partial`. */
export function eventRecord(row: EventRow): Envelope {
  const payload = payloadOf(row);
  if (payload === undefined)
    row = { ...row, error: 'the stored event is damaged: it is not the one received' };
  return {
    id: row.id,
    type: row.type,
    status: payload === undefined ? 'partial' : eventStatusOf(row.effect),
    payload: payload ?? {},
    sequence: row.n,
    received_at: new Date(row.received_ms).toISOString(),
    effect: row.effect,
    deliveries: row.deliveries,
    ...(row.failures === 0 ? {} : { failures: row.failures }),
    ...(row.error === null ? {} : { error: row.error }),
  };
}

const STATUS: Record<Effect, 'stable' | 'partial'> = {
  queued: 'partial',
  waiting: 'partial',
  dead: 'partial',
  applied: 'stable',
  recorded: 'stable',
  superseded: 'stable',
};

/** Returns `partial` while the effect is still to come or will never come, `stable` otherwise. */
export function eventStatusOf(effect: Effect): 'stable' | 'partial' {
  return STATUS[effect];
}
