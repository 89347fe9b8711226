// Lines of a file by newline alone: readline would also split at U+2028, which JSON text may hold.
import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 64 * 1024;

/**
 * The lines in the first `bytes` of a file, as bytes without their newline; the handle stays open. What is longer than
 * `most` bytes is cut there, and comes as one line all the same.
 */
export async function* linesOf(file: FileHandle, bytes: number, most = Infinity): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let held = 0;
  for (let at = 0; at < bytes;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) break;
    at += bytesRead;
    let start = 0;
    const text = chunk.subarray(0, bytesRead);
    for (let end = text.indexOf(10); end !== -1; end = text.indexOf(10, start)) {
      yield Buffer.concat([...pending, text.subarray(start, end)]);
      pending = [];
      held = 0;
      start = end + 1;
    }
    if (start < text.length && held <= most) {
      pending.push(text.subarray(start));
      held += text.length - start;
    }
  }
  if (pending.length > 0) yield Buffer.concat(pending);
}

/** Bytes up to and with the last newline of a file of `size` bytes; 0 where it has none. */
export async function bytesOfWholeLines(file: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - chunk.length);
    const { bytesRead } = await file.read(chunk, 0, end - start, start);
    const at = chunk.subarray(0, bytesRead).lastIndexOf(10);
    if (at !== -1) return start + at + 1;
    end = start;
  }
  return 0;
}
