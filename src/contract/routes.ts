// Every route of the interface with its method, path and scope: the one table client and service both read.
import type { Scope } from './token.ts';

export type Route = {
  method: 'GET' | 'POST';
  /** `{name}` stands for one path segment. */
  path: string;
  /** Scope a token must hold; null where none is needed (our choice: the interface does not show the mapping). */
  scope: Scope | null;
  /** Interface section, or 'ours' for what we add. */
  source: string;
};

export const ROUTES = {
  token: { method: 'POST', path: '/api/auth/token', scope: null, source: '4.1' },
  attachments: { method: 'GET', path: '/v1/attachments', scope: 'read:attachments', source: '4.2' },
  attachment: { method: 'GET', path: '/v1/attachments/{id}', scope: 'read:attachments', source: 'ours' },
  content: { method: 'GET', path: '/api/content/{id}', scope: 'read:messages', source: '4.3' },
  sequence: { method: 'GET', path: '/api/sequence/{name}', scope: 'read:sequence', source: '4.4' },
  health: { method: 'GET', path: '/api/health', scope: null, source: '4.5' },
  live: { method: 'GET', path: '/api/health/live', scope: null, source: 'ours' },
  ready: { method: 'GET', path: '/api/health/ready', scope: null, source: 'ours' },
  ingest: { method: 'POST', path: '/api/webhooks/ingest', scope: 'read:sequence', source: '4.6' },
  events: { method: 'GET', path: '/api/webhooks/events', scope: 'read:sequence', source: 'ours' },
  conversations: { method: 'GET', path: '/v1/conversations', scope: 'read:messages', source: '4.7' },
  conversation: { method: 'GET', path: '/v1/conversations/{id}', scope: 'read:messages', source: 'ours' },
  messages: { method: 'GET', path: '/messages', scope: 'read:messages', source: '4.8' },
  messages_v1: { method: 'GET', path: '/v1/messages', scope: 'read:messages', source: '4.8' },
  openapi: { method: 'GET', path: '/openapi.json', scope: null, source: 'ours' },
} as const satisfies Record<string, Route>;
export type RouteName = keyof typeof ROUTES;

/** The path with its parameters filled in. A segment of dots only would change the path, so it is encoded too. */
export function pathOf(name: RouteName, parameters: Record<string, string> = {}): string {
  return ROUTES[name].path.replace(/\{(\w+)\}/g, (_, key: string) => encodeSegment(parameters[key] ?? ''));
}

function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'));
}

/** Headers our service adds. */
export const HEADERS = {
  drift: 'x-drift-ratio',
  integrity: 'x-integrity',
  requestId: 'x-request-id',
} as const;
