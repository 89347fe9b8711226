// Requests and responses of other services, and JSON responses.
import type { Random } from '../random.ts';
import type { Problem } from './errors.ts';

/** A request, parsed. */
export type Request = { method: string; url: URL; token?: string | undefined; body: string };
/** A response. */
export type Answer = { status: number; type: string; body: string | Buffer };
/** Returns the response, a problem to be written as an error, or `none` where the request is never answered. */
export type Route = (request: Request, random: Random) => Answer | Problem | 'none';

/** Returns a response with this JSON. */
export const json = (body: unknown, status = 200): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});
