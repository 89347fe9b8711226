// Reads a request of Node as a service request: all headers as sent, checked limits, a body of bounded size.
import type { IncomingMessage } from 'node:http';
import type { HeaderList, ServiceRequest } from '../../contract/exchange.ts';
import { isLoopback } from '../../contract/loopback.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { payloadTooLarge } from '../handlers/body.ts';
import { ApiError } from '../rules/api-error.ts';
import { hostNameOf } from '../rules/host-header.ts';
import { clientAddress, type TrustedProxies } from './peer.ts';

/** What a request must keep to before the service sees it. */
export type RequestRules = {
  maxHeaders: number;
  /** Host names to answer to besides those of this machine; undefined: every name. */
  allowedHosts: readonly string[] | undefined;
  /** Proxies whose X-Forwarded-For is believed. */
  proxies: TrustedProxies;
};

/**
 * Returns the request without its body. Throws ApiError `header_too_large` for too many headers, `request_invalid` for a
 * Host header that is missing, doubled or not allowed, `payload_too_large` for a Content-Length above the limit.
 */
export function toServiceRequest(
  incoming: IncomingMessage,
  { maxHeaders, allowedHosts, proxies }: RequestRules,
): ServiceRequest {
  const { rawHeaders } = incoming;
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.push([rawHeaders[at]!.toLowerCase(), rawHeaders[at + 1]!]);
  }
  if (headers.length > maxHeaders) {
    throw new ApiError('header_too_large', `a request may have ${maxHeaders} headers`);
  }
  const hosts = headerValues(headers, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && incoming.httpVersion === '1.1')) {
    throw new ApiError('request_invalid', 'a request has one Host header');
  }
  // A client that takes the service for a proxy sends a whole URL, whose host counts then (RFC 9112 3.2.2).
  const target = incoming.url ?? '/';
  const [origin = '', host = hosts[0]] = /^https?:\/\/([^/?]*)/i.exec(target) ?? [];
  // Browsers always send a host, so a request without one is not from a web page.
  if (allowedHosts !== undefined && host !== undefined) {
    const name = hostNameOf(host) ?? '';
    if (!isLoopback(name) && !allowedHosts.includes(name)) {
      throw new ApiError('request_invalid', 'host: this service does not answer to that name');
    }
  }
  if (declaredBytes(incoming) > MAX_REQUEST_BYTES) throw payloadTooLarge();
  return {
    method: incoming.method ?? 'GET',
    target: target.slice(origin.length) || '/',
    headers: headers satisfies HeaderList,
    body: null,
    peer: clientAddress(incoming.socket.remoteAddress, headerValues(headers, 'x-forwarded-for'), proxies),
  };
}

function headerValues(headers: HeaderList, name: string): string[] {
  const values: string[] = [];
  for (const [key, value] of headers) if (key === name) values.push(value);
  return values;
}

/** Returns the Content-Length, 0 where there is none. */
export function declaredBytes(incoming: IncomingMessage): number {
  return Number(incoming.headers['content-length'] ?? 0);
}

/** Returns whether the headers announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Returns the whole body. Rejects with ApiError `payload_too_large` at once when it exceeds the limit, and stops reading. */
export function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes <= MAX_REQUEST_BYTES) return;
      incoming.off('data', onData).pause();
      reject(payloadTooLarge());
    };
    // Listeners, because iterating a stream costs more than everything else that is done with a short body.
    incoming.on('data', onData);
    incoming.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)));
    incoming.on('error', reject);
    incoming.on('close', () => {
      if (!incoming.complete) reject(new Error('the body never came'));
    });
  });
}
