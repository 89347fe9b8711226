// The order of requests that a client sends ahead of their responses (pipelining): one connection holds up no other.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { PortLimits } from './port-limits.ts';

/** A request, its response, and what is to be done when the response is over or the connection closed. */
export type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse; end(): void };

/** The requests of each connection that have no response yet. */
export type RequestQueue = {
  /**
   * Adds the next request of its connection. Returns undefined if it may begin at once, else a promise of its turn, which never
   * comes where the connection closes before. Returns 'closed' where the connection is closed, or closes it for too many.
   */
  add(exchange: Exchange): undefined | Promise<void> | 'closed';
  /** Returns the requests of a connection whose responses are not over, in their order. */
  unanswered(socket: Duplex): readonly Exchange[];
};

/** Requests of one connection that are answered at the same time: as many as this program sends ahead. */
const MAX_CONCURRENT_REQUESTS = 16;

/** How many begin in one turn of the event loop. More turns take time of their own: 12 % of that of small files where it is one. */
const MAX_BEGUN_PER_TURN = 4;

type Connection = {
  unanswered: Exchange[];
  /** Those that have begun. They are the first of `unanswered`. */
  begun: number;
  /** Of those that have not begun, in the same order. */
  turns: (() => void)[];
  waitingBytes: number;
  isScheduled: boolean;
};

const NO_EXCHANGES: readonly Exchange[] = [];

/** Returns the queue of one port. `onOverflow` is called for a connection that is closed because too many requests wait on it. */
export function createRequestQueue(
  { maxRequestsAhead, maxBytesAhead }: Pick<PortLimits, 'maxRequestsAhead' | 'maxBytesAhead'>,
  onOverflow: () => void,
): RequestQueue {
  const connections = new WeakMap<Duplex, Connection>();
  const open = (socket: Duplex): Connection => {
    const connection = { unanswered: [], begun: 0, turns: [], waitingBytes: 0, isScheduled: false };
    connections.set(socket, connection);
    socket.once('close', () => closeAll(connection));
    return connection;
  };
  return {
    add(exchange) {
      const { incoming, outgoing } = exchange;
      const { socket } = incoming;
      if (socket.destroyed) return 'closed';
      const connection = connections.get(socket) ?? open(socket);
      const { unanswered, turns } = connection;
      const isAlone = unanswered.length === 0;
      const bytes = isAlone ? 0 : headBytes(incoming);
      if (turns.length >= maxRequestsAhead || connection.waitingBytes + bytes > maxBytesAhead) {
        onOverflow();
        socket.destroy();
        return 'closed';
      }
      unanswered.push(exchange);
      outgoing.once('close', () => {
        const at = unanswered.indexOf(exchange);
        if (at >= 0) unanswered.splice(at, 1);
        connection.begun -= 1;
        exchange.end();
        schedule(connection);
      });
      if (isAlone) {
        connection.begun = 1;
        return undefined;
      }
      connection.waitingBytes += bytes;
      return new Promise((resolve) => {
        turns.push(() => {
          connection.waitingBytes -= bytes;
          resolve();
        });
        schedule(connection);
      });
    },
    unanswered: (socket) => connections.get(socket)?.unanswered ?? NO_EXCHANGES,
  };
}

/**
 * Begins the next requests in the next turn of the event loop: a response that SQLite gives is complete before the loop looks at
 * other connections.
 */
function schedule(connection: Connection): void {
  const { turns, begun } = connection;
  if (connection.isScheduled || turns.length === 0 || begun >= MAX_CONCURRENT_REQUESTS) return;
  connection.isScheduled = true;
  setImmediate(() => {
    connection.isScheduled = false;
    const count = Math.min(MAX_BEGUN_PER_TURN, MAX_CONCURRENT_REQUESTS - connection.begun);
    for (const begin of turns.splice(0, count)) {
      connection.begun += 1;
      begin();
    }
    schedule(connection);
  });
}

/** Node reports the end of a connection only to the response that it sends at the moment, so the others are told here. */
function closeAll({ turns, unanswered }: Connection): void {
  turns.length = 0;
  for (const { outgoing } of unanswered.splice(0)) if (!outgoing.closed) outgoing.emit('close');
}

/** Returns about the size of what a request holds until it begins. */
function headBytes({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length, url.length);
}
