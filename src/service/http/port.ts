// Serves a service on a port: an HTTP server with limits, an error response for every bad request, a graceful shutdown.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Service } from '../../contract/exchange.ts';
import { isLoopback } from '../../contract/loopback.ts';
import { HEADERS } from '../../contract/routes.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { payloadTooLarge } from '../handlers/body.ts';
import { toApiError } from '../handlers/error-response.ts';
import { ConnectionReset } from '../handlers/fault-plan.ts';
import { ApiError } from '../rules/api-error.ts';
import { createBodyMemory } from './body-memory.ts';
import { createConnectionLimiter } from './connection-limiter.ts';
import { errorResponseOf, isExpected, parserError, sendError, sendErrorOnSocket } from './error-sender.ts';
import { peerOf, toServiceRequest } from './incoming.ts';
import { createResponseWriter } from './outgoing.ts';
import { NO_PROXIES, type TrustedProxies } from './peer.ts';
import { DEFAULT_PORT_LIMITS, type PortLimits } from './port-limits.ts';
import type { PortObserver } from './port-observer.ts';
import { declaredBytes, hasBody, receiveBody, type RequestBody } from './request-body.ts';
import { createRequestQueue } from './request-queue.ts';
import { NO_OBSERVER, trackRequest, type RequestTracker } from './request-tracker.ts';

export type { PortLimits };

/** Where a service listens, and whom it answers and reports to. */
export type PortOptions = {
  host: string;
  port: number;
  /**
   * Host names to answer to besides those of this machine. Default: a port on a loopback address answers to no other name;
   * a port on any other address answers to every name, since its network may give it any.
   */
  allowedHosts?: readonly string[];
  /** Proxies whose X-Forwarded-For is believed. Default: none. */
  proxies?: TrustedProxies;
  /** Gets every connection and completed request. Must not throw. */
  observer?: PortObserver;
  /** Is called with every unexpected error and the request id of its response. Must not throw. */
  onFailure?(requestId: string, error: unknown): void;
  limits?: Partial<PortLimits>;
};

/** An open port, with its address and the port number it was given. */
export type Listener = {
  url: string;
  port: number;
  /** Stops accepting, lets running requests end, cuts the rest after `graceMs`. Resolves when all connections are closed. */
  close(graceMs: number): Promise<void>;
};

/**
 * Returns the service on a port; port 0 takes a free one. Throws an Error with the system's `code` (EADDRINUSE, EACCES, …)
 * and a text to show, where the port cannot be opened.
 */
export async function listen(service: Service, options: PortOptions): Promise<Listener> {
  const { host, port } = options;
  const { server, unused } = createHttpServer(service, options);
  const bound = await bind(server, host, port);
  return { url: originOf(host, bound), port: bound, close: (graceMs) => close(server, unused, graceMs) };
}

/** Returns the server, and its connections on which no request came yet. */
function createHttpServer(
  service: Service,
  {
    host,
    allowedHosts = isLoopback(host) ? [] : undefined,
    proxies = NO_PROXIES,
    observer = NO_OBSERVER,
    onFailure,
    limits: changedLimits,
  }: PortOptions,
): { server: Server; unused: ReadonlySet<Duplex> } {
  const limits = { ...DEFAULT_PORT_LIMITS, ...changedLimits };
  const requestRules = { maxHeaders: limits.maxHeaders, allowedHosts };
  const bodyMemory = createBodyMemory(limits);
  const connectionLimiter = createConnectionLimiter(limits, proxies, observer);
  const writer = createResponseWriter(limits.slowReaders);
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeaderBytes,
    connectionsCheckingInterval: limits.timeoutCheckMs,
    // `toServiceRequest` checks it, so that the response has the error body.
    requireHostHeader: false,
  });
  // Node silently drops headers above its count, perhaps a second Authorization. So it takes all, and we count.
  server.maxHeadersCount = 0;
  // Otherwise a client that closes its side after its request gets no answer. Node has this property without a type.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.timeout = limits.idleTimeoutMs;
  server.maxConnections = limits.maxConnections;
  server.on('drop', () => observer.rejected('total'));
  // A failed accept is retried by Node. Where file descriptors run out, libuv closes the connection.
  server.on('error', () => observer.rejected('accept'));

  const unused = new Set<Duplex>();
  server.on('connection', (socket) => {
    if (!connectionLimiter.accepts(socket)) return;
    observer.connected();
    unused.add(socket);
    socket.once('close', () => {
      unused.delete(socket);
      observer.disconnected();
    });
  });
  /** Connections on which an error was sent, or will be, for bytes that are no request. It is the last response. */
  const refused = new WeakSet<Duplex>();
  const requestQueue = createRequestQueue(limits, () => observer.rejected('ahead'));
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse, sendContinue?: () => void) => {
    unused.delete(incoming.socket);
    let tracker: RequestTracker | undefined;
    let requestBody: RequestBody | undefined;
    let release = (): void => {};
    const end = (): void => {
      release();
      requestBody?.release();
      tracker?.complete(outgoing.writableFinished);
      // server.close() ends only the connections that were idle when it was called.
      if (!server.listening) server.closeIdleConnections();
    };
    const turn = requestQueue.add({ incoming, outgoing, end });
    if (turn === 'closed') return;
    tracker = trackRequest(incoming, observer);
    const peer = peerOf(incoming, proxies);
    tracker.address = peer.address;
    let requestId: string | undefined;
    // The rest of the body never came: the client disconnected, or `refuse` answered it.
    const isOver = (): boolean => refused.has(incoming.socket) || (incoming.destroyed && !incoming.complete);
    try {
      if (hasBody(incoming)) requestBody = receiveBody(incoming, peer, bodyMemory, sendContinue);
      if (turn !== undefined) await turn;
      const request = toServiceRequest(incoming, peer, requestRules);
      if ((declaredBytes(incoming) ?? 0) > MAX_REQUEST_BYTES) throw payloadTooLarge(MAX_REQUEST_BYTES);
      release = connectionLimiter.startRequest(peer, incoming.socket.remoteAddress);
      writer.checkCapacity();
      request.body = requestBody?.read ?? null;
      const response = await service(request);
      if (isOver()) return;
      requestId = response.headers[HEADERS.requestId];
      tracker.setResponse(response);
      // Upgrade is ignored, but Node drops what follows such a request in the same packet.
      const isLast = !server.listening || incoming.headers.upgrade !== undefined;
      await writer.send({ incoming, outgoing, requestBody }, tracker.countBytes(response), isLast);
    } catch (error) {
      if (error instanceof ConnectionReset) {
        incoming.socket.resetAndDestroy();
        return;
      }
      if (isOver()) return;
      const response = await errorResponseOf(service, toApiError(error));
      if (isOver()) return;
      if (!outgoing.headersSent) tracker.setResponse(response);
      if (!isExpected(error)) onFailure?.(requestId ?? response.headers[HEADERS.requestId] ?? '', error);
      await sendError(outgoing, response, requestBody);
    }
  };
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse, sendContinue?: () => void) => {
    // Only a lost connection makes this reject.
    respond(incoming, outgoing, sendContinue).catch(() => outgoing.destroy());
  };
  server.on('request', onRequest);
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) =>
    onRequest(incoming, outgoing, () => outgoing.writeContinue()),
  );
  // Other expectations are refused. Their clients wait before they send a body, too.
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) =>
    onRequest(incoming, outgoing, () => {}),
  );
  /** Answers what is no request. It must not be taken for the response of a request before it. */
  const refuse = (socket: Duplex, error: ApiError): void => {
    const [first, ...others] = requestQueue.unanswered(socket);
    // Once the body is complete the service is working.
    const isWorking = first?.incoming.complete === true || first?.outgoing.headersSent === true;
    if (isWorking || others.length > 0) socket.destroy();
    else {
      refused.add(socket);
      sendErrorOnSocket(socket, service, error, observer);
    }
  };
  server.on('connect', (_incoming, socket) => {
    refuse(socket, new ApiError('method_not_allowed', 'this is not a proxy', { allow: 'GET, POST' }));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // More came after a request that closes the connection. Its response ends the socket.
    if (error.code === 'HPE_CLOSED_CONNECTION' && requestQueue.unanswered(socket).length > 0) return;
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuse(socket, parserError(error));
  });
  return { server, unused };
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

/** Returns the URL to reach a port by. "All interfaces" is no address, so the loopback address stands for it. */
function originOf(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function close(server: Server, unused: ReadonlySet<Duplex>, graceMs: number): Promise<void> {
  const deadline = AbortSignal.timeout(graceMs);
  return new Promise((resolve) => {
    const cut = () => server.closeAllConnections();
    deadline.addEventListener('abort', cut, { once: true });
    server.close(() => {
      deadline.removeEventListener('abort', cut);
      resolve();
    });
    // Node counts them as busy until the headers timeout, so server.close() would wait for them.
    for (const socket of unused) socket.destroy();
  });
}
