// Writes a service response to its socket, and limits how long and how much unread responses may stay in memory.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createSemaphore } from '../../concurrency/semaphore.ts';
import type { ServiceResponse } from '../../contract/exchange.ts';
import { encodeBody, SHORT_BODY_BYTES } from '../handlers/response-bytes.ts';
import { ApiError } from '../rules/api-error.ts';
import { limitChunkReads } from './limit-chunk-reads.ts';
import type { RequestBody } from './request-body.ts';
import type { SlowReaderLimits } from './port-limits.ts';

/** Writes the responses of one port, and counts the bytes that clients did not read yet. */
export type ResponseWriter = {
  /** Throws ApiError `store_unavailable` while too many bytes of responses wait to be read. */
  checkCapacity(): void;
  /**
   * Sends a response. Resolves when a stream has ended, or when a whole body was handed to Node. `isLast` closes the
   * connection after it. So does a request body that has not arrived yet; the rest of it is dropped.
   */
  send(
    exchange: { incoming: IncomingMessage; outgoing: ServerResponse; requestBody: RequestBody | undefined },
    response: ServiceResponse,
    isLast: boolean,
  ): Promise<void>;
};

/**
 * A response that is not fully read yet. `bytes` counts a whole body; `sentBytes` is what had left the socket at the last
 * check, undefined for a whole body.
 */
type PendingResponse = {
  outgoing: ServerResponse;
  socket: Socket;
  bytes: number;
  checks: number;
  sentBytes?: number;
};

/** As many chunks as Node reads files with (4 threads), and fewer than there are database connections. */
const MAX_CONCURRENT_CHUNK_READS = 4;
/** Chunks of files in a bucket. Waiting costs nothing, but what arrives at once is hashed and sent before other responses. */
const MAX_CONCURRENT_REMOTE_READS = 64;

/** Returns the writer for all responses of one port. */
export function createResponseWriter(limits: SlowReaderLimits): ResponseWriter {
  const chunkReads = createSemaphore(MAX_CONCURRENT_CHUNK_READS);
  const remoteReads = createSemaphore(MAX_CONCURRENT_REMOTE_READS);
  const pending = new Set<PendingResponse>();
  let pendingBytes = 0;
  let isTimerSet = false;

  const remove = (response: PendingResponse): void => {
    if (pending.delete(response)) pendingBytes -= response.bytes;
  };
  // One timer for all responses, and none while there are none.
  const setTimer = (): void => {
    if (isTimerSet) return;
    isTimerSet = true;
    const check = (): void => {
      isTimerSet = false;
      for (const response of pending) if (isTooSlow(response, limits)) response.socket.destroy();
      if (pending.size > 0) setTimer();
    };
    AbortSignal.timeout(limits.checkIntervalMs).addEventListener('abort', check, { once: true });
  };
  const add = (response: PendingResponse): void => {
    pending.add(response);
    pendingBytes += response.bytes;
    response.outgoing.on('close', () => remove(response));
    setTimer();
  };

  return {
    checkCapacity() {
      if (pendingBytes <= limits.maxPendingBytes) return;
      throw new ApiError('store_unavailable', 'too many answers wait to be read, try again', {
        'retry-after': '1',
      });
    },
    async send({ incoming, outgoing, requestBody }, { status, headers, body, isRemote = false }, isLast) {
      const { socket } = incoming;
      // A short body arrives with its head, but Node runs the service before it reads on.
      if (requestBody?.isComplete() === false) await new Promise(setImmediate);
      // Nothing more is told of a connection that closed meanwhile: what is counted now would count for ever.
      if (socket.destroyed) return;
      const unread = requestBody?.isComplete() === false ? requestBody : undefined;
      if (isLast || unread !== undefined) outgoing.setHeader('connection', 'close');
      if (typeof body === 'string' || body instanceof Uint8Array) {
        const bytes = Buffer.byteLength(body);
        add({ outgoing, socket, bytes, checks: 0 });
        // HEAD, 204 and 304 must not announce the length of a body that is not sent.
        if (bytes > 0) headers['content-length'] ??= String(bytes);
        const isLongText = typeof body === 'string' && bytes > SHORT_BODY_BYTES;
        const content = isLongText ? encodeBody(body) : body;
        outgoing.writeHead(status, headers);
        if (unread === undefined) {
          outgoing.end(content);
          return;
        }
        if (bytes > 0) outgoing.write(content);
        else outgoing.flushHeaders();
        await unread.drop();
        outgoing.end();
        return;
      }
      // Nothing of a stream is read before the responses in front of it are sent.
      if (outgoing.socket === null) await turnToSend(outgoing);
      if (socket.destroyed) return;
      add({ outgoing, socket, bytes: 0, checks: 0, sentBytes: 0 });
      outgoing.writeHead(status, headers);
      const dropped = unread?.drop();
      const chunks = limitChunkReads(body, isRemote ? remoteReads : chunkReads);
      const stream = Readable.from(wholeBody(chunks, headers['content-length']), { objectMode: false });
      // The pipeline waits for the socket to drain, and ends the stream when the client disconnects.
      await pipeline(stream, outgoing, { end: unread === undefined });
      if (unread === undefined) return;
      await dropped;
      outgoing.end();
    },
  };
}

/**
 * Yields the chunks of a body. Throws before the first byte beyond `length`, and where the body ends before it, so that the connection
 * is cut: Node would keep it open, and the client would read the next response as the rest of this body.
 */
async function* wholeBody(
  chunks: AsyncIterable<Uint8Array>,
  length: string | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > Number(length)) break;
    yield chunk;
  }
  if (length !== undefined && bytes !== Number(length))
    throw new Error(`the body has ${bytes} bytes in place of ${length}`);
}

/** Resolves when a response is the next to be sent on its connection, or the connection has closed. */
function turnToSend(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once('socket', () => resolve());
    outgoing.once('close', () => resolve());
  });
}

function isTooSlow(response: PendingResponse, { maxChecks, minBytesPerCheck }: SlowReaderLimits): boolean {
  response.checks += 1;
  if (response.sentBytes === undefined) return response.checks > maxChecks;
  const before = response.sentBytes;
  response.sentBytes = response.socket.bytesWritten - response.socket.writableLength;
  // The first interval may have begun before the response did.
  return response.checks > 1 && response.sentBytes - before < minBytesPerCheck;
}
