// Puts a service on a port: a bare HTTP listener with limits, a defined answer to everything, and a graceful end.
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Service, ServiceResponse } from '../contract/exchange.ts';
import { MOST_REQUEST_BYTES } from '../contract/quantity.ts';
import { HEADERS } from '../contract/routes.ts';
import { asRefusal, errorResponse } from './http/failure.ts';
import { admit, declaredLength, readBody } from './http/incoming.ts';
import { Refusal } from './refusal.ts';

/** Times in milliseconds, sizes in bytes. `idle` ends a socket on which nothing moves, a slow reader of a file too. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  idle: 60_000,
  checkInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  maxHeaders: 128,
};
export type PortLimits = typeof LIMITS;

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
export async function listen(
  service: Service,
  { host, port, limits }: { host: string; port: number; limits?: Partial<PortLimits> },
): Promise<Listener> {
  const { server, silent } = createListener(service, { ...LIMITS, ...limits });
  const bound = await bind(server, host, port);
  return { url: originOf(host, bound), port: bound, close: (graceMs) => end(server, silent, graceMs) };
}

/** `silent` is every open connection on which no request ever came. */
function createListener(
  service: Service,
  limits: PortLimits,
): { server: Server; silent: ReadonlySet<Duplex> } {
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
  server.timeout = limits.idle;

  const silent = new Set<Duplex>();
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  const current = new WeakMap<Duplex, { incoming: IncomingMessage; outgoing: ServerResponse }>();
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    silent.delete(incoming.socket);
    current.set(incoming.socket, { incoming, outgoing });
    outgoing.once('close', () => {
      current.delete(incoming.socket);
      // close() ends only what was idle when it was called.
      if (!server.listening) server.closeIdleConnections();
    });
    try {
      const request = admit(incoming, limits.maxHeaders);
      const response = await service({ ...request, body: await readBody(incoming) });
      await send(outgoing, response, !server.listening);
    } catch (error) {
      // The rest of the body never came: whoever sent it is gone, or was answered by clientError.
      if (incoming.destroyed && !incoming.complete) return;
      await refuse(incoming, outgoing, await failureOf(service, asRefusal(error)));
    }
  };
  const handler = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // What is thrown here is a connection that is gone.
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  };
  server.on('request', handler);
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (declaredLength(incoming) <= MOST_REQUEST_BYTES) outgoing.writeContinue();
    handler(incoming, outgoing);
  });
  // Other expectations may be ignored (RFC 9110 10.1.1); so is Upgrade, for which nobody listens.
  server.on('checkExpectation', handler);
  server.on('connect', (_incoming, socket) => {
    writeFailure(
      socket,
      service,
      new Refusal('method_not_allowed', 'this is not a proxy', { allow: 'GET, POST' }),
    );
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { incoming, outgoing } = current.get(socket) ?? {};
    // Once the body is whole the service is at work: its answer must not be mixed with ours.
    const begun = incoming?.complete === true || outgoing?.headersSent === true;
    if (error.code === 'ECONNRESET' || !socket.writable || begun) socket.destroy();
    else writeFailure(socket, service, refusalOf(error));
  });
  return { server, silent };
}

type Failure = ServiceResponse & { body: string };

/** The answer to a request that the service never saw, with the headers, id and integrity it gives to one it does not know. */
async function failureOf(service: Service, refusal: Refusal): Promise<Failure> {
  const { headers } = await service({ method: 'GET', target: '/', headers: [], body: null, peer: 'local' });
  const integrity = Number(headers[HEADERS.integrity] ?? 0);
  const failure = errorResponse(refusal, headers[HEADERS.requestId] ?? '', integrity);
  return { ...failure, headers: { ...headers, ...failure.headers }, body: failure.body as string };
}

/** What the parser refused, in our words. */
function refusalOf({ code }: NodeJS.ErrnoException): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('header_too_large', 'the headers are too large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Refusal('request_invalid', 'the request did not arrive in time');
  }
  return new Refusal('request_invalid', 'the request breaks the rules of HTTP');
}

async function send(outgoing: ServerResponse, response: ServiceResponse, last: boolean): Promise<void> {
  const { status, headers, body } = response;
  if (last) outgoing.setHeader('connection', 'close');
  if (typeof body === 'string' || body instanceof Uint8Array) {
    outgoing.writeHead(status, lengthened(headers, body)).end(body);
    return;
  }
  outgoing.writeHead(status, headers);
  // Waits for the socket to drain, and returns the stream when the client goes.
  await pipeline(Readable.from(body, { objectMode: false }), outgoing);
}

/** The headers with a length, where there is a body: HEAD, 204 and 304 say nothing of one that is not there. */
function lengthened(headers: Record<string, string>, body: string | Uint8Array): Record<string, string> {
  if (body.length === 0 || 'content-length' in headers) return headers;
  return { ...headers, 'content-length': String(Buffer.byteLength(body)) };
}

/** Most bytes of an unread body that are thrown away so that the client gets to read why. */
const LINGER_BYTES = 2 * MOST_REQUEST_BYTES;

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
function writeFailure(socket: Duplex, service: Service, refusal: Refusal): void {
  socket.on('error', () => socket.destroy());
  failureOf(service, refusal).then(
    ({ status, headers, body }) => {
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
