// Reads the head of a request of Node as a service request: all headers as sent, with checked limits.
import type { IncomingMessage } from 'node:http';
import type { HeaderList, ServiceRequest } from '../../contract/exchange.ts';
import { isLoopback } from '../../contract/loopback.ts';
import { ApiError } from '../rules/api-error.ts';
import { hostNameOf } from '../rules/host-header.ts';
import { clientAddress, normalizeAddress, peerAt, type Peer, type TrustedProxies } from './peer.ts';

/** What a request must keep to before the service sees it. */
export type RequestRules = {
  maxHeaders: number;
  /** Host names to answer to besides those of this machine; undefined: every name. */
  allowedHosts: readonly string[] | undefined;
};

/**
 * Returns the request without its body. Throws ApiError `header_too_large` for too many headers, `request_invalid` for a
 * host that is missing, doubled, no host or not allowed, and for a transfer coding other than `chunked`.
 */
export function toServiceRequest(
  incoming: IncomingMessage,
  peer: Peer,
  { maxHeaders, allowedHosts }: RequestRules,
): ServiceRequest {
  const { rawHeaders } = incoming;
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.push([rawHeaders[at]!.toLowerCase(), rawHeaders[at + 1]!]);
  }
  if (headers.length > maxHeaders) {
    throw new ApiError('header_too_large', `a request may have ${maxHeaders} headers`);
  }
  // Node refuses what does not end with `chunked`. It accepts `gzip, chunked`, and decodes only the chunks.
  if (
    headerValues(headers, 'transfer-encoding').some((coding) =>
      /^(?!chunked\b).*,\s*chunked\s*$/i.test(coding),
    )
  ) {
    throw new ApiError('request_invalid', 'transfer-encoding: must be chunked');
  }
  const hosts = headerValues(headers, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && incoming.httpVersion === '1.1')) {
    throw new ApiError('request_invalid', 'a request has one Host header');
  }
  // A client that takes the service for a proxy sends a whole URL, whose host counts then (RFC 9112 3.2.2).
  const target = incoming.url ?? '/';
  const [origin = '', host = hosts[0]] = /^https?:\/\/([^/?]*)/i.exec(target) ?? [];
  // Browsers always send a host, so a request without one is not from a web page.
  if (host !== undefined) {
    const name = hostNameOf(host);
    if (name === undefined) throw new ApiError('request_invalid', 'host: must be one name or address');
    if (allowedHosts !== undefined && !isLoopback(name) && !allowedHosts.includes(name)) {
      throw new ApiError('request_invalid', 'host: this service does not answer to that name');
    }
  }
  return {
    method: incoming.method ?? 'GET',
    target: target.slice(origin.length) || '/',
    headers: headers satisfies HeaderList,
    body: null,
    peer: peer.limitKey,
  };
}

/** Returns the client of a request. */
export function peerOf({ socket, headersDistinct }: IncomingMessage, proxies: TrustedProxies): Peer {
  const connection = socket.remoteAddress;
  // Only what a trusted proxy says is read, so the header of all other requests costs nothing.
  const address = normalizeAddress(connection ?? 'unknown');
  if (!proxies.trusts(address)) return peerAt(address, proxies);
  return peerAt(clientAddress(connection, headersDistinct['x-forwarded-for'] ?? [], proxies), proxies);
}

function headerValues(headers: HeaderList, name: string): string[] {
  const values: string[] = [];
  for (const [key, value] of headers) if (key === name) values.push(value);
  return values;
}
