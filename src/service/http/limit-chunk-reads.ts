// Limits how many streams read a chunk at the same time, so that short responses are sent between them.
import type { Semaphore } from '../../concurrency/semaphore.ts';

/** Yields the chunks of a stream. Each is read while the stream holds a permit, in the order in which they were requested. */
export async function* limitChunkReads(
  stream: AsyncIterable<Uint8Array>,
  reads: Semaphore,
): AsyncGenerator<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const release = await reads.acquire();
      const chunk = await chunks.next().finally(release);
      if (chunk.done === true) return;
      yield chunk.value;
    }
  } finally {
    await chunks.return?.();
  }
}
