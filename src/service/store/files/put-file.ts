// Stores a file of this machine that is too big for memory.
import { openIfRegular } from '../../../disk/regular-file.ts';
import type { Blobs } from './blobs.ts';

/** Bytes that are read at once. */
const CHUNK_BYTES = 256 * 1024;

/** Stores a copy of the file at `path`, unless there is a stored one of its size. As `putFile` of {@link Blobs}. */
export async function putRegularFile(
  { size, putChunks }: Pick<Blobs, 'size' | 'putChunks'>,
  sha256: string,
  path: string,
): Promise<boolean> {
  const source = await openIfRegular(path);
  if (source === undefined) return false;
  try {
    if ((await size(sha256)) === (await source.stat()).size) return true;
    const chunks = source.createReadStream({ start: 0, highWaterMark: CHUNK_BYTES, autoClose: false });
    return await putChunks(sha256, chunks as AsyncIterable<Uint8Array>);
  } finally {
    await source.close();
  }
}
