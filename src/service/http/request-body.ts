// Receives the body of a request in one buffer that grows, or drops it where nobody wants it.
import type { IncomingMessage } from 'node:http';
import type { ReadBody } from '../../contract/exchange.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { payloadTooLarge } from '../handlers/body.ts';
import { ApiError } from '../rules/api-error.ts';
import type { BodyMemory } from './body-memory.ts';
import type { Peer } from './peer.ts';

/** The body of one request. It arrives from the start, but the service decides whether it is kept. */
export type RequestBody = {
  /**
   * Returns the whole body. Rejects with ApiError `payload_too_large` for too many bytes or chunks, `request_invalid` where
   * the client disconnects, and as {@link BodyMemory.take}.
   */
  read: ReadBody;
  /** Returns whether all of it has arrived, kept or not. */
  isComplete(): boolean;
  /**
   * Keeps nothing more. Resolves when the rest has arrived, the client is gone, or has sent so much more that its
   * connection is closed. A connection that is closed while bytes arrive is reset, and loses its response.
   */
  drop(): Promise<void>;
  /** Must be called at the end of the response: the bytes of the body no longer count. */
  release(): void;
};

/** Chunks of one body. Each costs time and memory, also if it has only one byte. */
const MAX_CHUNKS = 16_384;
/** Bytes and chunks of an unwanted body that are read and dropped, so that the client gets to read the response. */
const MAX_DROPPED_BYTES = 2 * MAX_REQUEST_BYTES;
const MAX_DROPPED_CHUNKS = 1_024;
/** The first size of the buffer, if the body does not declare a smaller one. */
const FIRST_BUFFER_BYTES = 4 * 1024;

/** Returns the Content-Length, undefined where there is none. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const text = headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

/** Returns whether the headers announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Receives a body. `sendContinue` is called when it is wanted, where the client waits for `100 Continue`. */
export function receiveBody(
  incoming: IncomingMessage,
  peer: Peer,
  memory: BodyMemory,
  sendContinue: (() => void) | undefined,
): RequestBody {
  let buffer: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let chunks = 0;
  let maxBytes = MAX_REQUEST_BYTES;
  let failure: ApiError | undefined;
  let isDropped = false;
  let hasEnded = false;
  let waitsForContinue = sendContinue !== undefined;
  let settle!: () => void;
  const settled = new Promise<void>((resolve) => (settle = resolve));
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));

  const release = (): void => {
    memory.release(peer, buffer.byteLength);
    buffer = Buffer.alloc(0);
  };
  const drop = (): void => {
    if (isDropped) return;
    isDropped = true;
    bytes = 0;
    chunks = 0;
    release();
  };
  const fail = (error: ApiError): void => {
    failure ??= error;
    drop();
    settle();
  };
  const grow = (needed: number): void => {
    const declared = declaredBytes(incoming) ?? MAX_REQUEST_BYTES;
    const size = Math.min(
      Math.max(needed, 2 * buffer.byteLength, FIRST_BUFFER_BYTES),
      Math.max(declared, needed),
    );
    memory.take(peer, size - buffer.byteLength);
    const larger = Buffer.allocUnsafeSlow(size);
    buffer.copy(larger, 0, 0, bytes);
    buffer = larger;
  };
  const keep = (chunk: Buffer): void => {
    const needed = bytes + chunk.byteLength;
    if (needed > maxBytes) return fail(payloadTooLarge(maxBytes));
    if (chunks > MAX_CHUNKS) {
      return fail(new ApiError('payload_too_large', `a body may have at most ${MAX_CHUNKS} chunks`));
    }
    try {
      if (chunk.byteLength === declaredBytes(incoming)) {
        // The whole body: Node made this buffer for it alone.
        memory.take(peer, chunk.byteLength);
        buffer = chunk;
      } else {
        if (needed > buffer.byteLength) grow(needed);
        chunk.copy(buffer, bytes);
      }
    } catch (error) {
      return fail(error as ApiError);
    }
    bytes = needed;
  };
  // Listeners, because iterating a stream costs more than everything else that is done with a short body. The stream is
  // never paused: it would keep each chunk as a buffer of its own, which takes hundreds of bytes for a chunk of one.
  incoming.on('data', (chunk: Buffer) => {
    chunks += 1;
    if (!isDropped) return keep(chunk);
    bytes += chunk.byteLength;
    if (bytes > MAX_DROPPED_BYTES || chunks > MAX_DROPPED_CHUNKS) incoming.destroy();
  });
  incoming.on('end', () => {
    hasEnded = true;
    settle();
    end();
  });
  const onGone = (): void => {
    if (!hasEnded) fail(new ApiError('request_invalid', 'the body did not arrive'));
    end();
  };
  incoming.on('error', onGone);
  incoming.on('close', onGone);
  // Where a request has an Upgrade header, Node does not report that its connection ends in the middle of the body.
  if (incoming.headers.upgrade !== undefined) {
    const { socket } = incoming;
    const onEnd = (): void => {
      if (!incoming.complete) onGone();
    };
    socket.on('end', onEnd);
    incoming.on('close', () => socket.off('end', onEnd));
  }

  return {
    async read(most) {
      maxBytes = Math.min(most, MAX_REQUEST_BYTES);
      if (Math.max(bytes, declaredBytes(incoming) ?? 0) > maxBytes) fail(payloadTooLarge(maxBytes));
      if (waitsForContinue && failure === undefined) {
        waitsForContinue = false;
        sendContinue?.();
      }
      await settled;
      if (failure !== undefined) throw failure;
      return buffer.subarray(0, bytes);
    },
    isComplete: () => incoming.complete,
    async drop() {
      drop();
      // A client that waits for `100 Continue` sends nothing more.
      if (!waitsForContinue) await ended;
    },
    release: drop,
  };
}
