// Stored bytes on their way out, compared with the size and the hash of their row. Damaged bytes are never sent whole.
import { createHash } from 'node:crypto';
import type { ServiceResponse } from '../../contract/exchange.ts';
import { ApiError } from '../rules/api-error.ts';
import type { ServedFile } from './stored-message.ts';

/** Files up to this size are read and hashed before the response begins. It is held in memory for a slow reader. */
export const MAX_BYTES_HASHED_FIRST = 1024 * 1024;

/** Bytes from `from` to `to`, both included. */
type Range = { from: number; to: number };

/**
 * Returns the bytes of a file, or a range of them. What is checked when:
 *
 * - before the response: the size, and the hash of a file up to {@link MAX_BYTES_HASHED_FIRST}, which is read twice where the
 *   first reading is wrong and came from a bucket;
 * - while it is sent: the hash of a larger file. Its last chunk is held back until the hash is known. Where it differs, the
 *   body throws, and the connection is cut before the last bytes;
 * - not at all: the hash of a range of a larger file. Its reader has the hash of the whole.
 *
 * Throws ApiError `asset_damaged`.
 */
export async function checkedBytes(
  file: ServedFile,
  range: Range | 'whole',
): Promise<ServiceResponse['body']> {
  const { size } = file;
  if (size > MAX_BYTES_HASHED_FIRST) {
    checkSize(file);
    return range === 'whole' ? hashedOnTheWay(file) : file.read(range.from, range.to);
  }
  const bytes = await readHashed(file).catch((error: unknown) => {
    // A bucket may give other bytes once.
    if (file.readSmall === undefined || !(error instanceof ApiError)) throw error;
    return readHashed(file);
  });
  return range === 'whole' ? bytes : bytes.subarray(range.from, range.to + 1);
}

/** Throws ApiError `asset_damaged` where the stored bytes are missing, or more or fewer than at import. */
export function checkSize({ size, storedSize }: { size: number; storedSize?: number | undefined }): void {
  if (storedSize === undefined) throw missing();
  if (storedSize !== size) throw damaged(`it has ${storedSize} of ${size} bytes`);
}

/** Returns the error for stored bytes that are not those of import. `reason` is a clause about the file. */
export function damaged(reason: string): ApiError {
  return new ApiError('asset_damaged', `the stored file is damaged: ${reason}`);
}

/** Returns the error for stored bytes that are not there. */
export function missing(): ApiError {
  return damaged('it is missing, or no plain file');
}

/** Returns whether stored bytes have the hash that was taken at import. */
export function hasHash(bytes: Uint8Array, sha256: string): boolean {
  return createHash('sha256').update(bytes).digest('hex') === sha256;
}

/** Returns the bytes of a file that is hashed before it is sent. */
async function readHashed(file: ServedFile): Promise<Uint8Array> {
  const { sha256, size } = file;
  const small = await file.readSmall?.();
  checkSize({ size, storedSize: small?.size ?? file.storedSize });
  const bytes = small?.bytes ?? (size === 0 ? Buffer.alloc(0) : await readWhole(file));
  if (!hasHash(bytes, sha256)) throw damaged('its bytes have another hash than at import');
  return bytes;
}

async function readWhole({ size, read }: ServedFile): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of read(0, size - 1)) chunks.push(chunk);
  } catch (error) {
    // An error of the disk or the database has a code. One without says that the stored bytes end early.
    if ((error as { code?: unknown }).code !== undefined) throw error;
    throw damaged('it ends early');
  }
  return Buffer.concat(chunks);
}

async function* hashedOnTheWay({ sha256, size, read }: ServedFile): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let held: Uint8Array | undefined;
  for await (const chunk of read(0, size - 1)) {
    if (held !== undefined) yield held;
    hash.update(chunk);
    held = chunk;
  }
  if (hash.digest('hex') !== sha256) throw damaged('its bytes have another hash than at import');
  if (held !== undefined) yield held;
}
