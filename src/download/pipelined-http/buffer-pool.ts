// The memory of a large body: a few buffers in turn, one filled by the socket while others are with the reader.
import { createByteChannel, type ByteChannel } from './byte-channel.ts';

const BUFFER_BYTES = 1024 * 1024;
const MAX_BUFFERS = 3;
/** Less is handed on only when nothing was for so long, in milliseconds. */
const MIN_CHUNK_BYTES = 256 * 1024;
const MAX_CHUNK_DELAY_MS = 50;

export type BufferPool = {
  channel: ByteChannel;
  /** Where the next bytes are to be put. While there is no room, where they will be once there is. */
  room(): Uint8Array;
  /** So many were put there. False where there is no room for more until `again` is called. */
  filled(count: number): boolean;
  /** What is there is handed on. */
  flush(): void;
};

/** For a body of `length` bytes. `again`: there is room again; `left`: the reader wants no more. */
export function createBufferPool(
  length: number,
  monotonic: () => number,
  again: () => void,
  left: () => void,
): BufferPool {
  const free: Uint8Array[] = [];
  let made = 0;
  /** Handed on and not given back, in that order. */
  const out: Uint8Array[] = [];
  let slab = make();
  let fill = 0;
  let isFull = false;
  let given = monotonic();

  function make(): Uint8Array {
    made += 1;
    return Buffer.allocUnsafeSlow(Math.min(BUFFER_BYTES, length));
  }
  const channel = createByteChannel(() => {
    const back = out.shift();
    if (back === undefined) return;
    if (isFull) {
      // The one that was waited for: room() names it already.
      isFull = false;
      again();
    } else free.push(back);
  }, left);
  const hand = (): void => {
    if (fill === 0) return;
    out.push(slab);
    given = monotonic();
    const piece = slab.subarray(0, fill);
    fill = 0;
    const next = free.pop() ?? (made < MAX_BUFFERS ? make() : undefined);
    isFull = next === undefined;
    slab = next ?? out[0]!;
    channel.push(piece);
  };
  return {
    channel,
    room: () => slab.subarray(fill),
    filled: (count) => {
      fill += count;
      const isDue = fill >= MIN_CHUNK_BYTES || monotonic() - given >= MAX_CHUNK_DELAY_MS;
      if (fill === slab.length || (channel.isReaderWaiting() && isDue)) hand();
      return !isFull;
    },
    flush: hand,
  };
}
