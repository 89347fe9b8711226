// Which origins files may be downloaded from, by their address and after a redirect.
import { isLoopback } from '../contract/loopback.ts';
import { Fault } from '../faults.ts';
import type { ApiResponse } from '../client/response.ts';
import { faultOfResponse } from '../client/error-response.ts';
import { redirectTarget } from '../client/redirect.ts';
import { safeText } from '../client/safe-text.ts';

/**
 * Returns the origins of `urls` and of the hosts that `--allow-asset-host` names: https, and http too on this machine.
 * Throws Fault 'usage' for what is no HOST or HOST:PORT.
 */
export function allowedOriginsOf(
  urls: ReadonlyArray<string | URL>,
  hosts: readonly string[] = [],
): Set<string> {
  const origins = new Set(urls.map((url) => new URL(url).origin));
  for (const host of hosts) {
    const url = parsed(`https://${host}`);
    if (url === undefined || url.host === '' || url.pathname !== '/' || url.username !== '') {
      throw new Fault('usage', `${safeText(host, 100)} is not HOST or HOST:PORT`);
    }
    origins.add(url.origin);
    if (isLoopback(url.hostname)) origins.add(new URL(`http://${host}`).origin);
  }
  return origins;
}

/**
 * Returns the origin of files that the health reply announces, if it can be trusted: it is on the host of the base URL
 * (any port; all names of this machine are one host) and not http where the base is https. A service could announce an
 * address that only this machine can reach. Throws Fault 'protocol' where it is no http or https address.
 */
export function trustedAssetOrigin(announced: string, base: URL): URL | undefined {
  const url = parsed(announced);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  const hasCredentials = url !== undefined && (url.username !== '' || url.password !== '');
  if (url === undefined || !isWeb || hasCredentials) {
    // A password is not shown.
    const what = hasCredentials
      ? 'holds credentials'
      : `${safeText(announced, 200)} is not an http or https address`;
    throw new Fault('protocol', `asset_url in the health reply: ${what}`, {
      hint: 'name it with --asset-url',
    });
  }
  const isHere = isLoopback(url.hostname) && isLoopback(base.hostname);
  const isDowngrade = base.protocol === 'https:' && url.protocol === 'http:';
  return (url.hostname === base.hostname || isHere) && !isDowngrade ? url : undefined;
}

/** Returns the file_url as a URL; a relative one is below `base`. Throws Fault 'unsafe' if its scheme or origin is not allowed, or it holds credentials. */
export function checkedFileUrl(address: string, allowed: ReadonlySet<string>, base?: string): URL {
  const url = parsed(address) ?? (base === undefined ? undefined : relative(address, base));
  if (url === undefined) throw new Fault('unsafe', 'file URL is not a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Fault('unsafe', `file URL has the scheme ${safeText(url.protocol, 20)}`);
  }
  if (url.username !== '' || url.password !== '') throw new Fault('unsafe', 'file URL holds credentials');
  if (!allowed.has(url.origin)) {
    throw new Fault(
      'unsafe',
      `file URL leads to ${safeText(url.origin, 200)}, which is no known origin of this archive`,
      { hint: trustHint(url) },
    );
  }
  return url;
}

/** Returns from which unknown origin a file would come, in words without the file; undefined for another failure. */
export function unknownOriginIn({ message }: Fault): string | undefined {
  return /file URL leads to \S+, which is no known origin of this archive/.exec(message)?.[0];
}

/**
 * Returns the target of a redirect. Throws the Fault of `answer` if files may not come from there, if it leads from https
 * to http, or holds credentials.
 */
export function checkedRedirect(answer: ApiResponse, from: URL, allowed: ReadonlySet<string>): URL {
  const target = redirectTarget(answer.headers['location'], from);
  const downgraded = from.protocol === 'https:' && target?.protocol !== 'https:';
  const hasCredentials = target?.username !== '' || target.password !== '';
  if (target === undefined || downgraded || hasCredentials) throw faultOfResponse(answer, from);
  if (target.origin === from.origin || allowed.has(target.origin)) return target;
  const { kind, message, detail } = faultOfResponse(answer, from);
  throw new Fault(
    kind,
    message,
    /^https?:$/.test(target.protocol) ? { ...detail, hint: redirectHint(target) } : detail,
  );
}

/** Returns how to allow file URLs of the origin of `url`. */
function trustHint(url: URL): string {
  return [`if you trust it: ${byOrigin(url)}`, ...byHost(url)].join(' or ');
}

/** Returns how to follow redirects to `url`. `--asset-url` would replace the origin that the file URLs themselves have. */
function redirectHint(url: URL): string {
  return `if you trust it: ${byHost(url)[0] ?? byOrigin(url)}`;
}

function byOrigin({ origin }: URL): string {
  return `--asset-url ${safeText(origin, 200)}`;
}

/** Nothing where the option would not do: it stands for https, and for http on this machine alone. */
function byHost({ protocol, hostname, host }: URL): string[] {
  const isTaken = protocol === 'https:' || isLoopback(hostname);
  return isTaken ? [`--allow-asset-host ${safeText(host, 200)}`] : [];
}

/** Returns an address within a server, as a path or below the base URL. Text with blanks is none. */
function relative(address: string, base: string): URL | undefined {
  return /\s/.test(address) ? undefined : parsed(address, base.endsWith('/') ? base : `${base}/`);
}

function parsed(address: string, base?: string): URL | undefined {
  try {
    return new URL(address, base);
  } catch {
    return undefined;
  }
}
