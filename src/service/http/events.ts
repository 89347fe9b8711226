// POST /api/webhooks/ingest and GET /api/webhooks/events: taking events in, and showing what became of them (interface 4.6, 6).
import { EventId, type Envelope } from '../../contract/event.ts';
import { Refusal } from '../refusal.ts';
import { acknowledge, takeIn } from '../rules/ingest.ts';
import type { Statements } from '../store/database.ts';
import { ingest } from '../store/events.ts';
import { eventNumber, readEvents } from '../store/positions.ts';
import { readJson } from './body.ts';
import { ok, type Call, type Reply } from './exchange.ts';
import { listReply, readList } from './list.ts';
import { eventRecord } from './records.ts';

/** Acknowledged only after the commit; every delivery of one event gets the same acknowledgement. */
export async function ingestEvent(call: Call): Promise<Reply> {
  if (call.archive.readOnly) {
    throw new Refusal('read_only', 'this service takes nothing in now', { 'retry-after': '60' });
  }
  const event = takeIn(readJson(call.request, 'event_invalid'));
  await ingest(call.archive, event);
  return ok(acknowledge(event.id, event.type));
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

/** Events in order of arrival; cursors are their ids. Never drifts. */
export async function events(call: Call): Promise<Reply> {
  const { database } = call.archive;
  const list = await readList<Envelope>(call, {
    keyOf: (id) => eventKeyOf(database, id),
    async read(span) {
      const { rows, has_more } = await readEvents(database, span);
      return { rows: rows.map(eventRecord), has_more };
    },
  });
  return listReply(list);
}
