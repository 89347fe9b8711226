// Reads a body within a size limit and removes its content encoding within the same limit.
import { Fault } from '../faults.ts';
import { cutFault } from './strict-json.ts';

/** Value of Accept-Encoding: the encodings that {@link decodeBody} knows. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

type Decoder = (
  bytes: Uint8Array,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Uint8Array) => void,
) => void;

/** Returns all bytes of a body. Throws Fault 'protocol' where there are more than `maxBytes`. */
export async function readBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, bytes);
}

/**
 * Returns the body without its content encoding, at most `maxBytes`. Throws Fault 'protocol' for more bytes, an encoding
 * that was not asked for, and several encodings, whose ratios would multiply. Throws {@link TransportFault} where the encoded
 * bytes end early.
 */
export async function decodeBody(
  bytes: Uint8Array,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  const names = (encoding ?? '').split(',').map((name) => name.trim().toLowerCase());
  const [name = ''] = names;
  if (names.length > 1) throw new Fault('protocol', `response has ${names.length} content encodings`);
  if (name === '' || name === 'identity') return bytes;
  // The standard means deflate with a zlib header, whose first byte ends in 8. Some servers send it without.
  const bare = ((bytes[0] ?? 0) & 0x0f) !== 8;
  const zlib = await import('node:zlib');
  const decoders: Record<string, Decoder> = {
    gzip: zlib.gunzip,
    'x-gzip': zlib.gunzip,
    deflate: bare ? zlib.inflateRaw : zlib.inflate,
    br: zlib.brotliDecompress,
  };
  const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (decoder === undefined)
    throw new Fault('protocol', 'response has a content encoding that was not requested');
  return new Promise((resolve, reject) => {
    decoder(bytes, { maxOutputLength: maxBytes }, (error, result) => {
      if (error === null) return resolve(result);
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ERR_BUFFER_TOO_LARGE') return reject(tooLarge(maxBytes));
      // zlib: the input ended before the compressed data did.
      if (code === 'Z_BUF_ERROR') return reject(cutFault(`its ${name} ends after ${bytes.length} bytes`));
      reject(new Fault('protocol', `answer is not ${name} as it says`));
    });
  });
}

function tooLarge(maxBytes: number): Fault {
  return new Fault('protocol', `answer is larger than ${maxBytes} bytes`);
}
