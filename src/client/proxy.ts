// Connections through the proxy that --proxy names; loaded only for it.
import type { Dispatcher } from 'undici';
import { Fault } from '../faults.ts';
import { hostAndPort, TransportFault } from './transport.ts';
import { CHECK_PROXY } from './transport-fault.ts';
import { connect, Pool, ProxyAgent } from './undici-parts.ts';

/** How connections are made: the longest wait in milliseconds, and the options of TLS. */
type ProxySettings = { connect: { timeout: number; rejectUnauthorized: true } };

/**
 * Returns a dispatcher that sends every request through a CONNECT tunnel, plain http too. Throws Fault 'usage' for an
 * address that is no URL; it never shows the proxy's password.
 */
export function createProxy(address: string, settings: ProxySettings): Dispatcher {
  const url = /^https?:\/\//i.test(address) ? parsed(address) : undefined;
  if (url === undefined) throw new Fault('usage', 'proxy is not an http or https URL');
  return new ProxyAgent({
    ...settings,
    uri: url.href,
    requestTls: settings.connect,
    proxyTls: settings.connect,
    clientFactory: (origin, options) => {
      const pool = new Pool(origin, { ...options, headersTimeout: settings.connect.timeout });
      // undici adds the methods of dispatchers only where the whole package is loaded.
      return Object.assign(pool, {
        connect: async (tunnel: Dispatcher.ConnectOptions) => {
          const answer = await connect.call(pool, tunnel).catch((error: unknown) => {
            throw tunnelFault(error, hostAndPort(url));
          });
          // undici would take this for an answer to a request that it has not sent, and ask for the tunnel again, without end.
          if (answer.socket.readableLength > 0) {
            answer.socket.destroy();
            throw new Fault('protocol', `the proxy ${hostAndPort(url)} sent data before it was asked`);
          }
          return answer;
        },
      });
    },
  });
}

/** Returns the fault of a tunnel that was not opened. After an error with the code UND_ERR_SOCKET undici would ask again, without end. */
function tunnelFault(error: unknown, proxy: string): unknown {
  const { code } = error as { code?: unknown };
  const detail = { hint: CHECK_PROXY, retryable: true };
  if (code === 'UND_ERR_SOCKET')
    return new TransportFault('network', `the proxy ${proxy} closed the connection`, false, detail);
  if (code === 'UND_ERR_HEADERS_TIMEOUT')
    return new TransportFault('network', `cannot reach the proxy ${proxy} (timeout)`, false, detail);
  return error;
}

function parsed(address: string): URL | undefined {
  try {
    const url = new URL(address);
    // undici decodes both for the header that it sends.
    decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    return undefined;
  }
}
