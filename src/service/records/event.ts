// Events: the columns of the table and the record of one event (interface 6).
import { bodyHash, type Effect } from '../rules/ingest.ts';
import { INTEGER, oneOf, orNull, table, TEXT, type RowOf } from './table.ts';

/** `n` is the order in which events were accepted, without gaps. */
export const EVENTS = table('events', {
  n: { type: INTEGER },
  id: { type: TEXT },
  type: { type: TEXT },
  /** The payload as it was sent, byte for byte; in events of earlier versions its canonical JSON. */
  payload: { type: TEXT },
  /** SHA-256 of type and canonical payload: two deliveries are the same event when it is equal. */
  body_sha256: { type: TEXT },
  received_ms: { type: INTEGER },
  deliveries: { type: INTEGER },
  effect: { type: oneOf<Effect>() },
  /** The ordinal in which the event took effect, null until then. */
  applied: { type: orNull(INTEGER) },
  /** The number of the message that the event waits for. */
  message: { type: orNull(INTEGER), read: false },
  /** The number of the attachment that the event waits for. */
  attachment: { type: orNull(INTEGER), read: false },
  /** How many times applying it failed, and the last error. */
  failures: { type: INTEGER, inserted: false },
  /** A queued event is applied at this time or later; 0 for at once. */
  due_ms: { type: INTEGER, read: false, inserted: false },
  error: { type: orNull(TEXT), inserted: false },
  /** SHA-256 of type and payload as stored; null where it is `body_sha256`, because the payload is canonical. */
  payload_sha256: { type: orNull(TEXT) },
});

/** An event as statements read it. */
export type EventRow = RowOf<typeof EVENTS>;

/** Returns the text of the payload of an event, undefined where type or payload are not those that were received. */
export function payloadOf({
  type,
  payload,
  payload_sha256,
  body_sha256,
}: Pick<EventRow, 'type' | 'payload' | 'payload_sha256' | 'body_sha256'>): string | undefined {
  return bodyHash(type, payload) === (payload_sha256 ?? body_sha256) ? payload : undefined;
}

/**
 * Returns the JSON text of one event as stored, with its effect and the bytes of its payload. A damaged one is listed without
 * its payload, as `partial`.
 */
export function eventText(row: EventRow): string {
  const payload = payloadOf(row);
  const { id, type, n, received_ms, effect, deliveries, failures } = row;
  const isDamaged = payload === undefined;
  const error = isDamaged ? 'the stored event is damaged: it is not the one received' : row.error;
  const head = JSON.stringify({ id, type, status: isDamaged ? 'partial' : eventStatusOf(effect) });
  const tail = JSON.stringify({
    sequence: n,
    received_at: new Date(received_ms).toISOString(),
    effect,
    deliveries,
    ...(failures === 0 ? {} : { failures }),
    ...(error === null ? {} : { error }),
  });
  return `${head.slice(0, -1)},"payload":${payload ?? '{}'},${tail.slice(1)}`;
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
