// The transport over sockets. Loaded only when a request goes over the network: undici is heavy.
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { Fault } from '../faults.ts';
import { faultOf } from './failure.ts';
import { placeOf, type Transport } from './transport.ts';

export type NetworkOptions = {
  /** Longest wait for a connection, and between two pieces of a body, in milliseconds. */
  connectTimeoutMs: number;
  idleTimeoutMs: number;
  /** The only way to a proxy: no environment variable is read (cli.md). */
  proxy?: string;
};

export type Network = { transport: Transport; close(): Promise<void> };

/** A walk keeps six reads in flight at most (walk.md). */
const CONNECTIONS = 6;
/** More 1xx answers than this before the real one are a flood. */
const MOST_INTERIM = 16;

/**
 * HTTP/1.1 with kept connections, one pool an origin. Never follows a redirect, sends no cookie, reads no .netrc.
 * How long headers may take is the caller's to say, by the signal.
 */
export async function createNetwork(options: NetworkOptions): Promise<Network> {
  const settings = {
    connections: CONNECTIONS,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: options.idleTimeoutMs,
    connect: { timeout: options.connectTimeoutMs },
  };
  const pools = new Map<string, Dispatcher>();
  const proxy =
    options.proxy === undefined
      ? undefined
      : (await import('./proxy.ts')).createProxy(options.proxy, settings);

  function dispatcherFor(origin: string): Dispatcher {
    const known = proxy ?? pools.get(origin);
    if (known !== undefined) return known;
    const pool = new Pool(origin, settings);
    pools.set(origin, pool);
    return pool;
  }

  const transport: Transport = async ({ method, url, headers, body, signal }) => {
    signal.throwIfAborted();
    const place = placeOf(url);
    let interim = 0;
    try {
      const reply = await request.call(dispatcherFor(url.origin), {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        signal,
        onInfo: ({ statusCode }) => {
          interim += 1;
          if (interim > MOST_INTERIM || ![102, 103].includes(statusCode)) {
            throw new Fault('protocol', `${place}: server broke HTTP rules (status ${statusCode})`);
          }
        },
      });
      const length = Number(reply.headers['content-length'] ?? Number.NaN);
      return {
        status: reply.statusCode,
        headers: flat(reply.headers),
        body: watched(reply.body, place, signal, Number.isSafeInteger(length) ? length : undefined),
      };
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error, place);
    }
  };
  return {
    transport,
    close: async () => {
      await Promise.all(
        [...pools.values(), ...(proxy === undefined ? [] : [proxy])].map((one) => one.destroy()),
      );
    },
  };
}

async function* watched(
  body: AsyncIterable<Uint8Array>,
  place: string,
  signal: AbortSignal,
  of: number | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      yield chunk;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, place, of === undefined ? { bytes } : { bytes, of });
  }
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name === '__proto__' || value === undefined) continue;
    result[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}
