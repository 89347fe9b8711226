// Events as tests send them.
import type { Service } from '../../src/contract/exchange.ts';
import type { Envelope } from '../../src/contract/event.ts';
import { parseJsonText } from '../../src/contract/json-text.ts';
import { acceptEvent, type AcceptedEvent } from '../../src/service/rules/ingest.ts';
import type { Archive } from '../../src/service/store/archive.ts';
import { call } from './call.ts';

export type Sent = { id: string; type: string; payload: Record<string, unknown> };

/** An event that moves message n. */
export function moved(id: string, n: number, sequence: number): Sent {
  return { id, type: 'message.reordered', payload: { id: `msg_${n}`, entry: `entry_${n}`, sequence } };
}

/** An event as the service takes it in: an object, or the JSON of an envelope. */
export function accepted(event: object | string): AcceptedEvent {
  return acceptEvent(parseJsonText(typeof event === 'string' ? event : JSON.stringify(event)));
}

/** Effects of the events the service holds, by id, in order of arrival. */
export async function effectsOf(service: Service, token: string): Promise<Record<string, string>> {
  const { json } = await call(service, '/api/webhooks/events?limit=500', { token });
  return Object.fromEntries((json.data as Envelope[]).map(({ id, effect }) => [id, effect ?? '']));
}

/** Queues what arrives from now on, behind an event that is not due for long. Resolves to a function that removes this event. */
export async function holdEvents({ database }: Archive): Promise<() => Promise<unknown>> {
  await database.run(
    `INSERT INTO events (n, id, type, payload, body_sha256, received_ms, deliveries, effect, due_ms)
      VALUES (0, 'held', 'contact.flagged', '{}', '', 0, 1, 'queued', $1)`,
    [Number.MAX_SAFE_INTEGER],
  );
  return () => database.run('DELETE FROM events WHERE n = 0');
}
