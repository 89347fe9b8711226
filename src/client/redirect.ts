// Redirects: where they point, and the Fault of one that is not followed.
import { Fault } from '../faults.ts';
import type { ApiResponse } from './response.ts';
import { redactSecrets, safeText } from './safe-text.ts';
import { checkBaseUrl } from './wrong-base-url.ts';

/** Statuses that send a client elsewhere (RFC 9110 15.4). 304 and the others of 3xx do not. */
export const REDIRECTS: ReadonlySet<number> = new Set([300, 301, 302, 303, 307, 308]);

/** Redirects that keep the method of a request. */
const KEEP_METHOD: ReadonlySet<number> = new Set([307, 308]);

/**
 * Returns the address that a redirect only adds a slash to, as some servers do; undefined for any other redirect. It is made of the
 * address that was asked for, so the token goes where the user chose.
 */
export function withSlash(
  { status, headers }: ApiResponse,
  { method, url }: { method: string; url: URL },
): URL | undefined {
  if (!REDIRECTS.has(status) || (method !== 'GET' && !KEEP_METHOD.has(status))) return undefined;
  const target = redirectTarget(headers['location'], url);
  const slashed = new URL(url);
  slashed.pathname += '/';
  if (target?.origin !== url.origin || target.pathname !== slashed.pathname) return undefined;
  return ['', url.search].includes(target.search) ? slashed : undefined;
}

/** Returns the Fault of a redirect. The API does not redirect: following one could send the token to a host that the user did not choose. */
export function redirectFault({ status, headers }: ApiResponse, url: URL, secrets: readonly string[]): Fault {
  const target = redirectTarget(headers['location'], url);
  const where = safeText(redactSecrets(target?.host ?? '', secrets), 100) || 'elsewhere';
  return new Fault(
    'protocol',
    `the server redirects to ${where} (status ${status}), which arx does not follow`,
    { status, hint: checkBaseUrl(meantBaseUrl(target, url, secrets)) },
  );
}

/** Returns the base URL that a redirect means: the same path of the same host, at another address or below another path. */
function meantBaseUrl(target: URL | undefined, url: URL, secrets: readonly string[]): string {
  const { hostname, pathname, search } = url;
  if (target?.hostname !== hostname || !`${target.pathname}${target.search}`.endsWith(`${pathname}${search}`))
    return '';
  const path = target.pathname.slice(0, -pathname.length);
  return `, as in --base-url ${safeText(redactSecrets(`${target.origin}${path}`, secrets), 200)}`;
}

/** Returns where a Location header points, or undefined where it is missing or no URL. */
export function redirectTarget(location: string | undefined, from: URL): URL | undefined {
  if (location === undefined) return undefined;
  try {
    return new URL(location, from);
  } catch {
    return undefined;
  }
}
