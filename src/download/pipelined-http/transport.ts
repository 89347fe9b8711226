// A transport for files over plain http: large bodies go from the socket to the reader without copies.
import { transportFaultOf } from '../../client/transport-fault.ts';
import {
  hostAndPort,
  type Transport,
  type TransportReply,
  type TransportRequest,
} from '../../client/transport.ts';
import type { World } from '../../world.ts';
import { createBufferPool, type BufferPool } from './buffer-pool.ts';
import { openPipelinedConnection, type PipelinedConnection } from './connection.ts';
import type { ResponseHead } from './response-head.ts';

/** Options of the transport: its time limits, and the transport for all that it does not support. */
export type PipelinedTransportOptions = {
  connectTimeoutMs: number;
  idleTimeoutMs: number;
  monotonic: World['monotonic'];
  /** Is used for https, and for origins whose responses are not plain: without a length, or no HTTP/1.1 at all. */
  fallback: Transport;
};

type Connection = PipelinedConnection<Exchange>;
type Exchange = {
  request: TransportRequest;
  resolve(reply: TransportReply | 'unsupported'): void;
  reject(error: unknown): void;
  removeAbortListener(): void;
  /** Set when the head has come. */
  body?: { pool: BufferPool; head: ResponseHead; received: number };
};

/**
 * Returns a transport that opens as many connections to an origin as there are requests at a time. The hash of a file is
 * checked by the caller, so not every form of HTTP must be understood here. A chunk of a body may be used until the next
 * one is asked for. Throws as {@link Transport}.
 */
export function createPipelinedTransport(options: PipelinedTransportOptions): {
  transport: Transport;
  close(): void;
} {
  const idle = new Map<string, Connection[]>();
  const open = new Set<Connection>();
  const unsupportedOrigins = new Set<string>();

  function connectTo(url: URL, idleHere: Connection[]): Connection {
    const place = hostAndPort(url);
    const connection: Connection = openPipelinedConnection<Exchange>({
      ...options,
      url,
      maxWholeBytes: 0,
      requestOf: ({ request }) => ({
        target: request.url.pathname + request.url.search,
        fields: Object.entries(request.headers)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join(''),
      }),
      onHead: (exchange, head) => {
        const { resume, close } = connection;
        const pool = createBufferPool(head.length, options.monotonic, resume, close);
        const body = { pool, head, received: 0 };
        exchange.body = body;
        exchange.resolve({ status: head.status, headers: head.headers, body: pool.channel });
        return {
          buffer: pool.next,
          isReaderWaiting: pool.channel.isReaderWaiting,
          filled: (count) => {
            body.received += count;
            return pool.filled(count);
          },
          end: () => {
            exchange.removeAbortListener();
            pool.end();
            idleHere.push(connection);
          },
        };
      },
      onBody: () => {},
      onFailure: ({ body, resolve, reject, removeAbortListener }, failure) => {
        removeAbortListener();
        const error = typeof failure === 'string' ? new Error(failure) : failure;
        if (body === undefined) {
          if (failure === 'unsupported') resolve(failure);
          else reject(transportFaultOf(error, place));
          return;
        }
        body.pool.end(transportFaultOf(error, place, { bytes: body.received, of: body.head.length }));
      },
      onProgress: () => {
        if (connection.freeSlots() !== undefined) return;
        open.delete(connection);
        if (idleHere.includes(connection)) idleHere.splice(idleHere.indexOf(connection), 1);
      },
    });
    open.add(connection);
    return connection;
  }

  const transport: Transport = async (request) => {
    const { url, signal, method } = request;
    // A TLS socket goes on filling memory after it was paused, so https takes the other transport.
    if (url.protocol !== 'http:' || method !== 'GET' || unsupportedOrigins.has(url.origin)) {
      return options.fallback(request);
    }
    signal.throwIfAborted();
    const idleHere = idle.get(url.origin) ?? [];
    idle.set(url.origin, idleHere);
    const connection = idleHere.pop() ?? connectTo(url, idleHere);
    const reply = await new Promise<TransportReply | 'unsupported'>((resolve, reject) => {
      const onAbort = (): void => {
        exchange.body?.pool.channel.fail(signal.reason);
        reject(signal.reason as Error);
        connection.close();
      };
      const exchange: Exchange = {
        request,
        resolve,
        reject,
        removeAbortListener: () => signal.removeEventListener('abort', onAbort),
      };
      signal.addEventListener('abort', onAbort, { once: true });
      connection.send([exchange]);
    });
    if (reply !== 'unsupported') return reply;
    unsupportedOrigins.add(url.origin);
    return options.fallback(request);
  };
  return {
    transport,
    close: () => {
      for (const connection of open) connection.close();
    },
  };
}
