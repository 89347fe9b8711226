// Checks the base URL of an archive and builds the URLs below it.
import { isLoopback } from '../contract/loopback.ts';
import { Fault, hintText, type Hint } from '../faults.ts';

/**
 * Returns a base URL that a user typed: http or https, with its path prefix. Plain http is allowed to this machine, and to
 * others with `insecureHttp`. Throws Fault 'usage', which never shows credentials.
 */
export function parseBaseUrl(text: string, options: { insecureHttp?: boolean } = {}): URL {
  const url = parseAddress(text, { what: 'base URL', hint: 'arx login', ...options });
  if (url.search !== '' || url.hash !== '') {
    throw new Fault('usage', 'base URL must not have a query or fragment');
  }
  url.pathname = withoutFinalSlashes(url.pathname);
  return url;
}

/** Returns a path without the slashes at its end. */
export function withoutFinalSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/** As {@link parseBaseUrl}, for the URL of one resource, which may have a query. `what` names it in messages, `form` is how it is written. */
export function parseAddress(
  text: string,
  {
    what,
    hint,
    form = 'https://HOST[:PORT][/PREFIX]',
    insecureHttp = false,
  }: { what: string; hint: string; form?: Hint; insecureHttp?: boolean },
): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Fault('usage', `${what} is not a URL`, {
      hint: (names) => `give it as ${hintText(form, names)}`,
    });
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

/** A path segment that leads to another folder, as URL resolves it. */
const DOT_SEGMENT = /[/\\](?:\.|%2e){1,2}(?:[/\\]|$)/i;
/** The same as some servers resolve it: also between encoded slashes (nginx), or with parameters (`..;x`, Tomcat). */
const RESOLVED_BY_SERVERS = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\;]|%2f|%5c|%3b|$)/i;

/** Returns whether a URL is the base itself or below it. */
export function isWithin(url: URL, base: URL): boolean {
  if (RESOLVED_BY_SERVERS.test(url.pathname)) return false;
  const prefix = withoutFinalSlashes(base.pathname);
  return url.origin === base.origin && (url.pathname === prefix || url.pathname.startsWith(`${prefix}/`));
}

/** Query parameters; undefined values are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Returns the URL of a path that somebody typed, as {@link urlWithin}. It may not have what a server could take for a dot segment; in
 * the path of a record this is an id, and encoded.
 */
export function typedUrlWithin(base: URL, path: string): URL {
  if (RESOLVED_BY_SERVERS.test(pathIn(path))) throw leadsElsewhere();
  return urlWithin(base, path);
}

function pathIn(path: string): string {
  return path.split(/[?#]/, 1)[0] ?? '';
}

function leadsElsewhere(): Fault {
  return new Fault('usage', 'path has a dot segment, which would lead elsewhere');
}

/**
 * Returns the URL of `path` below the base, with `query` added. The path is encoded already and may have a query.
 * Throws Fault 'usage' for a path that would leave the base.
 */
export function urlWithin(base: URL, path: string, query: Query = {}): URL {
  const prefix = withoutFinalSlashes(base.pathname);
  if (!path.startsWith('/')) throw new Fault('usage', 'path must begin with /');
  // URL removes tabs and line breaks, so `/.<tab>./x` would become a dot segment.
  if (/\p{Cc}/u.test(path)) throw new Fault('usage', 'path has a control character');
  // URL resolves such segments, encoded or not, and would request another path than was meant.
  if (DOT_SEGMENT.test(pathIn(path))) throw leadsElsewhere();
  // Joined as text, `//host/x` stays a path of the base and does not become another host.
  const url = new URL(`${base.origin}${prefix}${path}`);
  url.hash = '';
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.append(name, String(value));
  }
  return url;
}
