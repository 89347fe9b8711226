// Reads a stored file whole, compared with its hash.
import { createHash } from 'node:crypto';
import type { Blobs } from './blobs.ts';

/** Returns the bytes of a stored file; undefined where it is missing, or other bytes than those of import. */
export async function readChecked(blobs: Blobs, sha256: string): Promise<Uint8Array | undefined> {
  if ((await blobs.size(sha256)) === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of blobs.read(sha256)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return createHash('sha256').update(bytes).digest('hex') === sha256 ? bytes : undefined;
}
