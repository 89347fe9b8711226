// Where files may come from: which addresses are opened and which redirects followed.
import { isLoopback } from '../contract/loopback.ts';
import { Fault } from '../faults.ts';
import type { ApiResponse } from '../client/response.ts';
import { faultOfResponse, redirectTarget } from '../client/error-response.ts';
import { safeText } from '../client/safe-text.ts';

/** The base, the asset origin and what --allow-asset-host names (https, or http on this machine). */
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
 * What the service says of itself where its files are, from its health reply: trusted only on the base's own host (any
 * port; all names of this machine are one host) and never from https to http, else undefined. A service could name any
 * address that only we can reach. Throws a protocol Fault where it is no http or https address.
 */
export function trustedAssetOrigin(announced: string, base: URL): URL | undefined {
  const url = parsed(announced);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === undefined || !isWeb || url.username !== '' || url.password !== '') {
    throw new Fault('protocol', 'asset_url in the health reply is not an http or https address', {
      hint: 'name it with --asset-url',
    });
  }
  const isHere = isLoopback(url.hostname) && isLoopback(base.hostname);
  const isDowngrade = base.protocol === 'https:' && url.protocol === 'http:';
  return (url.hostname === base.hostname || isHere) && !isDowngrade ? url : undefined;
}

/** A file_url that may be opened, else an `unsafe` Fault (faults.md E6). */
export function checkedFileUrl(address: string, allowed: ReadonlySet<string>): URL {
  const url = parsed(address);
  if (url === undefined) throw new Fault('unsafe', 'file URL is not a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Fault('unsafe', `file URL has the scheme ${safeText(url.protocol, 20)}`);
  }
  if (url.username !== '' || url.password !== '') throw new Fault('unsafe', 'file URL holds credentials');
  if (!allowed.has(url.origin)) {
    throw new Fault(
      'unsafe',
      `file URL leads to ${safeText(url.origin, 200)}, which is no known origin of this archive`,
      {
        hint: `if you trust it: --asset-url ${safeText(url.origin, 200)} or --allow-asset-host ${safeText(url.host, 200)}`,
      },
    );
  }
  return url;
}

/** Only to where a file may come from anyway, and never from https to http (faults.md E3, E9). */
export function checkedRedirect(answer: ApiResponse, from: URL, allowed: ReadonlySet<string>): URL {
  const target = redirectTarget(answer.headers['location'], from);
  const downgraded = from.protocol === 'https:' && target?.protocol !== 'https:';
  const known = target !== undefined && (target.origin === from.origin || allowed.has(target.origin));
  if (target === undefined || downgraded || !known || target.username !== '' || target.password !== '') {
    throw faultOfResponse(answer, from);
  }
  return target;
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}
