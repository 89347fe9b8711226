// Events as tests send them.
import type { Service } from '../../src/contract/exchange.ts';
import type { Envelope } from '../../src/contract/event.ts';
import { call } from './call.ts';

export type Sent = { id: string; type: string; payload: Record<string, unknown> };

/** An event that moves message n. */
export function moved(id: string, n: number, sequence: number): Sent {
  return { id, type: 'message.reordered', payload: { id: `msg_${n}`, entry: `entry_${n}`, sequence } };
}

/** Effects of the events the service holds, by id, in order of arrival. */
export async function effectsOf(service: Service, token: string): Promise<Record<string, string>> {
  const { json } = await call(service, '/api/webhooks/events?limit=500', { token });
  return Object.fromEntries((json.data as Envelope[]).map(({ id, effect }) => [id, effect ?? '']));
}
