// A whole body within a limit, freed of its content encoding: a small answer can never become a large one.
import { Fault } from '../faults.ts';

export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

type Decoder = (
  bytes: Uint8Array,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Uint8Array) => void,
) => void;

/** All bytes of a body; throws a protocol Fault when there are more than `most`. */
export async function readBody(body: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) throw tooLarge(most);
    chunks.push(chunk);
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, bytes);
}

/** At most one encoding, of those asked for; more would multiply (faults.md A23). Throws a protocol Fault. */
export async function decodeBody(
  bytes: Uint8Array,
  encoding: string | undefined,
  most: number,
): Promise<Uint8Array> {
  const names = (encoding ?? '').split(',').map((name) => name.trim().toLowerCase());
  const [name = ''] = names;
  if (names.length > 1) throw new Fault('protocol', `answer has ${names.length} content encodings`);
  if (name === '' || name === 'identity') return bytes;
  // A first byte of a zlib header says deflate as the standard means it; some servers send it bare.
  const bare = ((bytes[0] ?? 0) & 0x0f) !== 8;
  const zlib = await import('node:zlib');
  const decoders: Record<string, Decoder> = {
    gzip: zlib.gunzip,
    'x-gzip': zlib.gunzip,
    deflate: bare ? zlib.inflateRaw : zlib.inflate,
    br: zlib.brotliDecompress,
  };
  const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (decoder === undefined) throw new Fault('protocol', 'answer has a content encoding nobody asked for');
  return new Promise((resolve, reject) => {
    decoder(bytes, { maxOutputLength: most }, (error, result) => {
      if (error === null) return resolve(result);
      const full = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      reject(full ? tooLarge(most) : new Fault('protocol', `answer is not ${name} as it says`));
    });
  });
}

function tooLarge(most: number): Fault {
  return new Fault('protocol', `answer is larger than ${most} bytes`);
}
