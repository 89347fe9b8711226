// Path and query of a request as messages show them: without the token, which a service may have given as an id or a cursor.
import { ROUTES } from '../contract/routes.ts';
import { redactSecret } from './safe-text.ts';

/** Parts of paths that are ours, whatever the token is. */
const OWN_PARTS = new Set(Object.values(ROUTES).flatMap(({ path }) => path.split('/')));

/** Returns the path without parts of the token. */
export function shownPath({ pathname }: URL, token: string): string {
  const parts = pathname.split('/');
  return parts.map((part) => (OWN_PARTS.has(part) ? part : redactSecret(part, token))).join('/');
}

/** Returns path and query without parts of the token. */
export function shownTarget(url: URL, token: string): string {
  return shownPath(url, token) + url.search.replaceAll(/(?<==)[^&]*/g, (value) => redactSecret(value, token));
}
