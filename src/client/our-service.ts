// Recognises responses of our own service, whose choices beyond the interface the client may rely on.
import { HEADERS } from '../contract/routes.ts';

/** Returns whether a response has all headers that our service adds to every response. */
export function isFromOurService(headers: Readonly<Record<string, string>>): boolean {
  return Object.values(HEADERS).every((name) => headers[name] !== undefined);
}
