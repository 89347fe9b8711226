// The transport without sockets: calls a service function directly, with the same statuses, headers and bodies.
import { createTurns } from '../concurrency/turns.ts';
import type { Service, ServiceResponse } from '../contract/exchange.ts';
import { Fault } from '../faults.ts';
import { TransportFault, type Transport } from './transport.ts';

/** Addresses of the embedded archive and its files. Nothing ever connects to them. */
export const EMBEDDED_BASE_URL = 'https://archive.localhost';
/** See {@link EMBEDDED_BASE_URL}. */
export const EMBEDDED_ASSET_URL = 'https://assets.localhost';

/**
 * Returns a transport over `services`, by origin. Throws Fault 'unsafe' for a request to any other origin. `run`: a request that takes
 * long ends with it; not with the time limit of the request, since there is no connection on which an answer could be missing.
 */
export function createInProcessTransport(
  services: Readonly<Record<string, Service>>,
  run?: AbortSignal,
): Transport {
  const turn = createTurns();
  return async ({ method, url, headers, body, signal }) => {
    await turn();
    signal.throwIfAborted();
    const service = Object.hasOwn(services, url.origin) ? services[url.origin] : undefined;
    if (service === undefined) throw new Fault('unsafe', `${url.host} is not part of the local archive`);
    const response = await service({
      method,
      target: url.pathname + url.search,
      headers: Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const),
      body: body ?? null,
      peer: 'local',
      ...(run === undefined ? {} : { gone: () => run }),
    });
    run?.throwIfAborted();
    return {
      status: response.status,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      body: piecesOf(response.body, signal),
    };
  };
}

async function* piecesOf(body: ServiceResponse['body'], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (typeof body === 'string') {
    if (body !== '') yield new TextEncoder().encode(body);
  } else if (body instanceof Uint8Array) {
    if (body.length > 0) yield body;
  } else {
    try {
      for await (const chunk of body) {
        signal.throwIfAborted();
        yield chunk;
      }
    } catch (error) {
      signal.throwIfAborted();
      // Over a socket, a body that fails is cut.
      throw new TransportFault('network', 'answer was cut', true, { retryable: true, cause: error });
    }
  }
}
