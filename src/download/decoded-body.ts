// Removes the content encoding of a file while it arrives.
import { Readable, type Transform } from 'node:stream';
import { Fault } from '../faults.ts';
import { WrongContent } from './wrong-content.ts';

/** Content encodings that are decoded. */
const ENCODINGS: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br']);

/** Returns whether the content encoding of a file can be removed. */
export function isDecodable(encoding: string): boolean {
  return ENCODINGS.has(encoding);
}

/**
 * Yields a body without its content encoding. Throws {@link WrongContent} where it does not have that encoding, Fault 'protocol' for more
 * than `maxBytes`, and what the body throws.
 */
export async function* decodedBody(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const decoder = await decoderFor(encoding);
  const source = Readable.from(body, { objectMode: false });
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

async function decoderFor(encoding: string): Promise<Transform> {
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib');
  if (encoding === 'br') return createBrotliDecompress();
  return encoding === 'deflate' ? createInflate() : createGunzip();
}
