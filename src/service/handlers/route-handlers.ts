// The handler of each route. The type demands one for every route of src/contract/routes.ts.
import type { RouteName } from '../../contract/routes.ts';
import { attachment, attachments } from './attachments.ts';
import { ok, type Handler } from './call.ts';
import { conversation, conversations } from './conversations.ts';
import { events, ingestEvent } from './events.ts';
import { health, live, ready } from './health.ts';
import { messages } from './messages.ts';
import { sequence } from './sequence.ts';
import { token } from './token.ts';

/** The handler of each route, by its name in src/contract/routes.ts. */
export const HANDLERS: Record<RouteName, Handler> = {
  token,
  attachments,
  attachment,
  // The readers of mails are loaded for messages only.
  content: async (call) => (await import('./content.ts')).content(call),
  sequence,
  health,
  live: async ({ archive, options }) => live(archive, options),
  ready: ({ archive, options }) => ready(archive, options),
  ingest: ingestEvent,
  events,
  conversations,
  conversation,
  messages,
  messages_v1: messages,
  search: async (call) => (await import('./search.ts')).search(call),
  openapi: async () => ok((await import('../../contract/openapi.json')).default),
};

/** Routes whose responses depend on the archive, the reader's tier and the request alone, so that they can be cached. */
export const CACHEABLE: ReadonlySet<RouteName> = new Set([
  'attachments',
  'attachment',
  'conversations',
  'conversation',
  'messages',
  'messages_v1',
  'search',
]);
