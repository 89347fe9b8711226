// What to type where a base URL leads to another server than an archive service, or to another path of one.
import { ROUTES } from '../contract/routes.ts';
import type { Hint } from '../faults.ts';
import { redactSecrets } from './safe-text.ts';

/** Returns what to do where another server than an archive service answers. `more` follows it. */
export function checkBaseUrl(more = ''): Hint {
  return ({ sourceOf }) => {
    const source = sourceOf('base_url');
    return `check the base URL${source === undefined ? '' : ` (${source})`}${more}`;
  };
}

/** Returns what to do where a service may have its lists at other paths. */
export function otherPathHint(path: string): Hint {
  return (run) => {
    const check = checkBaseUrl(`: what stands before ${path} belongs to it`);
    return `${typeof check === 'string' ? check : check(run)}; ${run.arx} walk URL reads a list at any other address`;
  };
}

/** The first segments of routes. A base URL that has one of them is probably the address of a route. */
const ROUTE_PREFIXES: ReadonlySet<string> = new Set(['api', 'v1']);

/** Returns what to do where a server does not have the route that `url` asks for; undefined where it asks for no known route. */
export function wrongBaseUrlHint(url: URL, secrets: readonly string[] = []): Hint | undefined {
  const base = basePathOf(url.pathname);
  if (base === undefined) return undefined;
  if (base.length === 0) return checkBaseUrl();
  const end = base.findIndex((part) => ROUTE_PREFIXES.has(part));
  const path = (end < 0 ? [] : base.slice(0, end)).map((part) => `/${part}`).join('');
  const meant = redactSecrets(`--base-url ${url.origin}${path}`, secrets);
  return end < 0 ? checkBaseUrl(`, as in ${meant}`) : `a base URL ends before /api and /v1: ${meant}`;
}

/** Returns the path of the base URL in that of a request, as segments; undefined where it is of no known route. */
function basePathOf(pathname: string): string[] | undefined {
  const parts = pathname.split('/').slice(1);
  const lengths = Object.values(ROUTES).map(({ path }) => {
    const route = path.split('/').slice(1);
    const tail = parts.slice(-route.length);
    return route.every((part, at) => part === tail[at] || (part.startsWith('{') && at < tail.length))
      ? route.length
      : 0;
  });
  const longest = Math.max(...lengths);
  return longest === 0 ? undefined : parts.slice(0, -longest);
}

/** Returns that the server may speak https; undefined where it was asked so. */
export function httpsHint(url: URL): Hint | undefined {
  if (url.protocol !== 'http:') return undefined;
  return checkBaseUrl(`: the server may speak https, as in --base-url https://${url.host}`);
}
