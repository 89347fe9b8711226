// Copies the files that the rows of an archive name, each compared with its hash while it is copied.
import { mapConcurrent } from '../../concurrency/map-concurrent.ts';
import { MAX_SMALL_BYTES, SHARDS, type Blobs } from '../store/files/blobs.ts';
import { readChecked } from '../store/files/read-checked.ts';
import type { Statements } from '../store/sql/database.ts';

/** An archive with this many attachments or fewer is copied in one go: each part costs two statements. */
const MAX_FILES_IN_ONE_PART = 4_096;

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

/** Returns which of the files that the rows name are not in `place`. Their bytes are not read. */
export async function missingFiles(
  source: Statements,
  place: Blobs,
): Promise<Pick<CopiedFiles, 'damaged' | 'damaged_files'>> {
  const missing: string[] = [];
  let count = 0;
  for await (const { begin, rows } of filesByPart(source)) {
    const there = new Set(await place.names(begin));
    const gone = rows.filter(({ sha256 }) => !there.has(sha256));
    count += gone.length;
    missing.push(...gone.slice(0, MAX_NAMED_FILES - missing.length).map(({ sha256 }) => sha256));
  }
  return { damaged: count, damaged_files: missing };
}

/** Yields the files that the rows name, in parts whose names begin alike. */
async function* filesByPart(source: Statements): AsyncGenerator<{ begin: string; rows: FileOfRows[] }> {
  const { greatest = 0 } =
    (await source.get<{ greatest: number }>('SELECT COALESCE(MAX(n), 0) AS greatest FROM attachments')) ?? {};
  for (const begin of greatest <= MAX_FILES_IN_ONE_PART ? [''] : SHARDS) {
    const rows = await source.all<FileOfRows>(
      `SELECT sha256, MAX(bytes) AS bytes FROM attachments
        WHERE stored = 1 AND sha256 >= $1 AND sha256 < $2 GROUP BY sha256 ORDER BY sha256`,
      [begin, `${begin}g`],
    );
    if (rows.length > 0) yield { begin, rows };
  }
}

/** Copies the files that the target lacks. Calls `progress` with the bytes of each file that is there. */
export async function copyFiles(
  source: Statements,
  from: Blobs,
  to: Blobs,
  { signal, progress }: { signal: AbortSignal; progress(bytes: number): void },
): Promise<CopiedFiles> {
  const report: CopiedFiles = { copied: 0, copied_bytes: 0, damaged: 0, damaged_files: [] };
  const add = ({ sha256, bytes }: FileOfRows, outcome: 'known' | 'copied' | 'damaged'): void => {
    if (outcome !== 'known') report[outcome] += 1;
    if (outcome === 'copied') report.copied_bytes += bytes;
    if (outcome === 'damaged' && report.damaged_files.length < MAX_NAMED_FILES)
      report.damaged_files.push(sha256);
    progress(bytes);
  };
  for await (const { begin, rows } of filesByPart(source)) {
    signal.throwIfAborted();
    const there = new Set(await to.names(begin));
    const copy = async ({ sha256, bytes }: FileOfRows): Promise<'known' | 'copied' | 'damaged'> => {
      signal.throwIfAborted();
      // In a folder a name can also be a link, or a file that somebody has cut.
      if (there.has(sha256) && (to.dir === undefined || (await to.size(sha256)) === bytes)) return 'known';
      if ((await from.size(sha256)) === undefined) return 'damaged';
      return (await to.putChunks(sha256, wholeOrCut(from, sha256))) ? 'copied' : 'damaged';
    };
    const { small, others } = partsOf(rows, to, there);
    for (const files of small) {
      signal.throwIfAborted();
      const read = await Promise.all(
        files.map(async (file) => ({ file, content: await readChecked(from, file.sha256, MAX_SMALL_BYTES) })),
      );
      const sound: { sha256: string; content: Uint8Array }[] = [];
      for (const { file, content } of read) {
        // It is looked at once more below, which says what is wrong.
        if (content === undefined) others.push(file);
        else sound.push({ sha256: file.sha256, content });
      }
      await to.putSmall?.(sound);
      for (const { file, content } of read) if (content !== undefined) add(file, 'copied');
    }
    let at = 0;
    for await (const outcome of mapConcurrent(others, CONCURRENT_FILES, copy)) add(others[at++]!, outcome);
  }
  return report;
}

/** Small files are stored together, where the target can: each commit waits for the disk. */
const SMALL_FILES_AT_ONCE = 32;

/** Returns the files that are copied together, and the others. */
function partsOf(
  rows: readonly FileOfRows[],
  to: Blobs,
  there: ReadonlySet<string>,
): { small: FileOfRows[][]; others: FileOfRows[] } {
  const isSmall = ({ sha256, bytes }: FileOfRows): boolean =>
    to.putSmall !== undefined && bytes <= MAX_SMALL_BYTES && !there.has(sha256);
  // In one order, so that two processes that store the same files do not wait for each other.
  const all = rows.filter(isSmall).toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  const small: FileOfRows[][] = [];
  for (let at = 0; at < all.length; at += SMALL_FILES_AT_ONCE)
    small.push(all.slice(at, at + SMALL_FILES_AT_ONCE));
  return { small, others: rows.filter((row) => !isSmall(row)) };
}

/** A stored file, with the greatest size that a row has for it. */
type FileOfRows = { sha256: string; bytes: number };

/** Yields the bytes of a file. One that ends early ends here too: its hash is another then. */
async function* wholeOrCut(blobs: Blobs, sha256: string): AsyncGenerator<Uint8Array> {
  try {
    yield* blobs.read(sha256);
  } catch (error) {
    if ((error as { code?: unknown }).code !== undefined) throw error;
  }
}
