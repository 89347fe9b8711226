// POST /api/webhooks/ingest and GET /api/webhooks/events: accepts events, and lists them with their effect (interface 4.6, 6).
import { EventId } from '../../contract/ingest.ts';
import { MAX_BATCH_EVENTS, UNSETTLED_EFFECTS } from '../../contract/event-types.ts';
import type { ParsedJson } from '../../contract/json-text.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { ApiError } from '../rules/api-error.ts';
import { acceptEvent, acknowledge, EventConflict, type AcceptedEvent } from '../rules/ingest.ts';
import type { Statements } from '../store/sql/database.ts';
import { eventNumber, readEvents } from '../store/lists/sequence.ts';
import { isNdjson, readJsonText, readNdjson } from './body.ts';
import { ok, type Call, type Reply } from './call.ts';
import { readPage, textListReply } from './list.ts';
import type { ListSource } from './list-source.ts';
import { windowOf } from './list-window.ts';
import { eventText, type EventRow } from '../records/event.ts';

/**
 * Stores an event and returns its acknowledgement, after the commit. Every delivery of one event gets the same
 * acknowledgement. An `application/x-ndjson` body has an envelope in each line, and the reply an entry for each.
 */
export async function ingestEvent(call: Call): Promise<Reply> {
  if (call.archive.readOnly) {
    throw new ApiError('read_only', 'this service is read-only now', { 'retry-after': '60' });
  }
  if (isNdjson(call.request)) return ingestBatch(call);
  const event = acceptEvent(await readJsonText(call.request, MAX_REQUEST_BYTES, 'event_invalid'));
  const [error] = await storedWith(call, [event]);
  if (error !== undefined) throw error;
  return ok(acknowledge(event.id, event.type));
}

/**
 * Stores events, reports those whose id another event has, and has the queue applied. Returns the error of each, undefined where it
 * is stored.
 */
async function storedWith(
  { storeEvents, eventsQueued, options }: Call,
  events: readonly AcceptedEvent[],
): Promise<(ApiError | undefined)[]> {
  const { errors, hasQueued } = await storeEvents(events);
  for (const [at, error] of errors.entries()) {
    if (!(error instanceof EventConflict)) continue;
    const { storedSha256: stored_sha256, sentSha256: sent_sha256 } = error;
    options.onConflict?.({ event_id: events[at]!.id, stored_sha256, sent_sha256 });
  }
  if (hasQueued) await eventsQueued();
  return errors;
}

/** Stores the valid events of a batch. An invalid one does not affect the others. */
async function ingestBatch(call: Call): Promise<Reply> {
  const lines = await readNdjson(call.request, MAX_BATCH_EVENTS, 'event_invalid');
  const parsed = lines.map((line) => {
    let body: ParsedJson | undefined;
    try {
      body = line();
      return { event: acceptEvent(body) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { error, id: validIdIn(body?.value) };
    }
  });
  const events = parsed.flatMap(({ event }) => (event === undefined ? [] : [event]));
  const errors = events.length === 0 ? [] : await storedWith(call, events);
  let at = 0;
  const data = parsed.map(({ event, id = null, error: invalid }) => {
    const error = event === undefined ? invalid : errors[at++];
    if (error === undefined) return acknowledge(event!.id, event!.type);
    const { code, message } = error;
    return { accepted: false, event_id: event?.id ?? id, error: { code, message } };
  });
  const isWhole = data.every(({ accepted }) => accepted);
  return ok({ object: 'list', status: isWhole ? 'queued' : 'partial', data });
}

/** Returns the id of an envelope that was not accepted, null where it has no valid one. */
function validIdIn(body: unknown): string | null {
  const { data } = EventId.safeParse((body as { id?: unknown } | null | undefined)?.id);
  return data ?? null;
}

/** Returns the sort key of an event in every list of events: its number by arrival. */
export async function eventKeyOf(
  database: Statements,
  id: string,
): Promise<readonly number[] | 'malformed' | undefined> {
  if (!EventId.safeParse(id).success) return 'malformed';
  const n = await eventNumber(database, id);
  return n === undefined ? undefined : [n];
}

/** Returns a page of events in order of arrival, all or those with one effect. Cursors are event ids. Drift is never injected here. */
export async function events(call: Call): Promise<Reply> {
  const { database } = call.archive;
  const effect = call.query.choice('effect', UNSETTLED_EFFECTS);
  const source: ListSource<EventRow> = {
    keyOf: (id) => eventKeyOf(database, id),
    read: (span) => readEvents(database, span, effect),
  };
  const { rows, has_more } = await readPage(call, source, windowOf(call.query));
  return textListReply(call, rows.map(eventText), has_more);
}
