// GETs of files over kept connections, read into large buffers; an answer that is not a plain one goes another way.
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { World } from '../world.ts';
import { faultOf } from './failure.ts';
import { parseHead, type Head } from './response-head.ts';
import { createSlabs, type Slabs } from './slabs.ts';
import { placeOf, type Transport, type TransportReply, type TransportRequest } from './transport.ts';

/** A head, and what came with it. */
const FIRST_BYTES = 64 * 1024;
const HEAD_BYTES = 16 * 1024;

export type FileSocketOptions = {
  connectTimeoutMs: number;
  idleTimeoutMs: number;
  monotonic: World['monotonic'];
  /** For https, and for origins whose answers are not plain: without a length, or no HTTP at all. */
  careful: Transport;
};

/**
 * A transport for files over plain http. Their hash is checked, so it need not know every form of HTTP. A piece of a
 * body belongs to its reader until the next is asked for. There are as many connections as requests at a time.
 */
export function createFileSockets(options: FileSocketOptions): { transport: Transport; close(): void } {
  const idle = new Map<string, Connection[]>();
  const open = new Set<Connection>();
  const unusual = new Set<string>();
  const transport: Transport = async (request) => {
    const { url, signal, method } = request;
    const { origin } = url;
    if (url.protocol !== 'http:' || method !== 'GET' || unusual.has(origin)) return options.careful(request);
    signal.throwIfAborted();
    const free = idle.get(origin) ?? [];
    idle.set(origin, free);
    const connection =
      free.pop() ??
      openConnection(url, options, {
        isFree: (one) => void free.push(one),
        isGone: (one) => {
          open.delete(one);
          if (free.includes(one)) free.splice(free.indexOf(one), 1);
        },
      });
    open.add(connection);
    const reply = await connection.get(request);
    if (reply !== 'unusual') return reply;
    unusual.add(origin);
    return options.careful(request);
  };
  return {
    transport,
    close: () => {
      for (const connection of open) connection.destroy();
    },
  };
}

type Connection = {
  get(request: TransportRequest): Promise<TransportReply | 'unusual'>;
  destroy(): void;
};

type Body = { slabs: Slabs; head: Head; came: number };

type Exchange = {
  answered(reply: TransportReply | 'unusual'): void;
  failed(error: unknown): void;
  release(): void;
  /** Once the head has come. */
  body?: Body;
};

type Owner = { isFree(one: Connection): void; isGone(one: Connection): void };

function openConnection(url: URL, options: FileSocketOptions, owner: Owner): Connection {
  const place = placeOf(url);
  let exchange: Exchange | undefined;
  const first = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let filled = 0;
  const socket: Socket = connect({
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: url.port === '' ? 80 : Number(url.port),
    noDelay: true,
    onread: { buffer: () => exchange?.body?.slabs.room() ?? first.subarray(filled), callback: onRead },
  } as TcpNetConnectOpts);

  function end(): void {
    socket.destroy();
    owner.isGone(connection);
  }
  function fail(error: unknown): void {
    end();
    const failing = exchange;
    exchange = undefined;
    failing?.release();
    if (failing?.body === undefined) return failing?.failed(faultOf(error, place));
    const { head, came, slabs } = failing.body;
    slabs.flush();
    slabs.pieces.fail(faultOf(error, place, { bytes: came, of: head.length }));
  }

  function onRead(count: number): boolean {
    if (exchange?.body !== undefined) return onBody(count, exchange.body);
    filled += count;
    if (exchange !== undefined) onHead(exchange);
    // Nobody asked.
    else end();
    return true;
  }
  function onHead(asked: Exchange): void {
    const seen = first.subarray(0, Math.min(filled, HEAD_BYTES));
    const at = seen.indexOf('\r\n\r\n');
    if (at < 0 && filled < HEAD_BYTES) return;
    const head = at < 0 ? undefined : parseHead(seen.toString('latin1', 0, at));
    if (head === undefined) {
      asked.release();
      exchange = undefined;
      end();
      return asked.answered('unusual');
    }
    const slabs = createSlabs(head.length, options.monotonic, again, leave);
    const body: Body = { slabs, head, came: 0 };
    asked.body = body;
    const count = filled - at - 4;
    slabs.room().set(first.subarray(at + 4, at + 4 + Math.min(count, head.length)));
    asked.answered({ status: head.status, headers: head.headers, body: slabs.pieces });
    onBody(count, body);
  }
  function onBody(count: number, body: Body): boolean {
    const { head, slabs } = body;
    const rest = head.length - body.came;
    body.came += Math.min(count, rest);
    const goesOn = slabs.filled(Math.min(count, rest));
    if (count < rest) return goesOn;
    slabs.flush();
    slabs.pieces.end();
    exchange?.release();
    exchange = undefined;
    filled = 0;
    if (head.keepAlive && count === rest) owner.isFree(connection);
    else end();
    return true;
  }
  /** The reader wants no more of a body. */
  function leave(): void {
    if (exchange === undefined) return;
    exchange.release();
    exchange = undefined;
    end();
  }
  function again(): void {
    // While there was no room, the time did not count.
    socket.setTimeout(options.idleTimeoutMs);
    socket.resume();
  }

  socket.setTimeout(options.connectTimeoutMs);
  socket.once('connect', () => void socket.setTimeout(options.idleTimeoutMs));
  socket.on('error', fail);
  socket.on('end', () => fail(new Error('ended')));
  socket.on('close', () => fail(new Error('closed')));
  socket.on('timeout', () => {
    if (socket.connecting) fail(Object.assign(new Error('timeout'), { code: 'UND_ERR_CONNECT_TIMEOUT' }));
    else if (exchange === undefined) end();
    // How long a head may take is the caller's to say; and a reader may take its time.
    else if (exchange.body?.slabs.pieces.isAwaited() === true)
      fail(Object.assign(new Error('timeout'), { code: 'UND_ERR_BODY_TIMEOUT' }));
  });

  const connection: Connection = {
    destroy: end,
    get: ({ url: { pathname, search, host }, headers, signal }) =>
      new Promise((resolve, reject) => {
        const onAbort = (): void => {
          const body = exchange?.body;
          exchange = undefined;
          end();
          if (body === undefined) reject(signal.reason as Error);
          else body.slabs.pieces.fail(signal.reason);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        exchange = {
          answered: resolve,
          failed: reject,
          release: () => signal.removeEventListener('abort', onAbort),
        };
        const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.write(
          `GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${fields.join('')}\r\n`,
          'latin1',
        );
      }),
  };
  return connection;
}
