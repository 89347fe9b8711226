// The address of an archive: which are allowed, and how a path is put behind one.
import { isLoopback } from '../contract/loopback.ts';
import { Fault } from '../faults.ts';

/**
 * A base URL as given by a person: http or https, a path prefix is kept, plain http only to this machine unless
 * `insecureHttp`. Throws a usage Fault that never shows credentials.
 */
export function parseBaseUrl(text: string, options: { insecureHttp?: boolean } = {}): URL {
  const url = parseAddress(text, { what: 'base URL', hint: 'arx login', ...options });
  if (url.search !== '' || url.hash !== '') {
    throw new Fault('usage', 'base URL must not have a query or fragment');
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** As {@link parseBaseUrl}, but of one resource: it may have a query, and ends as it is. `what` names it in messages. */
export function parseAddress(
  text: string,
  { what, hint, insecureHttp = false }: { what: string; hint: string; insecureHttp?: boolean },
): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Fault('usage', `${what} is not a URL`, { hint: 'give it as https://HOST[:PORT][/PREFIX]' });
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Fault('usage', `${what} must be http or https, not ${url.protocol.slice(0, 20)}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Fault('usage', `${what} must not hold a user name or password`, { hint });
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !insecureHttp) {
    throw new Fault('usage', `plain http to ${url.host}: anyone on the way could read the token`, {
      hint: 'use https, or --insecure-http if you accept that',
    });
  }
  return url;
}

/** Whether an address is the base itself or lies behind it. */
export function isWithin(url: URL, base: URL): boolean {
  const prefix = base.pathname.replace(/\/+$/, '');
  return url.origin === base.origin && (url.pathname === prefix || url.pathname.startsWith(`${prefix}/`));
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `path` (already encoded, may hold a query) behind the base; undefined values of `query` are left out. Stays behind the base. */
export function urlWithin(base: URL, path: string, query: Query = {}): URL {
  const prefix = base.pathname.replace(/\/+$/, '');
  if (!path.startsWith('/')) throw new Fault('usage', 'path must begin with /');
  // URLs take such segments out, encoded or not, and would ask for something else than was meant.
  if (/[/\\](\.|%2e){1,2}([/\\]|$)/i.test(path.replace(/[?#].*$/s, ''))) {
    throw new Fault('usage', 'path has a dot segment, which would lead elsewhere');
  }
  // Put together as text, `//host/x` stays a path of the base and never becomes another host.
  const url = new URL(`${base.origin}${prefix}${path}`);
  url.hash = '';
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.append(name, String(value));
  }
  return url;
}
