// The chunks of a file for a reader that keeps them.

/** Yields a copy of each chunk: a connection for files uses the memory of a chunk again when the next one is asked for. */
export async function* copiedChunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield Buffer.from(chunk);
}
