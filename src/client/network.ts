// The transport over sockets, with undici. It is loaded only for requests over the network, since undici is large.
import type { Dispatcher } from 'undici';
import { Fault } from '../faults.ts';
import { whenAborted } from '../concurrency/when-aborted.ts';
import { BROKEN_RULES, transportFaultOf } from './transport-fault.ts';
import { hostAndPort, type Transport } from './transport.ts';
import { buildConnector, Pool, request } from './undici-parts.ts';

/** Options of the network transport. */
export type NetworkOptions = {
  /** Longest wait for a connection, and between two chunks of a body, in milliseconds. */
  connectTimeoutMs: number;
  idleTimeoutMs: number;
  /** Called for each connection to an origin. */
  onConnect?: (origin: string) => void;
  /** URL of a proxy. No environment variable is read. */
  proxy?: string;
};

/** A transport, and the function that closes its connections. */
export type Network = { transport: Transport; close(): Promise<void> };

/** As many as a pull uses at once: a request that waits for a connection here would run into its time limit. */
const MAX_CONNECTIONS = 32;
/** More interim responses (1xx) than this before the final one are refused. */
const MAX_INTERIM_RESPONSES = 16;
/** Responses of these statuses end with their headers, whatever length those state (RFC 9112 section 6.3). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);

/**
 * Returns a transport over HTTP/1.1 with one pool of persistent connections for each origin. It follows no redirects, sends
 * no cookies and reads no .netrc. The caller limits the wait for headers by the signal.
 */
export async function createNetwork(options: NetworkOptions): Promise<Network> {
  const settings = {
    connections: MAX_CONNECTIONS,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: options.idleTimeoutMs,
    // Without the second, NODE_TLS_REJECT_UNAUTHORIZED=0 would switch off the check of certificates.
    connect: { timeout: options.connectTimeoutMs, rejectUnauthorized: true as const },
  };
  const pools = new Map<string, Dispatcher>();
  /** IP addresses that connections to an origin have used. */
  const addresses = new Map<string, Set<string>>();
  /** Origins that have answered: so the scheme of the address is right. */
  const answered = new Set<string>();
  const proxy =
    options.proxy === undefined
      ? undefined
      : (await import('./proxy.ts')).createProxy(options.proxy, settings);

  const proxyPlace = options.proxy === undefined ? undefined : hostAndPort(new URL(options.proxy));

  function dispatcherFor(origin: string): Dispatcher {
    const known = proxy ?? pools.get(origin);
    if (known !== undefined) return known;
    const pool = new Pool(origin, { ...settings, connect: noting(origin) });
    pools.set(origin, pool);
    return pool;
  }
  function noting(origin: string): ReturnType<typeof buildConnector> {
    const connect = buildConnector({ ...settings.connect, allowH2: false });
    const noted = new Set<string>();
    addresses.set(origin, noted);
    return (to, done) =>
      connect(to, (...result) => {
        const address = result[1]?.remoteAddress;
        if (address !== undefined) noted.add(address);
        if (result[1] !== null) options.onConnect?.(origin);
        done(...result);
      });
  }

  const transport: Transport = async ({ method, url, headers, body, signal }) => {
    signal.throwIfAborted();
    const place = hostAndPort(url);
    let interim = 0;
    try {
      const asked = request.call(dispatcherFor(url.origin), {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        signal,
        responseHeaders: 'raw',
        onInfo: ({ statusCode }) => {
          interim += 1;
          if (interim > MAX_INTERIM_RESPONSES || ![102, 103].includes(statusCode)) {
            throw new Fault('protocol', `${place}: ${BROKEN_RULES} (status ${statusCode})`);
          }
        },
      });
      const reply = await untilAborted(asked, signal);
      answered.add(url.origin);
      const raw = pairs(reply.headers as unknown as string[]);
      const known = flat(raw);
      const length = Number(known['content-length'] ?? Number.NaN);
      const [address, ...others] = addresses.get(url.origin) ?? [];
      return {
        status: reply.statusCode,
        headers: known,
        wire: { reason: reply.statusText, headers: raw, address: others.length === 0 ? address : undefined },
        body: WITHOUT_BODY.has(reply.statusCode)
          ? nothingOf(reply.body)
          : watched(reply.body, place, signal, Number.isSafeInteger(length) ? length : undefined),
      };
    } catch (error) {
      signal.throwIfAborted();
      const fault = transportFaultOf(error, place, undefined, proxyPlace);
      if (answered.has(url.origin)) delete fault.detail.mayBeForTls;
      throw fault;
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

/** undici gives up a request only once there is a connection for it, and a proxy can hold that back. */
async function untilAborted<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  let ignore = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    ignore = whenAborted(signal, () => reject(signal.reason as Error));
  });
  return Promise.race([asked, aborted]).finally(ignore);
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
    throw transportFaultOf(error, place, of === undefined ? { bytes } : { bytes, of });
  }
}

/** Returns a body without bytes. For undici it is cut where the headers state a length. */
async function* nothingOf(body: Dispatcher.ResponseData['body']): AsyncGenerator<Uint8Array> {
  await body.dump().catch(() => {});
  yield* [];
}

function pairs(raw: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index]!, raw[2 * index + 1]!]);
}

function flat(headers: readonly [name: string, value: string][]): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (key === '__proto__') continue;
    result[key] = Object.hasOwn(result, key) ? `${result[key]}, ${value}` : value;
  }
  return result;
}
