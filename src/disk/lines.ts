// Lines of a file, split at newlines only: readline also splits at U+2028, which JSON text may hold.
import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;

/**
 * Yields the lines in the first `bytes` of a file, as bytes without their newline. The handle stays open. A line longer
 * than `maxLineBytes` is cut after the chunk in which it passes that length, and yielded at once: its rest may take minutes.
 */
export async function* linesOf(
  file: Pick<FileHandle, 'read'>,
  bytes: number,
  maxLineBytes: number,
): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let isCut = false;
  for (let at = 0; at < bytes;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) break;
    at += bytesRead;
    let start = 0;
    const text = chunk.subarray(0, bytesRead);
    for (let end = text.indexOf(NEWLINE); end !== -1; end = text.indexOf(NEWLINE, start)) {
      if (!isCut) yield Buffer.concat([...pending, text.subarray(start, end)]);
      pending = [];
      pendingBytes = 0;
      isCut = false;
      start = end + 1;
    }
    if (start === text.length || isCut) continue;
    pending.push(text.subarray(start));
    pendingBytes += text.length - start;
    if (pendingBytes <= maxLineBytes) continue;
    yield Buffer.concat(pending);
    pending = [];
    isCut = true;
  }
  if (pending.length > 0) yield Buffer.concat(pending);
}

/**
 * Returns the number of bytes up to and with the last newline of a file of `size` bytes; 0 when it has none. A last line of more
 * than `maxLineBytes` counts as whole.
 */
export async function bytesOfWholeLines(
  file: Pick<FileHandle, 'read'>,
  size: number,
  maxLineBytes: number,
): Promise<number> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let end = size; end > 0;) {
    if (size - end > maxLineBytes) return size;
    const start = Math.max(0, end - chunk.length);
    const { bytesRead } = await file.read(chunk, 0, end - start, start);
    const at = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (at !== -1) return start + at + 1;
    end = start;
  }
  return 0;
}
