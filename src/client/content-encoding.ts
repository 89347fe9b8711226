// Content encodings: which are decoded, of answers and of files, and how. Reads a body within a size limit.
import type { Transform } from 'node:stream';
import { Fault } from '../faults.ts';
import { cutFault } from './strict-json.ts';

/** Value of Accept-Encoding: the encodings that {@link decodeBody} knows. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/** The functions of zlib for each encoding: for a whole body, and for one that arrives. */
const FUNCTIONS = {
  gzip: ['gunzip', 'createGunzip'],
  'x-gzip': ['gunzip', 'createGunzip'],
  deflate: ['inflate', 'createInflate'],
  br: ['brotliDecompress', 'createBrotliDecompress'],
} as const;
/** Some servers send `deflate` without the zlib header that the standard demands. */
const WITHOUT_HEADER = ['inflateRaw', 'createInflateRaw'] as const;

type Decoder = (
  bytes: Uint8Array,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Uint8Array) => void,
) => void;

/** The name of a content encoding that can be decoded, in lower case. */
export type KnownEncoding = keyof typeof FUNCTIONS;

/** Returns whether a content encoding can be decoded. */
export function isKnownEncoding(name: string): name is KnownEncoding {
  return Object.hasOwn(FUNCTIONS, name);
}

/** Returns a stream that decodes a body. `firstByte` is that of the body. */
export async function decoderOf(name: KnownEncoding, firstByte: number | undefined): Promise<Transform> {
  const zlib = await import('node:zlib');
  return zlib[functionsOf(name, firstByte)[1]]();
}

function functionsOf(
  name: KnownEncoding,
  firstByte = 0,
): (typeof FUNCTIONS)[KnownEncoding] | typeof WITHOUT_HEADER {
  // The first byte of a zlib header ends in 8.
  return name === 'deflate' && (firstByte & 0x0f) !== 8 ? WITHOUT_HEADER : FUNCTIONS[name];
}

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
  if (!isKnownEncoding(name))
    throw new Fault('protocol', 'response has a content encoding that was not requested');
  const zlib = await import('node:zlib');
  const decoder: Decoder = zlib[functionsOf(name, bytes[0])[0]];
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
