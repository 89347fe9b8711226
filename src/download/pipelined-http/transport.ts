// GETs of files over connections of our own, read into large buffers; an answer that is not a plain one goes another way.
import type { World } from '../../world.ts';
import { transportFaultOf } from '../../client/transport-fault.ts';
import { openPipelinedConnection, type PipelinedConnection } from './connection.ts';
import type { ResponseHead } from './response-head.ts';
import { createBufferPool, type BufferPool } from './buffer-pool.ts';
import {
  hostAndPort,
  type Transport,
  type TransportReply,
  type TransportRequest,
} from '../../client/transport.ts';

export type PipelinedTransportOptions = {
  connectTimeoutMs: number;
  idleTimeoutMs: number;
  monotonic: World['monotonic'];
  /** For https, and for origins whose answers are not plain: without a length, or no HTTP at all. */
  fallback: Transport;
};

type Connection = PipelinedConnection<Exchange>;
type Exchange = {
  request: TransportRequest;
  answered(reply: TransportReply | 'unplain'): void;
  failed(error: unknown): void;
  /** The run's end is no more to be heard of. */
  release(): void;
  /** Once the head has come. */
  body?: { slabs: BufferPool; head: ResponseHead; came: number };
};

/**
 * A transport for files over plain http. Their hash is checked, so it need not know every form of HTTP. A piece of a body belongs to its
 * reader until the next is asked for. There are as many connections as requests at a time.
 */
export function createPipelinedTransport(options: PipelinedTransportOptions): {
  transport: Transport;
  close(): void;
} {
  const idle = new Map<string, Connection[]>();
  const open = new Set<Connection>();
  const unplain = new Set<string>();

  function connectTo(url: URL, free: Connection[]): Connection {
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
        const slabs = createBufferPool(head.length, options.monotonic, resume, close);
        const body = { slabs, head, came: 0 };
        exchange.body = body;
        exchange.answered({ status: head.status, headers: head.headers, body: slabs.channel });
        return {
          room: slabs.room,
          isReaderWaiting: slabs.channel.isReaderWaiting,
          filled: (count) => {
            body.came += count;
            return slabs.filled(count);
          },
          end: () => {
            exchange.release();
            slabs.flush();
            slabs.channel.end();
            free.push(connection);
          },
        };
      },
      onBody: () => {},
      onFailure: ({ body, answered, failed, release }, why) => {
        release();
        const error = typeof why === 'string' ? new Error(why) : why;
        if (body === undefined)
          return why === 'unplain' ? answered(why) : failed(transportFaultOf(error, place));
        body.slabs.flush();
        body.slabs.channel.fail(transportFaultOf(error, place, { bytes: body.came, of: body.head.length }));
      },
      onProgress: () => {
        if (connection.room() !== undefined) return;
        open.delete(connection);
        if (free.includes(connection)) free.splice(free.indexOf(connection), 1);
      },
    });
    open.add(connection);
    return connection;
  }

  const transport: Transport = async (request) => {
    const { url, signal, method } = request;
    // TLS goes on filling memory after it was told to pause.
    if (url.protocol !== 'http:' || method !== 'GET' || unplain.has(url.origin))
      return options.fallback(request);
    signal.throwIfAborted();
    const free = idle.get(url.origin) ?? [];
    idle.set(url.origin, free);
    const connection = free.pop() ?? connectTo(url, free);
    const reply = await new Promise<TransportReply | 'unplain'>((resolve, reject) => {
      const onAbort = (): void => {
        exchange.body?.slabs.channel.fail(signal.reason);
        reject(signal.reason as Error);
        connection.close();
      };
      const exchange: Exchange = {
        request,
        answered: resolve,
        failed: reject,
        release: () => signal.removeEventListener('abort', onAbort),
      };
      signal.addEventListener('abort', onAbort, { once: true });
      connection.send([exchange]);
    });
    if (reply !== 'unplain') return reply;
    unplain.add(url.origin);
    return options.fallback(request);
  };
  return {
    transport,
    close: () => {
      for (const connection of open) connection.close();
    },
  };
}
