// Rules of events: which envelopes are accepted, which deliveries are the same event, and which event writes last.
import { hash } from 'node:crypto';
import type * as z from 'zod';
import { EventId, IngestRequest, PAYLOADS } from '../../contract/ingest.ts';
import { EVENT_TYPES, UNSETTLED_EFFECTS, type EventType } from '../../contract/event-types.ts';
import { ExactNumber, parseExactJson } from '../../contract/exact-json.ts';
import { decimalOf, scanJson, type JsonScan, type ParsedJson } from '../../contract/json-text.ts';
import { validationMessage } from '../../contract/validation-message.ts';
import { ApiError } from './api-error.ts';

/**
 * The effect of an event (our choice): `queued` until it is applied, `waiting` for its record, `superseded` by an event
 * that arrived later, `dead` after too many failed attempts, `recorded` where it changes nothing.
 */
export type Effect = 'applied' | 'recorded' | (typeof UNSETTLED_EFFECTS)[number];

/** The types of events that change a record. An event of another type is only recorded. */
export const CHANGING_TYPES = ['message.reordered', 'attachment.reclassified'] as const;

/** A stored event, which was validated when it was accepted. */
export type KnownEvent = { id: string } & {
  [T in EventType]: { type: T; payload: z.infer<(typeof PAYLOADS)[T]> };
}[EventType];

/** Attempts to apply an event before it is dead, and the pause after the first; it doubles after each. */
const MAX_FAILURES = 8;
const FIRST_PAUSE_MS = 1_000;

/** Returns what becomes of a queued event after `failures` failed attempts. `now` and `due_ms` are milliseconds since the epoch. */
export function afterFailure(failures: number, now: number): { effect: 'queued' | 'dead'; due_ms: number } {
  return failures >= MAX_FAILURES
    ? { effect: 'dead', due_ms: 0 }
    : { effect: 'queued', due_ms: now + FIRST_PAUSE_MS * 2 ** (failures - 1) };
}

/** An event whose envelope is accepted, as it is queued. */
export type AcceptedEvent = {
  id: string;
  type: EventType;
  payload: Record<string, unknown>;
  /** The payload as it was sent, byte for byte. */
  payloadText: string;
  /** The hash of the type and the payload as it was sent; null where it is {@link AcceptedEvent.bodySha256}. */
  payloadSha256: string | null;
  /** The hash of the type and the canonical payload. Two deliveries with one id are the same event when these are equal. */
  bodySha256: string;
};

/** The error of an event whose id another event has. It holds the hashes of both, see {@link AcceptedEvent.bodySha256}. */
export class EventConflict extends ApiError {
  readonly storedSha256: string;
  readonly sentSha256: string;

  constructor(storedSha256: string, sentSha256: string) {
    super('event_conflict', 'an event with this id and another body was taken in before');
    this.storedSha256 = storedSha256;
    this.sentSha256 = sentSha256;
  }
}

/** Maximum nesting of a payload (our choice), so that no recursion over it can overflow the stack. */
const MAX_DEPTH = 32;

/**
 * Returns the event of an envelope. Validates in this order: object, id/type/payload, known type, payload of that type
 * (interface 6). Throws ApiError `event_invalid` or `event_type_unknown` with the path that is wrong.
 */
export function acceptEvent({ value: body, scan }: ParsedJson): AcceptedEvent {
  const envelope = checked(IngestRequest, body, []);
  const type = EVENT_TYPES.find((known) => known === envelope.type);
  if (type === undefined) {
    throw new ApiError('event_type_unknown', `type: must be one of ${EVENT_TYPES.join(', ')}`);
  }
  // The parsed object itself and not the schema's copy, which has its keys in another order.
  const { payload } = body as { payload: Record<string, unknown> };
  checked(PAYLOADS[type], payload, ['payload']);
  // This text becomes a database column, which must not hold control characters or lone surrogates.
  if (type === 'attachment.reclassified')
    checked(EventId.optional(), payload['source'], ['payload', 'source']);
  const { text: payloadText, inexact } = scan.members.get('payload')!;
  const exact = inexact.length === 0 ? payload : exactPayload(payloadText, { inexact, depth: scan.depth });
  // The only number with an effect: 4.99999999999999999999 would be rounded to another position.
  if (exact['sequence'] instanceof ExactNumber && type === 'message.reordered')
    throw new ApiError('event_invalid', 'payload.sequence: must be a whole number below 2^53');
  const canonicalText = canonical(exact, 'payload', 1);
  const bodySha256 = bodyHash(type, canonicalText);
  const payloadSha256 = payloadText === canonicalText ? null : bodyHash(type, payloadText);
  return { id: envelope.id, type, payload, payloadText, payloadSha256, bodySha256 };
}

/** The deepest JSON that is parsed by a recursive function. */
const MAX_PARSED_DEPTH = 200;

/** Returns a payload whose numbers are exact. Throws ApiError for one that is nested far too deep. */
function exactPayload(
  text: string,
  scan: Pick<JsonScan, 'depth' | 'inexact'> = scanJson(text),
): Record<string, unknown> {
  if (scan.depth > MAX_PARSED_DEPTH) throw tooDeep();
  return parseExactJson(text, scan) as Record<string, unknown>;
}

/** Returns the hash of a type and of the text of a payload, see {@link AcceptedEvent}. */
export function bodyHash(type: string, payloadText: string): string {
  return hash('sha256', `${type}\n${payloadText}`);
}

/** Returns the canonical text of a payload, undefined for a text that is no payload that was accepted. */
export function canonicalPayload(payloadText: string): string | undefined {
  try {
    return canonical(exactPayload(payloadText), 'payload', 1);
  } catch (error) {
    if (error instanceof ApiError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the acknowledgement (interface 4.6), the same for every delivery of an event. */
export function acknowledge(id: string, type: string) {
  return { accepted: true, event_id: id, type, status: 'queued' };
}

/**
 * Returns whether the event with this number overwrites what the event `writer` wrote (null: no event wrote yet). The later
 * arrival does. Everything in an envelope is its sender's choice, so an order by id or by position would let one event win
 * for good. Numbers do not depend on when an event is applied: one that waited or failed does not overwrite a later arrival.
 */
export function isLaterWriter(n: number, writer: number | null): boolean {
  return writer === null || n > writer;
}

/**
 * One text for equal values: keys sorted, no spaces, numbers by their exact value (1.0 and 1 are equal, and so are 1e2 and
 * 100, -0 and 0). Throws `event_invalid` for values nested too deep, for text with NUL or half of a surrogate pair, and
 * for a number beyond the range; `place` is where the value stands, for the message.
 */
function canonical(value: unknown, place: string, depth: number): string {
  if (value instanceof ExactNumber) return canonicalNumber(value.text, place);
  if (typeof value === 'string') checkText(value, place);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth > MAX_DEPTH) throw tooDeep();
  const inner = (item: unknown, key: string) => canonical(item, `${place}.${key}`, depth + 1);
  if (Array.isArray(value)) return `[${value.map((item, at) => inner(item, String(at))).join(',')}]`;
  const record = value as Record<string, unknown>;
  let fields = '';
  for (const key of Object.keys(record).sort()) {
    checkText(key, `${place}.${key}`);
    fields += `${fields === '' ? '' : ','}${JSON.stringify(key)}:${inner(record[key], key)}`;
  }
  return `{${fields}}`;
}

function canonicalNumber(text: string, place: string): string {
  const number = String(Number(text));
  // Most readers make Infinity or null of it.
  if (number.endsWith('Infinity'))
    throw new ApiError('event_invalid', `${shortened(place)}: must be a number within the range of 64 bits`);
  const decimal = decimalOf(text);
  if (decimal === undefined)
    throw new ApiError('event_invalid', `${shortened(place)}: must have an exponent above -10^15`);
  return decimalOf(number) === decimal ? number : decimal;
}

function tooDeep(): ApiError {
  return new ApiError('event_invalid', `payload: must not nest deeper than ${MAX_DEPTH} levels`);
}

/** Databases and many readers of JSON refuse such text, or change it. */
function checkText(text: string, place: string): void {
  if (/[\0\p{Cs}]/u.test(text)) {
    throw new ApiError('event_invalid', `${shortened(place)}: must not hold NUL or half of a surrogate pair`);
  }
}

/** Returns the start of a place as visible text: its keys come from the sender. */
function shortened(place: string): string {
  const start = place.length <= 200 ? place : `${place.slice(0, 200)}…`;
  return start.replace(/\p{C}/gu, '?');
}

function checked<T extends z.ZodType>(schema: T, value: unknown, path: readonly string[]): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ApiError('event_invalid', validationMessage(result.error, value, { place: path }));
}
