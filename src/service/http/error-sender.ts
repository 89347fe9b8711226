// Sends errors for requests that the service never saw: invalid HTTP, requests over a limit, bodies that are too large.
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Service, ServiceResponse } from '../../contract/exchange.ts';
import { HEADERS } from '../../contract/routes.ts';
import { errorResponse } from '../handlers/error-response.ts';
import { ApiError } from '../rules/api-error.ts';
import type { PortObserver } from './port-observer.ts';
import type { RequestBody } from './request-body.ts';
import { reportParserError } from './request-tracker.ts';

/** A response that carries an error, with its body as text. */
export type ErrorResponse = ServiceResponse & { body: string };

/** Returns the error response, with the headers, request id and integrity that the service gives to an unknown path. */
export async function errorResponseOf(service: Service, error: ApiError): Promise<ErrorResponse> {
  const { headers } = await service({ method: 'GET', target: '/', headers: [], body: null, peer: 'local' });
  const integrity = Number(headers[HEADERS.integrity] ?? 0);
  const response = errorResponse(error, headers[HEADERS.requestId] ?? '', integrity);
  return { ...response, headers: { ...headers, ...response.headers }, body: response.body as string };
}

/** Returns the ApiError for an error of Node's HTTP parser. */
export function parserError({ code }: NodeJS.ErrnoException): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('header_too_large', 'the headers are too large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ApiError('request_invalid', 'the request did not arrive in time');
  }
  return new ApiError('request_invalid', 'the request breaks the rules of HTTP');
}

/** Returns whether an error needs no report: an ApiError, or a client that disconnected before the end. */
export function isExpected(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (
    error instanceof ApiError ||
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    code === 'EPIPE' ||
    code === 'ECONNRESET'
  );
}

/** Sends an error at once, and closes the connection when the rest of the body has been dropped. */
export async function sendError(
  outgoing: ServerResponse,
  { status, headers, body }: ErrorResponse,
  requestBody: RequestBody | undefined,
): Promise<void> {
  if (outgoing.headersSent) return void outgoing.destroy();
  outgoing.writeHead(status, { ...headers, connection: 'close' });
  outgoing.write(body);
  await requestBody?.drop();
  outgoing.end();
}

/** Sends an error on a socket for which Node made no response object, and closes it. */
export function sendErrorOnSocket(
  socket: Duplex,
  service: Service,
  error: ApiError,
  observer: PortObserver,
): void {
  socket.on('error', () => socket.destroy());
  errorResponseOf(service, error).then(
    ({ status, headers, body }) => {
      const { remoteAddress: address = 'unknown' } = socket as Socket;
      reportParserError(observer, { requestId: headers[HEADERS.requestId] ?? '', status, address });
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}connection: close\r\n\r\n`;
      socket.end(head + body, () => socket.destroy());
    },
    () => socket.destroy(),
  );
}
