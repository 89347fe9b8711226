// What the user gave to be read, file or pipe: to its end, or to that of the run, whichever comes first.
import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { Fault } from '../faults.ts';

/** What comes from a stream, which is read once. Throws the signal's reason as soon as it is aborted. */
export async function* untilAborted(stream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* addAbortSignal(signal, stream);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/**
 * The bytes at a path, called `what` in the usage Fault where they cannot be read. A FIFO that nobody has opened for
 * writing yet is waited for, and left at once for the signal, whose reason is thrown (faults C12, K2).
 */
export async function* bytesAt(path: string, what: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    // Any other way of opening waits where no signal reaches.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    yield* untilAborted(await streamOf(fd), signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new Fault('usage', `cannot read ${what}`, { cause: error });
  }
}

/** A descriptor that does not block is read by whoever can wait for it. */
async function streamOf(fd: number): Promise<Readable> {
  if (fstatSync(fd).isFIFO()) {
    const { Socket } = await import('node:net');
    return new Socket({ fd, writable: false });
  }
  return isatty(fd) ? new ReadStream(fd) : createReadStream('', { fd });
}

/** All of it in one piece; of what is longer than `most` bytes a part that is longer, too. */
export async function wholeOf(bytes: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) break;
  }
  return Buffer.concat(chunks);
}
