// Ingest as a pure decision: which envelopes are taken in, when two are the same, and which of two writers is the last.
import { hash } from 'node:crypto';
import type * as z from 'zod';
import {
  EVENT_TYPES,
  EventId,
  IngestRequest,
  PAYLOADS,
  UNSETTLED_EFFECTS,
  type EventType,
} from '../../contract/event.ts';
import { ApiError } from './api-error.ts';
import { validationMessage } from './validation-message.ts';

/**
 * What became of an event (our choice): `queued` until it is applied, `waiting` for its record, `superseded` by an event
 * with a greater id, `dead` after too many tries to apply it.
 */
export type Effect = 'applied' | 'recorded' | (typeof UNSETTLED_EFFECTS)[number];

/** An event that was validated once, with what of it has an effect. */
export type KnownEvent = { id: string } & {
  [T in EventType]: { type: T; payload: z.infer<(typeof PAYLOADS)[T]> };
}[EventType];

/** Times an event is tried before it is dead, and the pause after the first failure, doubled with each. */
const MAX_FAILURES = 8;
const FIRST_PAUSE_MS = 1_000;

/** What a queued event becomes that could not be applied for the `failures`th time, at `now` in milliseconds. */
export function afterFailure(failures: number, now: number): { effect: 'queued' | 'dead'; due_ms: number } {
  return failures >= MAX_FAILURES
    ? { effect: 'dead', due_ms: 0 }
    : { effect: 'queued', due_ms: now + FIRST_PAUSE_MS * 2 ** (failures - 1) };
}

export { UNSETTLED_EFFECTS as UNSETTLED };

export type AcceptedEvent = {
  id: string;
  type: EventType;
  payload: Record<string, unknown>;
  /** Canonical JSON of the payload as sent, unknown fields included. */
  payloadText: string;
  /** Of type and payload: two deliveries of one id are the same event when these are equal. */
  bodySha256: string;
};

/** Payloads nest no deeper than this (our choice), so that no recursion over them can overflow. */
const MAX_DEPTH = 32;

/**
 * Validates an envelope before it is trusted (interface 6), in this order: object, id/type/payload, known type, payload
 * of that type. Throws `event_invalid` or `event_type_unknown` with the path that is wrong.
 */
export function acceptEvent(body: unknown): AcceptedEvent {
  const envelope = checked(IngestRequest, body, []);
  const type = EVENT_TYPES.find((known) => known === envelope.type);
  if (type === undefined) {
    throw new ApiError('event_type_unknown', `type: must be one of ${EVENT_TYPES.join(', ')}`);
  }
  // The parsed object itself, not the schema's copy: what is kept and hashed is what was sent.
  const { payload } = body as { payload: Record<string, unknown> };
  checked(PAYLOADS[type], payload, ['payload']);
  // This text becomes a column, where control characters and lone surrogates have no place.
  if (type === 'attachment.reclassified')
    checked(EventId.optional(), payload['source'], ['payload', 'source']);
  const payloadText = canonical(payload, 'payload', 1);
  return { id: envelope.id, type, payload, payloadText, bodySha256: bodyHash(type, payloadText) };
}

/** Of a type and the canonical JSON of a payload, as {@link AcceptedEvent} has it. */
export function bodyHash(type: string, payloadText: string): string {
  return hash('sha256', `${type}\n${payloadText}`);
}

/** Acknowledgement of interface 4.6; the same for every delivery of an event. */
export function acknowledge(id: string, type: string) {
  return { accepted: true, event_id: id, type, status: 'queued' };
}

/**
 * Order of events by id, independent of their arrival: digit runs by value, all else by code points, and where only
 * leading zeros differ the plain text decides. Negative where `a` comes first.
 */
export function compareEventIds(a: string, b: string): number {
  const left = a.match(/\d+|\D+/gu) ?? [];
  const right = b.match(/\d+|\D+/gu) ?? [];
  for (let at = 0; at < left.length && at < right.length; at += 1) {
    const order = compareRuns(left[at]!, right[at]!);
    if (order !== 0) return order;
  }
  return left.length - right.length || compareText(a, b);
}

/** Whether an event with this id may overwrite what `writer` wrote (null: nobody did). */
export function isLaterWriter(id: string, writer: string | null): boolean {
  return writer === null || compareEventIds(id, writer) > 0;
}

function compareRuns(a: string, b: string): number {
  if (!/^\d/.test(a) || !/^\d/.test(b)) return compareText(a, b);
  const [x, y] = [BigInt(a), BigInt(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function compareText(a: string, b: string): number {
  // By bytes of UTF-8, which is by code points; comparing strings would go by UTF-16 units.
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * One text for equal values: keys sorted, no spaces. Throws `event_invalid` for values nested too deep or not finite;
 * `place` is where the value stands, for the message.
 */
function canonical(value: unknown, place: string, depth: number): string {
  // JSON.parse reads 1e400 as Infinity, which would be written, and hashed, as null.
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new ApiError('event_invalid', `${shortened(place)}: must be a number of 64 bits`);
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth > MAX_DEPTH)
    throw new ApiError('event_invalid', `payload: must not nest deeper than ${MAX_DEPTH} levels`);
  const inner = (item: unknown, key: string) => canonical(item, `${place}.${key}`, depth + 1);
  if (Array.isArray(value)) return `[${value.map((item, at) => inner(item, String(at))).join(',')}]`;
  const record = value as Record<string, unknown>;
  let fields = '';
  for (const key of Object.keys(record).sort()) {
    fields += `${fields === '' ? '' : ','}${JSON.stringify(key)}:${inner(record[key], key)}`;
  }
  return `{${fields}}`;
}

/** Keys are the sender's: a message names them only in part where they are long. */
function shortened(place: string): string {
  return place.length <= 200 ? place : `${place.slice(0, 200)}…`;
}

function checked<T extends z.ZodType>(schema: T, value: unknown, path: readonly string[]): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ApiError('event_invalid', validationMessage(result.error, path));
}
