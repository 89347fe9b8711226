// Finds out whether a file of the catalogue can be fetched, resumed and checked: address, range requests, ETag, hash.
import { createHash } from 'node:crypto';
import { sameHash, Sha256 } from '../../contract/scalars.ts';
import type { ServiceReport } from '../../contract/reports/service.ts';
import { copiedChunks } from '../../download/copied-chunks.ts';
import { requestFile, type FileAccess } from '../../download/file-request.ts';
import { Fault } from '../../faults.ts';
import type { World } from '../../world.ts';
import type { ListedRow } from './list-pages.ts';
import { answerOf } from './settle.ts';

/** A larger file is not read. */
const MAX_FILE_BYTES = 1024 * 1024;

type Files = ServiceReport['files'];

/** The facts where no file was tried. */
export const NO_FILES: Files = {
  id: null,
  address: 'unseen',
  reason: null,
  hash: 'unseen',
  ranges: 'unseen',
  etag: 'unseen',
};

type NamedFile = { id: string; url: string; sha256: string | undefined; size: number | undefined };

/** Fetches one small file of the catalogue, and a part of it again. `rows` are rows of the attachment list. */
export async function examineFiles(
  rows: readonly ListedRow[],
  access: FileAccess,
  world: Pick<World, 'monotonic' | 'signal'>,
): Promise<Files> {
  const file = smallestFile(rows);
  if (file === undefined) return rows.length === 0 ? NO_FILES : { ...NO_FILES, address: 'withheld' };
  const known = { ...NO_FILES, id: file.id };
  let whole: Fetched;
  try {
    whole = await fetchFile(file, access, world);
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    return { ...known, address: error.kind === 'unsafe' ? 'untrusted' : 'refused', reason: error.message };
  }
  const { etag, bytes } = whole;
  const found: Files = {
    ...known,
    address: whole.refused ? 'refused' : 'available',
    hash: bytes === undefined || file.sha256 === undefined ? 'unseen' : hashVerdict(bytes, file.sha256),
    etag: whole.refused ? 'unseen' : etag === undefined ? 'none' : etag.startsWith('W/') ? 'weak' : 'strong',
  };
  if (bytes === undefined || bytes.length < 2 || found.etag !== 'strong') return found;
  return { ...found, ranges: await examineRange(file, bytes, etag!, access, world) };
}

/** Asks for the second half of a file, as a resumed download does. */
async function examineRange(
  file: NamedFile,
  bytes: Buffer,
  etag: string,
  access: FileAccess,
  world: Pick<World, 'monotonic' | 'signal'>,
): Promise<Files['ranges']> {
  const from = Math.floor(bytes.length / 2);
  let isWrong = false;
  const part = await answerOf(async () => {
    try {
      return await fetchFile(file, access, world, { from, ifRange: etag });
    } catch (error) {
      isWrong = error instanceof Fault && error.kind === 'protocol';
      throw error;
    }
  });
  if (part === undefined) return isWrong ? 'wrong' : 'unseen';
  if (part.refused) return 'refused';
  if (part.from === 0) return 'ignored';
  return part.bytes?.equals(bytes.subarray(from)) === true ? 'honoured' : 'wrong';
}

type Fetched = { refused: boolean; from: number; etag?: string; bytes?: Buffer };

/** Returns the bytes of a file up to {@link MAX_FILE_BYTES}; none where it is larger. */
async function fetchFile(
  { url, size }: NamedFile,
  access: FileAccess,
  world: Pick<World, 'monotonic' | 'signal'>,
  range?: { from: number; ifRange: string },
): Promise<Fetched> {
  const file = await requestFile(url, { ...access, world, range, size }, access.timeoutMs);
  if ('refused' in file) return { refused: true, from: 0 };
  try {
    const seen = { refused: false, from: file.from, ...(file.etag === undefined ? {} : { etag: file.etag }) };
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of copiedChunks(file.bytes)) {
      length += chunk.length;
      if (length > MAX_FILE_BYTES) return seen;
      chunks.push(chunk);
    }
    return { ...seen, bytes: Buffer.concat(chunks) };
  } finally {
    file.close();
  }
}

/** Returns the smallest file with an address; one without a known size only where none has one. */
function smallestFile(rows: readonly ListedRow[]): NamedFile | undefined {
  const files = rows.flatMap(({ id, file_url: url, redacted, bytes, sha256 }): NamedFile[] => {
    if (typeof url !== 'string' || url === '' || redacted === true) return [];
    const hash = Sha256.safeParse(sha256);
    return [
      {
        id,
        url,
        sha256: hash.success ? hash.data : undefined,
        size: Number.isSafeInteger(bytes) ? (bytes as number) : undefined,
      },
    ];
  });
  return files.toSorted((a, b) => (a.size ?? Infinity) - (b.size ?? Infinity))[0];
}

function hashVerdict(bytes: Buffer, expected: string): Files['hash'] {
  return sameHash(createHash('sha256').update(bytes).digest('hex'), expected) ? 'match' : 'mismatch';
}
