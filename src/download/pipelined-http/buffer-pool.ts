// Memory for a large body: a few buffers that are used in turn, one filled by the socket while the reader has others.
import { createByteChannel, type ByteChannel } from './byte-channel.ts';

const BUFFER_BYTES = 1024 * 1024;
const MAX_BUFFERS = 3;
/** Fewer bytes are given to the reader only after this delay. */
const MIN_CHUNK_BYTES = 256 * 1024;
const MAX_CHUNK_DELAY_MS = 50;

/** Buffers between a socket, which fills them, and the reader of one body. */
export type BufferPool = {
  /** What the reader reads from. */
  channel: ByteChannel;
  /** Returns the memory for the next bytes. If all buffers are full, it is the one that becomes free first. */
  next(): Uint8Array;
  /**
   * Call it when `count` bytes were written into the memory from {@link BufferPool.next}. Returns false if all buffers are
   * full; `onFree` is called when one is free again.
   */
  filled(count: number): boolean;
  /** Gives the reader the rest, and then its end or the error. From then on the connection may serve another body: nothing is called. */
  end(error?: unknown): void;
};

/** Returns a pool for a body of `length` bytes. `onReturn` is called when the reader stops early. */
export function createBufferPool(
  length: number,
  monotonic: () => number,
  onFree: () => void,
  onReturn: () => void,
): BufferPool {
  const free: Uint8Array[] = [];
  let allocated = 0;
  /** Given to the reader and not yet released, oldest first. */
  const lent: Uint8Array[] = [];
  let current = allocate();
  let used = 0;
  let isFull = false;
  let isEnded = false;
  let flushedAt = monotonic();

  function allocate(): Uint8Array {
    allocated += 1;
    return Buffer.allocUnsafeSlow(Math.min(BUFFER_BYTES, length));
  }
  const channel = createByteChannel(
    () => {
      const released = lent.shift();
      if (released === undefined || isEnded) return;
      if (isFull) {
        // It is the current buffer already, see flush().
        isFull = false;
        onFree();
      } else free.push(released);
    },
    () => {
      if (!isEnded) onReturn();
    },
  );
  const flush = (): void => {
    if (used === 0) return;
    lent.push(current);
    flushedAt = monotonic();
    const chunk = current.subarray(0, used);
    used = 0;
    const next = free.pop() ?? (allocated < MAX_BUFFERS ? allocate() : undefined);
    isFull = next === undefined;
    current = next ?? lent[0]!;
    channel.push(chunk);
  };
  return {
    channel,
    next: () => current.subarray(used),
    filled: (count) => {
      used += count;
      const isDue = used >= MIN_CHUNK_BYTES || monotonic() - flushedAt >= MAX_CHUNK_DELAY_MS;
      if (used === current.length || (channel.isReaderWaiting() && isDue)) flush();
      return !isFull;
    },
    end: (error) => {
      flush();
      isEnded = true;
      if (error === undefined) channel.end();
      else channel.fail(error);
    },
  };
}
