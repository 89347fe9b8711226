// Reads the head of a request of Node as a service request: all headers as sent, with checked limits.
import type { IncomingMessage } from 'node:http';
import type { HeaderList, ServiceRequest } from '../../contract/exchange.ts';
import { isLoopback } from '../../contract/loopback.ts';
import { ApiError } from '../rules/api-error.ts';
import { hostNameOf } from '../rules/host-header.ts';
import { goneSignal } from './gone-signal.ts';
import { clientAddress, normalizeAddress, peerAt, type Peer, type TrustedProxies } from './peer.ts';

/** What a request must keep to before the service sees it. */
export type RequestRules = {
  maxHeaders: number;
  /** Host names to answer to besides those of this machine; undefined: every name. */
  allowedHosts: readonly string[] | undefined;
};

/**
 * Returns the request without its body. Throws ApiError `header_too_large` for too many headers, `request_invalid` for a
 * host that is missing, doubled, no host or not allowed, for a transfer coding other than `chunked` and another version of HTTP,
 * `expectation_failed` for an expectation other than `100-continue`.
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
  const isOld = incoming.httpVersion === '1.0';
  if (!isOld && incoming.httpVersion !== '1.1') throw new ApiError('request_invalid', 'this is no HTTP/1.1');
  // Node accepts `gzip, chunked`, and decodes only the chunks. With HTTP/1.0 the length of the body is in doubt (RFC 9112 6.1).
  const codings = headerValues(headers, 'transfer-encoding');
  if (codings.some((coding) => isOld || coding.toLowerCase() !== 'chunked')) {
    throw new ApiError('request_invalid', 'transfer-encoding: must be chunked, in HTTP/1.1');
  }
  const expectations = headerValues(headers, 'expect').flatMap((value) => value.split(','));
  if (!isOld && expectations.some((each) => !/^\s*(?:100-continue\s*)?$/i.test(each))) {
    throw new ApiError('expectation_failed', 'expect: must be 100-continue');
  }
  const hosts = headerValues(headers, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && !isOld)) {
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
    gone: () => goneSignal(incoming.socket),
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
