// Connections through the proxy that --proxy names; loaded only for it.
import type { Dispatcher } from 'undici';
import { Fault } from '../faults.ts';
import { connect, Pool, ProxyAgent } from './undici-parts.ts';

/**
 * Returns a dispatcher that sends every request through a CONNECT tunnel, plain http too. Throws Fault 'usage' for an
 * address that is no URL; it never shows the proxy's password.
 */
export function createProxy(address: string, settings: object): Dispatcher {
  const url = /^https?:\/\//i.test(address) ? parsed(address) : undefined;
  if (url === undefined) throw new Fault('usage', 'proxy is not an http or https URL');
  return new ProxyAgent({
    ...settings,
    uri: url.href,
    requestTls: { rejectUnauthorized: true },
    proxyTls: { rejectUnauthorized: true },
    // undici adds the methods of dispatchers only where the whole package is loaded.
    clientFactory: (origin, options) => Object.assign(new Pool(origin, options), { connect }),
  });
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}
