// Every stored file against its name and its rows: hashed, sized, missing, or of no row; and every stored message.
import { createHash } from 'node:crypto';
import type { Archive } from '../store/archive.ts';
import type { MessageSummary } from '../records/import-items.ts';
import { storedBytes, storedPiece } from '../store/lists/messages.ts';
import { differences, endsHeader } from './header-fields.ts';
import type { Ledger } from './findings.ts';

/** The hash of each file of the folder, or why there is none; and its size. */
export type HashFiles = (
  dir: string,
  paths: readonly string[],
) => Promise<{ hashes: string[]; bytes: number[] }>;

/**
 * Looks at the files whose hash begins with one of these two digits, which follow each other. A file of no row is a notice: an import that was
 * cut off leaves one, and one that runs now has some. Rows are read before files, which are there before their rows.
 */
export async function checkFiles(
  { database, blobs }: Archive,
  shards: readonly string[],
  ledger: Ledger,
  hash: HashFiles,
): Promise<void> {
  const rows = await database.all<{ sha256: string; least: number; most: number }>(
    `SELECT sha256, MIN(bytes) AS least, MAX(bytes) AS most FROM attachments
      WHERE stored = 1 AND sha256 >= $1 AND sha256 < $2 GROUP BY sha256`,
    [shards[0]!, `${shards.at(-1)!}g`],
  );
  const wanted = new Map(rows.map(({ sha256, ...sizes }) => [sha256, sizes]));
  const names: string[] = [];
  for (const shard of shards) names.push(...(await blobs.names(shard)));
  ledger.looked('files', names.length);
  if (names.length > 0) {
    const { dir } = blobs;
    const found =
      dir === undefined
        ? await hashStored(blobs, names)
        : await hash(
            dir,
            names.map((sha256) => `${sha256.slice(0, 2)}/${sha256.slice(2)}`),
          );
    for (const [index, sha256] of names.entries()) {
      const bytes = found.bytes[index]!;
      ledger.hashed(bytes);
      const sizes = wanted.get(sha256);
      wanted.delete(sha256);
      const hashed = found.hashes[index]!;
      if (hashed !== sha256) {
        const isHash = hashed.length === sha256.length;
        ledger.found('files', isHash ? 'bytes have another hash' : `file is ${hashed}`, sha256);
      } else if (sizes === undefined) ledger.found('files', 'file of no row', sha256, 'notice');
      else if (sizes.least !== bytes || sizes.most !== bytes) {
        ledger.found('files', 'row has another size', sha256);
      }
    }
  }
  for (const sha256 of wanted.keys()) ledger.found('files', 'file missing', sha256);
}

async function hashStored(
  blobs: Archive['blobs'],
  names: readonly string[],
): Promise<{ hashes: string[]; bytes: number[] }> {
  const found: { hashes: string[]; bytes: number[] } = { hashes: [], bytes: [] };
  for (const sha256 of names) {
    const hash = createHash('sha256');
    let bytes = 0;
    // A piece that is missing or short ends it; what came until then is not the file.
    const isWhole = await (async () => {
      for await (const piece of blobs.read(sha256)) {
        hash.update(piece);
        bytes += piece.byteLength;
      }
      return true;
    })().catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== undefined) throw error;
      return false;
    });
    found.hashes.push(isWhole ? hash.digest('hex') : 'cut');
    found.bytes.push(bytes);
  }
  return found;
}

/** Messages up to this many bytes are read together with others. */
const SMALL_BYTES = 256 * 1024;
const ROWS_AT_ONCE = 64;
const PIECE_BYTES = 1024 * 1024;

type StoredRow = MessageSummary & {
  n: number;
  sha256: string;
  bytes: number;
  size: number;
  format: string;
  content: Uint8Array | null;
};

/** Looks at the stored bytes of the messages from `after` on, up to `to`. */
export async function checkStored(
  { database }: Archive,
  { after, to }: { after: number; to: number },
  ledger: Ledger,
): Promise<void> {
  for (let from = after; from < to; from += ROWS_AT_ONCE) {
    const rows = await database.all<StoredRow>(
      `SELECT m.n, m.raw_sha256 AS sha256, m.raw_bytes AS bytes, length(r.content) AS size,
          m.format, m.message_key AS key, m.date_ms, m.sender, m.subject,
          CASE WHEN length(r.content) <= $3 THEN r.content END AS content
        FROM messages m JOIN raws r ON r.n = m.n WHERE m.n > $1 AND m.n <= $2 ORDER BY m.n`,
      [from, Math.min(from + ROWS_AT_ONCE, to), SMALL_BYTES],
    );
    for (const row of rows) {
      const { n, sha256, bytes, size, content } = row;
      const hash = createHash('sha256');
      let head = content;
      if (content === null) {
        for (let at = 0; at < size; at += PIECE_BYTES) {
          const piece = await storedPiece(database, n, at, PIECE_BYTES);
          head ??= piece;
          hash.update(piece);
        }
      } else hash.update(content);
      ledger.hashed(size);
      if (hash.digest('hex') !== sha256)
        ledger.found('stored messages', 'bytes have another hash', `msg_${n}`);
      else if (bytes !== size) ledger.found('stored messages', 'row has another size', `msg_${n}`);
      else if (row.format === 'rfc822' && head !== null) {
        const whole = head.length === size || endsHeader(head) ? head : await storedBytes(database, n);
        for (const { problem, severity } of differences(whole, row))
          ledger.found('stored messages', problem, `msg_${n}`, severity);
      }
    }
    ledger.looked('stored messages', rows.length);
  }
}
