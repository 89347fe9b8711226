// Puts a service on a port: a bare HTTP listener with limits, a defined answer to everything, and a graceful end.
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Service, ServiceResponse } from '../../contract/exchange.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { HEADERS } from '../../contract/routes.ts';
import { toApiError, errorResponse } from '../handlers/error-response.ts';
import { trackRequest, reportParserError, NO_OBSERVER } from './request-tracker.ts';
import { createConnectionLimiter } from './connection-limiter.ts';
import { admit, declaredLength, hasBody, readBody } from './incoming.ts';
import { createResponseWriter } from './outgoing.ts';
import { NO_PROXIES, type TrustedProxies } from './peer.ts';
import { ApiError } from '../rules/api-error.ts';
import { isLoopback } from '../../contract/loopback.ts';
import { ConnectionReset } from '../handlers/fault-plan.ts';
import type { PortObserver } from './port-observer.ts';

/** Times in milliseconds, sizes in bytes. `idle` ends a socket on which nothing moves, a reader that stops too. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  idleTimeout: 60_000,
  checkInterval: 1_000,
  maxConnections: 12_000,
  maxConnectionsPerAddress: 256,
  maxHeaderSize: 16 * 1024,
  maxHeaders: 128,
  reading: { window: 60_000, windows: 2, slowest: 240 * 1024, mostWaiting: 256 * 1024 * 1024 },
};
export type PortLimits = typeof LIMITS;

export type PortOptions = {
  host: string;
  port: number;
  /**
   * Names to answer to besides those of this machine. Without it a loopback port answers to no other, and an open port
   * to every name, since its network may give it any.
   */
  allowedHosts?: readonly string[];
  /** Proxies whose word on the client's address counts; nobody's where absent. */
  proxies?: TrustedProxies;
  /** Told of every connection and answer. Must not throw. */
  observer?: PortObserver;
  /** Told of what was thrown that nobody planned, under the id of the answer. Must not throw. */
  onFailure?(requestId: string, error: unknown): void;
  limits?: Partial<PortLimits>;
};

export type Listener = {
  url: string;
  port: number;
  /** Stops accepting, lets running requests end, cuts what is left after `graceMs`. Resolves when all is closed. */
  close(graceMs: number): Promise<void>;
};

/**
 * One service on one port of its own; port 0 takes a free one. Throws an Error with the system's `code` (EADDRINUSE,
 * EACCES, …) and a text to show where the port cannot be had.
 */
export async function listen(service: Service, options: PortOptions): Promise<Listener> {
  const { host, port } = options;
  const { server, silent } = createListener(service, options);
  const bound = await bind(server, host, port);
  return { url: originOf(host, bound), port: bound, close: (graceMs) => end(server, silent, graceMs) };
}

/** `silent` is every open connection on which no request ever came. */
function createListener(
  service: Service,
  {
    host,
    allowedHosts = isLoopback(host) ? [] : undefined,
    proxies = NO_PROXIES,
    observer = NO_OBSERVER,
    onFailure,
    limits: given,
  }: PortOptions,
): { server: Server; silent: ReadonlySet<Duplex> } {
  const limits = { ...LIMITS, ...given };
  const gate = { maxHeaders: limits.maxHeaders, allowedHosts, proxies };
  const gatekeeper = createConnectionLimiter(limits, proxies, observer);
  const outbox = createResponseWriter(limits.reading);
  const server = createServer({
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    maxHeaderSize: limits.maxHeaderSize,
    connectionsCheckingInterval: limits.checkInterval,
    // Checked in `admit`, so that the answer has the error body.
    requireHostHeader: false,
  });
  // Node drops headers beyond its count in silence, a second Authorization among them: take all, count ourselves.
  server.maxHeadersCount = 0;
  server.timeout = limits.idleTimeout;
  server.maxConnections = limits.maxConnections;
  server.on('drop', () => observer.rejected('total'));
  // Accepting may fail, and is tried again by itself. Where descriptors run out libuv closes what it cannot take.
  server.on('error', () => observer.rejected('accept'));

  const silent = new Set<Duplex>();
  server.on('connection', (socket) => {
    if (!gatekeeper.accepts(socket)) return;
    observer.connected();
    silent.add(socket);
    socket.once('close', () => {
      silent.delete(socket);
      observer.disconnected();
    });
  });
  const current = new WeakMap<Duplex, { incoming: IncomingMessage; outgoing: ServerResponse }>();
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    silent.delete(incoming.socket);
    current.set(incoming.socket, { incoming, outgoing });
    const account = trackRequest(incoming, observer);
    let release = (): void => {};
    outgoing.on('close', () => {
      release();
      account.complete(outgoing.writableFinished);
      // A client that does not wait for its answers may have asked again.
      if (current.get(incoming.socket)?.outgoing === outgoing) current.delete(incoming.socket);
      // close() ends only what was idle when it was called.
      if (!server.listening) server.closeIdleConnections();
    });
    let requestId: string | undefined;
    try {
      const request = admit(incoming, gate);
      account.address = request.peer;
      release = gatekeeper.startRequest(request.peer, incoming.socket.remoteAddress);
      outbox.admit();
      if (hasBody(incoming)) request.body = await readBody(incoming);
      const response = await service(request);
      requestId = response.headers[HEADERS.requestId];
      account.setResponse(response);
      await outbox.send({ incoming, outgoing }, account.countBytes(response), !server.listening);
    } catch (error) {
      if (error instanceof ConnectionReset) {
        incoming.socket.resetAndDestroy();
        return;
      }
      // The rest of the body never came: whoever sent it is gone, or was answered by clientError.
      if (incoming.destroyed && !incoming.complete) return;
      const failure = await failureOf(service, toApiError(error));
      if (!outgoing.headersSent) account.setResponse(failure);
      if (!isExpected(error)) onFailure?.(requestId ?? failure.headers[HEADERS.requestId] ?? '', error);
      await refuse(incoming, outgoing, failure);
    }
  };
  const handler = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // What is thrown here is a connection that is gone.
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  };
  server.on('request', handler);
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (declaredLength(incoming) <= MAX_REQUEST_BYTES) outgoing.writeContinue();
    handler(incoming, outgoing);
  });
  // Other expectations may be ignored (RFC 9110 10.1.1); so is Upgrade, for which nobody listens.
  server.on('checkExpectation', handler);
  server.on('connect', (_incoming, socket) => {
    writeFailure(
      socket,
      service,
      new ApiError('method_not_allowed', 'this is not a proxy', { allow: 'GET, POST' }),
      observer,
    );
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { incoming, outgoing } = current.get(socket) ?? {};
    // Once the body is whole the service is at work: its answer must not be mixed with ours.
    const begun = incoming?.complete === true || outgoing?.headersSent === true;
    if (error.code === 'ECONNRESET' || !socket.writable || begun) socket.destroy();
    else writeFailure(socket, service, refusalOf(error), observer);
  });
  return { server, silent };
}

type Failure = ServiceResponse & { body: string };

/** The answer to a request that the service never saw, with the headers, id and integrity it gives to one it does not know. */
async function failureOf(service: Service, refusal: ApiError): Promise<Failure> {
  const { headers } = await service({ method: 'GET', target: '/', headers: [], body: null, peer: 'local' });
  const integrity = Number(headers[HEADERS.integrity] ?? 0);
  const failure = errorResponse(refusal, headers[HEADERS.requestId] ?? '', integrity);
  return { ...failure, headers: { ...headers, ...failure.headers }, body: failure.body as string };
}

/** What the parser refused, in our words. */
function refusalOf({ code }: NodeJS.ErrnoException): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('header_too_large', 'the headers are too large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ApiError('request_invalid', 'the request did not arrive in time');
  }
  return new ApiError('request_invalid', 'the request breaks the rules of HTTP');
}

/** A refusal, or a reader that went before the end. */
function isExpected(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (
    error instanceof ApiError ||
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    code === 'EPIPE' ||
    code === 'ECONNRESET'
  );
}

/** Most bytes of an unread body that are thrown away so that the client gets to read why. */
const LINGER_BYTES = 2 * MAX_REQUEST_BYTES;

/**
 * Answers at once and closes. Closing on bytes still under way would reset the connection and take the answer with
 * it, so the rest is read into nothing for a while; requestTimeout bounds it in time.
 */
async function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers, body }: Failure,
): Promise<void> {
  if (outgoing.headersSent) return void outgoing.destroy();
  outgoing.writeHead(status, { ...headers, connection: 'close' });
  outgoing.write(body);
  let dropped = 0;
  // A client that still waits for 100 Continue sends nothing more.
  if (!incoming.complete && incoming.headers.expect === undefined) {
    for await (const chunk of incoming) {
      dropped += (chunk as Buffer).byteLength;
      if (dropped > LINGER_BYTES) break;
    }
  }
  outgoing.end();
}

/** An answer on a bare socket, and its end. */
function writeFailure(socket: Duplex, service: Service, refusal: ApiError, observer: PortObserver): void {
  socket.on('error', () => socket.destroy());
  failureOf(service, refusal).then(
    ({ status, headers, body }) => {
      const { remoteAddress = 'unknown' } = socket as Socket;
      reportParserError(observer, {
        requestId: headers[HEADERS.requestId] ?? '',
        status,
        address: remoteAddress,
      });
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}connection: close\r\n\r\n`;
      socket.end(head + body, () => socket.destroy());
    },
    () => socket.destroy(),
  );
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${cause.code})`;
      reject(Object.assign(new Error(`port ${port} on ${host} ${why}`, { cause }), { code: cause.code }));
    });
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
  });
}

/** The address to reach it by: "all interfaces" is no address, so loopback stands for it. */
function originOf(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function end(server: Server, silent: ReadonlySet<Duplex>, graceMs: number): Promise<void> {
  const deadline = AbortSignal.timeout(graceMs);
  return new Promise((resolve) => {
    const cut = () => server.closeAllConnections();
    deadline.addEventListener('abort', cut, { once: true });
    server.close(() => {
      deadline.removeEventListener('abort', cut);
      resolve();
    });
    // To Node these are at work until headersTimeout, so close() waits for them.
    for (const socket of silent) socket.destroy();
  });
}
