// Every route with its method, path and scope: one table for the client and the service.
import type { Scope } from './tier.ts';

/** One route of the service. */
export type Route = {
  method: 'GET' | 'POST';
  /** `{name}` stands for one path segment. */
  path: string;
  /** Scope that a token needs; null where no token is needed (interface 5, our choice). */
  scope: Scope | null;
  /** Section of the interface, or 'ours' for a route that we add. */
  source: string;
};

/** All routes by name. */
export const ROUTES = {
  token: { method: 'POST', path: '/api/auth/token', scope: null, source: '4.1' },
  attachments: { method: 'GET', path: '/v1/attachments', scope: 'read:attachments', source: '4.2' },
  attachment: { method: 'GET', path: '/v1/attachments/{id}', scope: 'read:attachments', source: 'ours' },
  content: { method: 'GET', path: '/api/content/{id}', scope: 'read:messages', source: '4.3' },
  sequence: { method: 'GET', path: '/api/sequence/{name}', scope: 'read:sequence', source: '4.4' },
  health: { method: 'GET', path: '/api/health', scope: null, source: '4.5' },
  live: { method: 'GET', path: '/api/health/live', scope: null, source: 'ours' },
  ready: { method: 'GET', path: '/api/health/ready', scope: null, source: 'ours' },
  ingest: { method: 'POST', path: '/api/webhooks/ingest', scope: 'write:events', source: '4.6' },
  events: { method: 'GET', path: '/api/webhooks/events', scope: 'read:sequence', source: 'ours' },
  conversations: { method: 'GET', path: '/v1/conversations', scope: 'read:messages', source: '4.7' },
  conversation: { method: 'GET', path: '/v1/conversations/{id}', scope: 'read:messages', source: 'ours' },
  messages: { method: 'GET', path: '/messages', scope: 'read:messages', source: '4.8' },
  messages_v1: { method: 'GET', path: '/v1/messages', scope: 'read:messages', source: '4.8' },
  search: { method: 'GET', path: '/v1/search', scope: 'read:messages', source: 'ours' },
  openapi: { method: 'GET', path: '/openapi.json', scope: null, source: 'ours' },
} as const satisfies Record<string, Route>;
/** The name of a route in {@link ROUTES}. */
export type RouteName = keyof typeof ROUTES;

/** Returns the path of a route with its parameters filled in. Dots are encoded where a segment has nothing else (`..` would leave the path). */
export function pathOf(name: RouteName, parameters: Record<string, string> = {}): string {
  return ROUTES[name].path.replace(/\{(\w+)\}/g, (_, key: string) => encodeSegment(parameters[key] ?? ''));
}

function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'));
}

/** Response headers that our service adds (our choice). */
export const HEADERS = {
  drift: 'x-drift-ratio',
  integrity: 'x-integrity',
  requestId: 'x-request-id',
} as const;

/**
 * Header of the response to a request with a token: the tier that the service gives it now (our choice). It is lower than that of the token where
 * the service was started again with a lower --max-tier.
 */
export const TIER_HEADER = 'x-access-tier';

/** Header of a request for a token: the secret that shows that the caller is the user who runs `arx serve` (our choice). */
export const OWNER_SECRET_HEADER = 'x-arx-owner-secret';
