// A quick check of some stored files, at equal distances over the archive. `arx fsck` checks all.
import { createHash } from 'node:crypto';
import type { Archive } from '../archive.ts';

/** Files up to this size are hashed, of larger ones only the size is checked. */
const MAX_HASHED_BYTES = 1024 * 1024;

/** How many files were checked, and how many of them are missing or damaged. */
export type SpotCheck = { looked: number; missing: number; damaged: number };

/** Checks about `maxFiles` files, at equal distances of their numbers. */
export async function spotCheckFiles({ database, blobs }: Archive, maxFiles: number): Promise<SpotCheck> {
  const last = await database.get<{ n: number | null }>('SELECT MAX(n) AS n FROM attachments');
  const step = Math.max(1, Math.ceil((last?.n ?? 0) / maxFiles));
  const rows = await database.all<{ sha256: string; bytes: number }>(
    'SELECT sha256, bytes FROM attachments WHERE stored = 1 AND n % $1 = 0',
    [step],
  );
  const result: SpotCheck = { looked: rows.length, missing: 0, damaged: 0 };
  for (const { sha256, bytes } of rows) {
    const size = await blobs.size(sha256);
    if (size === undefined) result.missing += 1;
    else if (size !== bytes || (bytes <= MAX_HASHED_BYTES && (await hashOf(blobs.read(sha256))) !== sha256)) {
      result.damaged += 1;
    }
  }
  return result;
}

async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}
