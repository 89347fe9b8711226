// From the service's answer to the socket: how long its reader may take, and how much may wait for all readers together.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ServiceResponse } from '../../contract/exchange.ts';
import { ApiError } from '../rules/api-error.ts';
import { encodeBody, SHORT_BODY_BYTES } from '../handlers/response-bytes.ts';
import { createTurns } from './turns.ts';

/**
 * Answers that are still being read are looked at every `window` milliseconds: a whole answer is given up when it was
 * seen more than `windows` times, a stream when less than `slowest` bytes left in a window. `mostWaiting` bytes of
 * whole answers may wait for their readers; while there are more, no new request is taken.
 */
export type ReadingLimits = { window: number; windows: number; slowest: number; mostWaiting: number };

export type ResponseWriter = {
  /** Throws `store_unavailable` while too much waits to be read. */
  admit(): void;
  /** Resolves when a stream ended, or a whole answer was handed over; `last` closes the connection behind it. */
  send(
    exchange: { incoming: IncomingMessage; outgoing: ServerResponse },
    response: ServiceResponse,
    last: boolean,
  ): Promise<void>;
};

/** `sent` is what had left the socket when it was last looked at; undefined for a whole answer. */
type Unread = { outgoing: ServerResponse; socket: Socket; bytes: number; seen: number; sent?: number };

/** Pieces of files fetched at once: as many as Node reads files with, and fewer than connections to a database. */
const MAX_CONCURRENT_CHUNK_READS = 4;

export function createResponseWriter(limits: ReadingLimits): ResponseWriter {
  const turns = createTurns(MAX_CONCURRENT_CHUNK_READS);
  const unread = new Set<Unread>();
  let waiting = 0;
  let watching = false;

  const drop = (answer: Unread): void => {
    if (unread.delete(answer)) waiting -= answer.bytes;
  };
  // An answer that waits behind another on its connection is not told when that closes.
  const dropGone = (): void => {
    for (const answer of unread) if (answer.socket.destroyed) drop(answer);
  };
  // One timer for all, and none while nobody reads.
  const watch = (): void => {
    if (watching) return;
    watching = true;
    const look = (): void => {
      watching = false;
      dropGone();
      for (const answer of unread) if (isTooSlow(answer, limits)) answer.socket.destroy();
      if (unread.size > 0) watch();
    };
    AbortSignal.timeout(limits.window).addEventListener('abort', look, { once: true });
  };
  const keep = (answer: Unread): void => {
    unread.add(answer);
    waiting += answer.bytes;
    answer.outgoing.on('close', () => drop(answer));
    watch();
  };

  return {
    admit() {
      if (waiting <= limits.mostWaiting) return;
      dropGone();
      if (waiting <= limits.mostWaiting) return;
      throw new ApiError('store_unavailable', 'too many answers wait to be read, try again', {
        'retry-after': '1',
      });
    },
    async send({ incoming, outgoing }, { status, headers, body }, last) {
      const { socket } = incoming;
      if (last) outgoing.setHeader('connection', 'close');
      if (typeof body === 'string' || body instanceof Uint8Array) {
        const bytes = Buffer.byteLength(body);
        keep({ outgoing, socket, bytes, seen: 0 });
        // HEAD, 204 and 304 say nothing of a body that is not there.
        if (bytes > 0) headers['content-length'] ??= String(bytes);
        const isLongText = typeof body === 'string' && bytes > SHORT_BODY_BYTES;
        outgoing.writeHead(status, headers).end(isLongText ? encodeBody(body) : body);
        return;
      }
      keep({ outgoing, socket, bytes: 0, seen: 0, sent: 0 });
      outgoing.writeHead(status, headers);
      // Waits for the socket to drain, and returns the stream when the client goes.
      await pipeline(Readable.from(turns.of(body), { objectMode: false }), outgoing);
    },
  };
}

function isTooSlow(answer: Unread, { windows, slowest }: ReadingLimits): boolean {
  answer.seen += 1;
  if (answer.sent === undefined) return answer.seen > windows;
  const before = answer.sent;
  answer.sent = answer.socket.bytesWritten - answer.socket.writableLength;
  // The first window began before the answer did.
  return answer.seen > 1 && answer.sent - before < slowest;
}
