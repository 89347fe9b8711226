// POST /api/webhooks/ingest and GET /api/webhooks/events: taking events in, and showing what became of them (interface 4.6, 6).
import { EventId, MAX_BATCH_EVENTS, type Envelope } from '../../contract/event.ts';
import { ApiError } from '../rules/api-error.ts';
import { acknowledge, acceptEvent, UNSETTLED } from '../rules/ingest.ts';
import type { Statements } from '../store/sql/database.ts';
import { eventNumber, readEvents } from '../store/lists/sequence.ts';
import { isNdjson, readJson, readNdjson } from './body.ts';
import { ok, type Call, type Reply } from './call.ts';
import { readList } from './list.ts';
import { eventRecord } from '../records/event.ts';

/**
 * Acknowledged only after the commit; every delivery of one event gets the same acknowledgement. A body of
 * `application/x-ndjson` holds many envelopes, one a line, and its answer tells for each what became of it.
 */
export async function ingestEvent(call: Call): Promise<Reply> {
  if (call.archive.readOnly) {
    throw new ApiError('read_only', 'this service takes nothing in now', { 'retry-after': '60' });
  }
  if (isNdjson(call.request)) return ingestBatch(call);
  const event = acceptEvent(readJson(call.request, 'event_invalid'));
  const [refusal] = await call.keep([event]);
  if (refusal !== undefined) throw refusal;
  await call.eventsStored();
  return ok(acknowledge(event.id, event.type));
}

/** One envelope's fault is its own: the others of its batch are taken in. */
async function ingestBatch(call: Call): Promise<Reply> {
  const lines = readNdjson(call.request, MAX_BATCH_EVENTS, 'event_invalid');
  const taken = lines.map((line) => {
    let body: unknown;
    try {
      body = line();
      return { event: acceptEvent(body) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { refusal: error, id: idIn(body) };
    }
  });
  const events = taken.flatMap(({ event }) => (event === undefined ? [] : [event]));
  const refusals = events.length === 0 ? [] : await call.keep(events);
  if (events.length > 0) await call.eventsStored();
  let at = 0;
  const data = taken.map(({ event, id = null, refusal: invalid }) => {
    const refusal = event === undefined ? invalid : refusals[at++];
    if (refusal === undefined) return acknowledge(event!.id, event!.type);
    const { code, message } = refusal;
    return { accepted: false, event_id: event?.id ?? id, error: { code, message } };
  });
  const isWhole = data.every(({ accepted }) => accepted);
  return ok({ object: 'list', status: isWhole ? 'queued' : 'partial', data });
}

/** The id of what was not taken in, null where it has none that is valid. */
function idIn(body: unknown): string | null {
  const { data } = EventId.safeParse((body as { id?: unknown } | null | undefined)?.id);
  return data ?? null;
}

/** Where an event stands in every list of events: by its arrival. */
export async function eventKeyOf(
  database: Statements,
  id: string,
): Promise<readonly number[] | 'malformed' | undefined> {
  if (!EventId.safeParse(id).success) return 'malformed';
  const n = await eventNumber(database, id);
  return n === undefined ? undefined : [n];
}

/** Events in order of arrival, all or those of one effect; cursors are their ids. Never drifts. */
export async function events(call: Call): Promise<Reply> {
  const { database } = call.archive;
  const effect = call.query.choice('effect', UNSETTLED);
  return readList<Envelope>(call, {
    keyOf: (id) => eventKeyOf(database, id),
    async read(span) {
      const { rows, has_more } = await readEvents(database, span, effect);
      return { rows: rows.map(eventRecord), has_more };
    },
  });
}
