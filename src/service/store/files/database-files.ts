// Files in the database, in chunks, under the SHA-256 of their content, so that every process can read them.
import { createHash } from 'node:crypto';
import type { Blobs } from './blobs.ts';
import { putRegularFile } from './put-file.ts';
import type { Statements } from '../sql/database.ts';
import type { PostgresDatabase } from '../engines/postgres.ts';

/** The memory that a slow reader or writer costs. Chunks of this size are stored: it cannot be changed. */
const CHUNK_BYTES = 256 * 1024;

/** Opens the files of a database. A file is written in one transaction, so none is ever unfinished. */
export function openDatabaseFiles(database: PostgresDatabase): Blobs {
  const size = async (sha256: string): Promise<number | undefined> =>
    (await database.get<{ bytes: number }>('SELECT bytes FROM blobs WHERE sha256 = $1', [sha256]))?.bytes;

  /** Stores what `chunks` yields. Resolves to false, storing nothing, when it has another hash. */
  const store = async (sha256: string, chunks: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => {
    try {
      await database.besideWriters(async (statements) => {
        // The row first: another process that stores the same file waits here until this one commits.
        const claim = 'INSERT INTO blobs VALUES ($1, 0) ON CONFLICT (sha256) DO NOTHING';
        if ((await statements.run(claim, [sha256])) === 0) return;
        const { bytes, hash } = await insertChunks(statements, sha256, chunks());
        if (hash !== sha256) throw new OtherBytes();
        await statements.run('UPDATE blobs SET bytes = $2 WHERE sha256 = $1', [sha256, bytes]);
      });
    } catch (error) {
      if (error instanceof OtherBytes) return false;
      throw error;
    }
    return true;
  };

  const putChunks: Blobs['putChunks'] = (sha256, chunks) => store(sha256, () => chunks);

  return {
    dir: undefined,
    mark: undefined,
    async names(begin) {
      // Chunks without a row in `blobs` are reported as the file that they belong to.
      const rows = await database.all<{ sha256: string }>(
        `SELECT sha256 FROM blobs WHERE sha256 >= $1 AND sha256 < $2
          UNION SELECT sha256 FROM chunks WHERE sha256 >= $1 AND sha256 < $2`,
        [begin, `${begin}g`],
      );
      return rows.map(({ sha256 }) => sha256);
    },
    size,
    async *read(sha256, from = 0, to = Infinity) {
      for (let [at, end] = [from, to]; at <= end;) {
        const chunk = Math.floor(at / CHUNK_BYTES);
        const start = at - chunk * CHUNK_BYTES;
        const asked = Math.min(CHUNK_BYTES - start, end + 1 - at);
        const row = await database.get<{ bytes: number; piece: Uint8Array | null }>(
          `SELECT bytes, substr(content, $3, $4) AS piece
            FROM blobs LEFT JOIN chunks ON chunks.sha256 = blobs.sha256 AND chunk = $2 WHERE blobs.sha256 = $1`,
          [sha256, chunk, start + 1, asked],
        );
        end = Math.min(end, (row?.bytes ?? 0) - 1);
        if (row === undefined || at > end) return;
        const count = Math.min(asked, end + 1 - at);
        if (row.piece?.byteLength !== count) throw new Error(`the stored file ends at ${at}`);
        yield row.piece;
        at += count;
      }
    },
    async put(sha256, content) {
      if ((await size(sha256)) !== undefined) return;
      if (!(await store(sha256, () => [content]))) throw new Error('the bytes of a file have another hash');
    },
    async putSmall(files) {
      await database.besideWriters(async (statements) => {
        const claim = 'INSERT INTO blobs VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING';
        const claimed = await Promise.all(
          files.map(({ sha256, content }) => statements.run(claim, [sha256, content.byteLength])),
        );
        const added = files.filter(({ content }, at) => claimed[at] === 1 && content.byteLength > 0);
        await Promise.all(
          added.map(({ sha256, content }) =>
            statements.run('INSERT INTO chunks VALUES ($1, 0, $2)', [sha256, content]),
          ),
        );
      });
    },
    putChunks,
    putFile: (sha256, path) => putRegularFile({ size, putChunks }, sha256, path),
    // As writable as the tables.
    writable: async () => true,
    removeUnfinished: async () => {},
  };
}

class OtherBytes extends Error {}

async function insertChunks(
  statements: Statements,
  sha256: string,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ bytes: number; hash: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  let held: Buffer = Buffer.alloc(0);
  const insert = async (content: Uint8Array) => {
    const chunk = Math.floor(bytes / CHUNK_BYTES);
    await statements.run('INSERT INTO chunks VALUES ($1, $2, $3)', [sha256, chunk, content]);
    bytes += content.byteLength;
  };
  for await (const piece of source) {
    hash.update(piece);
    held = Buffer.concat([held, piece]);
    for (; held.byteLength >= CHUNK_BYTES; held = held.subarray(CHUNK_BYTES)) {
      await insert(held.subarray(0, CHUNK_BYTES));
    }
  }
  if (held.byteLength > 0) await insert(held);
  return { bytes, hash: hash.digest('hex') };
}
