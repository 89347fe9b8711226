// The handler of each route.
import type { RouteName } from '../../contract/routes.ts';
import { ok, type Handler } from './call.ts';

/**
 * How the handler of each route is loaded: at its first request, because a command asks few routes. The type demands a line for
 * every route of src/contract/routes.ts.
 */
const LOAD_HANDLER: Record<RouteName, () => Promise<Handler>> = {
  token: async () => (await import('./token.ts')).token,
  attachments: async () => (await import('./attachments.ts')).attachments,
  attachment: async () => (await import('./attachments.ts')).attachment,
  content: async () => (await import('./content.ts')).content,
  sequence: async () => (await import('./sequence.ts')).sequence,
  health: async () => (await import('./health.ts')).health,
  live: async () => (await import('./health.ts')).live,
  ready: async () => (await import('./health.ts')).ready,
  ingest: async () => (await import('./events.ts')).ingestEvent,
  events: async () => (await import('./events.ts')).events,
  conversations: async () => (await import('./conversations.ts')).conversations,
  conversation: async () => (await import('./conversations.ts')).conversation,
  messages: async () => (await import('./messages.ts')).messages,
  messages_v1: async () => (await import('./messages.ts')).messages,
  search: async () => (await import('./search.ts')).search,
  openapi: async () => {
    const { default: document } = await import('../../contract/openapi.json');
    return async ({ options }) =>
      ok(options.path === undefined ? document : { ...document, servers: [{ url: options.path }] });
  },
};

const loaded: Partial<Record<RouteName, Handler>> = {};

/** Returns the handler of a route. */
export async function handlerOf(route: RouteName): Promise<Handler> {
  return (loaded[route] ??= await LOAD_HANDLER[route]());
}

/**
 * Loads all handlers. A process that serves others does so before its first request: later the program may have been replaced by
 * another version, or the process may have no file descriptor left.
 */
export async function loadHandlers(): Promise<void> {
  await Promise.all((Object.keys(LOAD_HANDLER) as RouteName[]).map(handlerOf));
  await import('../store/events/group-commit.ts');
}

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
