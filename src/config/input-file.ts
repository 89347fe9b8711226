// Reads a file or pipe that the user named, and stops at once when the run is aborted.
import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { unreadableInput } from '../disk/disk-fault.ts';

/** Yields the chunks of a stream. Throws the signal's reason as soon as it is aborted. */
export async function* untilAborted(stream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* addAbortSignal(signal, stream);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/**
 * Yields the bytes of a file or FIFO. It waits for a FIFO that nobody has opened for writing yet. Throws the signal's reason
 * as soon as it is aborted, and Fault 'usage' or 'disk' naming `what` where the file cannot be read.
 */
export async function* readInputFile(
  path: string,
  what: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    // Without O_NONBLOCK, opening a FIFO blocks and no signal can stop it.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    yield* untilAborted(await streamOf(fd), signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw unreadableInput(what, error);
  }
}

/** A non-blocking descriptor needs a stream that waits by polling: a socket for a FIFO, a tty stream for a terminal. */
async function streamOf(fd: number): Promise<Readable> {
  if (fstatSync(fd).isFIFO()) {
    const { Socket } = await import('node:net');
    return new Socket({ fd, writable: false });
  }
  return isatty(fd) ? new ReadStream(fd) : createReadStream('', { fd });
}

/** Returns all bytes; of more than `maxBytes` only a first part, which is longer than `maxBytes` too. */
export async function collectBytes(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks);
}
