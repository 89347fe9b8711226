// Reads a file of JSON lines as a stream, one line in memory at a time.
import { Buffer } from 'node:buffer';

/** A line. `number` counts from 1; `offset` is that of its first byte. `content` is null for one that is too long. */
export type Line = { number: number; offset: number; length: number; content: Buffer | null };

const NEWLINE = 0x0a;

/**
 * Yields the lines of a file, without their ends. Lines of white space are left out. Throws the reason of the signal when it is
 * aborted, also inside a line.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Line> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  let offset = 0;
  let number = 1;
  const add = (piece: Uint8Array): void => {
    length += piece.length;
    if (length <= maxLineBytes) pieces.push(piece);
    else pieces = [];
  };
  const line = (): Line => ({
    number,
    offset,
    length,
    content: length > maxLineBytes ? null : Buffer.concat(pieces),
  });
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(NEWLINE, start);
      add(chunk.subarray(start, end < 0 ? chunk.length : end));
      if (end < 0) break;
      if (!isBlank(pieces, length)) yield line();
      offset += length + 1;
      number += 1;
      pieces = [];
      length = 0;
      start = end + 1;
    }
  }
  if (!isBlank(pieces, length)) yield line();
}

function isBlank(pieces: readonly Uint8Array[], length: number): boolean {
  return length === 0 || (pieces.length > 0 && pieces.every((piece) => piece.every((byte) => byte <= 0x20)));
}
