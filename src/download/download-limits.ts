// Limits of all downloads of a run together: bytes per second, and bytes after which no further file is begun.
import { Fault } from '../faults.ts';
import type { World } from '../world.ts';

/** The limits, each undefined for none. */
export type LimitValues = { bytesPerSecond?: number | undefined; maxBytes?: number | undefined };

/** The limits of a run. All its downloads share one. */
export type DownloadLimits = {
  /**
   * Counts a file that is to be downloaded; of unknown size, its bytes when they come. Throws {@link FileLeftOut} where the files
   * before it have reached the limit.
   */
  begin(id: string, size: number | undefined): void;
  /** Yields a body at the allowed rate. `size` is what {@link DownloadLimits.begin} was given. */
  limited(
    bytes: AsyncIterable<Uint8Array>,
    size: number | undefined,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
};

/** Fault 'partial': a file was not begun. */
export class FileLeftOut extends Fault {
  readonly size: number | undefined;

  constructor(id: string, size: number | undefined) {
    super('partial', `${id}: left out, --max-bytes was reached`);
    this.size = size;
  }
}

/** A body comes in pieces, so that it does not stand still for long and then come at once. */
const MAX_PIECE_BYTES = 64 * 1024;
const PIECES_PER_SECOND = 10;
/** What a timer that was late may make up for. Over any time, at most the bytes of this much more come. */
const MAX_BURST_MS = 100;

/** Returns the limits of a run. Time is measured with `monotonic`. */
export function createDownloadLimits(
  { bytesPerSecond = Infinity, maxBytes = Infinity }: LimitValues,
  { monotonic, sleep }: Pick<World, 'monotonic' | 'sleep'>,
): DownloadLimits {
  const pieceBytes = Math.max(1, Math.min(MAX_PIECE_BYTES, Math.floor(bytesPerSecond / PIECES_PER_SECOND)));
  let begunBytes = 0;
  /** When the bytes that were given out, or are about to be, are within the rate. */
  let paidAt = monotonic();

  async function pay(bytes: number, signal: AbortSignal): Promise<void> {
    const now = monotonic();
    paidAt = Math.max(paidAt, now - MAX_BURST_MS) + (bytes / bytesPerSecond) * 1000;
    if (paidAt > now) await sleep(paidAt - now, signal);
  }
  return {
    begin: (id, size) => {
      if (begunBytes >= maxBytes) throw new FileLeftOut(id, size);
      begunBytes += size ?? 0;
    },
    async *limited(bytes, size, signal) {
      for await (const chunk of bytes) {
        if (size === undefined) begunBytes += chunk.length;
        for (let at = 0; at < chunk.length; at += pieceBytes) {
          const piece = chunk.subarray(at, at + pieceBytes);
          await pay(piece.length, signal);
          yield piece;
        }
      }
    },
  };
}
