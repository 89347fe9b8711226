// From the socket's request to the service's: headers kept as they came, a body of bounded size, and what is refused before.
import type { IncomingMessage } from 'node:http';
import type { HeaderList, ServiceRequest } from '../../contract/exchange.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { ApiError } from '../rules/api-error.ts';
import { isLoopback } from '../../contract/loopback.ts';
import { nameOf } from '../rules/host.ts';
import { tooLarge } from '../handlers/body.ts';
import { clientAddress, type TrustedProxies } from './peer.ts';

export type Gate = {
  maxHeaders: number;
  /** Names to answer to besides those of this machine; undefined: to every name. */
  allowedHosts: readonly string[] | undefined;
  /** Whose word on the client's address counts. */
  proxies: TrustedProxies;
};

/** The request without its body. Throws for headers that a service must not be asked to judge. */
export function admit(
  incoming: IncomingMessage,
  { maxHeaders, allowedHosts, proxies }: Gate,
): ServiceRequest {
  const { rawHeaders } = incoming;
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.push([rawHeaders[at]!.toLowerCase(), rawHeaders[at + 1]!]);
  }
  if (headers.length > maxHeaders) {
    throw new ApiError('header_too_large', `a request may have ${maxHeaders} headers`);
  }
  const hosts = valuesOf(headers, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && incoming.httpVersion === '1.1')) {
    throw new ApiError('request_invalid', 'a request has one Host header');
  }
  // A client that takes us for a proxy sends the whole address, whose name is meant then (RFC 9112 3.2.2).
  const [, named = hosts[0], local = ''] = /^(?:https?:\/\/([^/?]*))?(.*)$/is.exec(incoming.url ?? '/') ?? [];
  // A browser always sends one, so a request without is no page's.
  if (allowedHosts !== undefined && named !== undefined) {
    const name = nameOf(named) ?? '';
    if (!isLoopback(name) && !allowedHosts.includes(name)) {
      throw new ApiError('request_invalid', 'host: this service does not answer to that name');
    }
  }
  if (declaredLength(incoming) > MAX_REQUEST_BYTES) throw tooLarge();
  return {
    method: incoming.method ?? 'GET',
    target: local || '/',
    headers: headers satisfies HeaderList,
    body: null,
    peer: clientAddress(incoming.socket.remoteAddress, valuesOf(headers, 'x-forwarded-for'), proxies),
  };
}

function valuesOf(headers: HeaderList, wanted: string): string[] {
  const values: string[] = [];
  for (const [name, value] of headers) if (name === wanted) values.push(value);
  return values;
}

export function declaredLength(incoming: IncomingMessage): number {
  return Number(incoming.headers['content-length'] ?? 0);
}

/** Whether a body was announced. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** The whole body. Rejects with payload_too_large as soon as it is, and leaves the rest unread. */
export function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer): void => {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes <= MAX_REQUEST_BYTES) return;
      incoming.off('data', take).pause();
      reject(tooLarge());
    };
    // Listeners, since to iterate over a stream costs more than all else that is done with a short body.
    incoming.on('data', take);
    incoming.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)));
    incoming.on('error', reject);
    incoming.on('close', () => {
      if (!incoming.complete) reject(new Error('the body never came'));
    });
  });
}
