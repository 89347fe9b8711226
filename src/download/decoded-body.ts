// Removes the content encoding of a file while it arrives.
import { Readable } from 'node:stream';
import { decoderOf, type KnownEncoding } from '../client/content-encoding.ts';
import { Fault } from '../faults.ts';
import { WrongContent } from './wrong-content.ts';

/**
 * Yields a body without its content encoding. Throws {@link WrongContent} where it does not have that encoding, Fault 'protocol' for more
 * than `maxBytes`, and what the body throws.
 */
export async function* decodedBody(
  body: AsyncIterable<Uint8Array>,
  encoding: KnownEncoding,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const { firstByte, whole } = await withFirstByte(body);
  const decoder = await decoderOf(encoding, firstByte);
  const source = Readable.from(whole(), { objectMode: false });
  let bodyError: Error | undefined;
  source.on('error', (error) => {
    bodyError = error;
    decoder.destroy(error);
  });
  source.pipe(decoder);
  let bytes = 0;
  try {
    for await (const chunk of decoder as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new Fault('protocol', `file of unknown size is larger than ${maxBytes} bytes`);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof Fault || error === bodyError) throw error;
    const message = `the server says that the file has the content encoding ${encoding}, and it has not`;
    throw new WrongContent(message, undefined, {});
  } finally {
    source.destroy();
  }
}

/** Reads the first part of a body. `whole` yields all of its bytes. */
async function withFirstByte(
  body: AsyncIterable<Uint8Array>,
): Promise<{ firstByte: number | undefined; whole(): AsyncGenerator<Uint8Array> }> {
  const parts = body[Symbol.asyncIterator]();
  const first = await parts.next();
  return {
    firstByte: first.done === true ? undefined : first.value[0],
    async *whole() {
      try {
        for (let part = first; part.done !== true; part = await parts.next()) yield part.value;
      } finally {
        await parts.return?.();
      }
    },
  };
}
