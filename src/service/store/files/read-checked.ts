// Reads a stored file whole, compared with its hash.
import { createHash } from 'node:crypto';
import type { Blobs } from './blobs.ts';

/** Returns the bytes of a stored file; undefined where it is missing, longer than `maxBytes`, or other bytes than those of import. */
export async function readChecked(
  blobs: Blobs,
  sha256: string,
  maxBytes = Infinity,
): Promise<Uint8Array | undefined> {
  const size = await blobs.size(sha256);
  if (size === undefined || size > maxBytes) return undefined;
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of blobs.read(sha256)) chunks.push(chunk);
  } catch (error) {
    // An error of the disk or the database has a code. One without says that the stored bytes end early.
    if ((error as { code?: unknown }).code !== undefined) throw error;
    return undefined;
  }
  const bytes = Buffer.concat(chunks);
  return createHash('sha256').update(bytes).digest('hex') === sha256 ? bytes : undefined;
}
