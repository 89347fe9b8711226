// Copies the files that the rows of an archive name, each compared with its hash while it is copied.
import { mapConcurrent } from '../../concurrency/map-concurrent.ts';
import type { Blobs } from '../store/files/blobs.ts';
import type { Statements } from '../store/sql/database.ts';

/** The pairs of hexadecimal digits with which hashes begin. */
const SHARDS = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

/** Files that are copied at the same time. Each waits for the disk of the target. */
const CONCURRENT_FILES = 4;

/** A report names the first damaged files, and counts all. */
const MAX_NAMED_FILES = 100;

/** What was copied; `damaged` files are missing in the source, or have other bytes than those of their hash. */
export type CopiedFiles = {
  copied: number;
  copied_bytes: number;
  damaged: number;
  damaged_files: string[];
};

/** Returns the number of files that the rows name, and their bytes. */
export async function countFiles(source: Statements): Promise<{ count: number; bytes: number }> {
  const row = await source.get<{ count: number; bytes: number }>(
    `SELECT COUNT(*) AS count, CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes FROM
      (SELECT MAX(bytes) AS bytes FROM attachments WHERE stored = 1 GROUP BY sha256) AS files`,
  );
  return { count: row?.count ?? 0, bytes: row?.bytes ?? 0 };
}

/** Copies the files that the target lacks. Calls `progress` with the bytes of each file that is there. */
export async function copyFiles(
  source: Statements,
  from: Blobs,
  to: Blobs,
  { signal, progress }: { signal: AbortSignal; progress(bytes: number): void },
): Promise<CopiedFiles> {
  const report: CopiedFiles = { copied: 0, copied_bytes: 0, damaged: 0, damaged_files: [] };
  for (const shard of SHARDS) {
    signal.throwIfAborted();
    const rows = await source.all<{ sha256: string; bytes: number }>(
      `SELECT sha256, MAX(bytes) AS bytes FROM attachments
        WHERE stored = 1 AND sha256 >= $1 AND sha256 < $2 GROUP BY sha256`,
      [shard, `${shard}g`],
    );
    if (rows.length === 0) continue;
    const there = new Set(await to.names(shard));
    const copy = async ({
      sha256,
      bytes,
    }: (typeof rows)[number]): Promise<'known' | 'copied' | 'damaged'> => {
      signal.throwIfAborted();
      // In a folder a name can also be a link, or a file that somebody has cut.
      if (there.has(sha256) && (to.dir === undefined || (await to.size(sha256)) === bytes)) return 'known';
      if ((await from.size(sha256)) === undefined) return 'damaged';
      return (await to.putChunks(sha256, wholeOrCut(from, sha256))) ? 'copied' : 'damaged';
    };
    let at = 0;
    for await (const outcome of mapConcurrent(rows, CONCURRENT_FILES, copy)) {
      const { sha256, bytes } = rows[at]!;
      at += 1;
      if (outcome !== 'known') report[outcome] += 1;
      if (outcome === 'copied') report.copied_bytes += bytes;
      if (outcome === 'damaged' && report.damaged_files.length < MAX_NAMED_FILES)
        report.damaged_files.push(sha256);
      progress(bytes);
    }
  }
  return report;
}

/** Yields the bytes of a file. One that ends early ends here too: its hash is another then. */
async function* wholeOrCut(blobs: Blobs, sha256: string): AsyncGenerator<Uint8Array> {
  try {
    yield* blobs.read(sha256);
  } catch (error) {
    if ((error as { code?: unknown }).code !== undefined) throw error;
  }
}
