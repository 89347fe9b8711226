// Path and query of a request as messages show them: without tokens, which a service may have given as an id or a cursor.
import { ROUTES } from '../contract/routes.ts';
import { redactSecrets } from './safe-text.ts';

/** Parts of paths that are ours, whatever the token is. */
const OWN_PARTS = new Set(Object.values(ROUTES).flatMap(({ path }) => path.split('/')));

/** Returns the path without parts of the secrets. */
export function shownPath({ pathname }: URL, secrets: readonly string[]): string {
  const parts = pathname.split('/');
  return parts.map((part) => (OWN_PARTS.has(part) ? part : redactSecrets(part, secrets))).join('/');
}

/** Returns path and query without parts of the secrets. */
export function shownTarget(url: URL, secrets: readonly string[]): string {
  return (
    shownPath(url, secrets) + url.search.replaceAll(/(?<==)[^&]*/g, (value) => redactSecrets(value, secrets))
  );
}
