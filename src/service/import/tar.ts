// Reads the entries of a tar file by name, where tar-stream finds them. A compressed one (tar.gz) is unpacked into a temporary
// file first.
import { Buffer } from 'node:buffer';
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { diskFault } from '../../disk/disk-fault.ts';
import { checkFileCount, type FileSet, joined, rangeOf, TooLargeError, UnreadableError } from './file-set.ts';
import { unreadableReason } from './unreadable-reason.ts';

const GZIP_MAGIC = '\u001f\u008b';
const BLOCK_BYTES = 512;
const CHUNK_BYTES = 1024 * 1024;
const READING = { autoClose: false, highWaterMark: CHUNK_BYTES };
/** A longer name is in no tar that is not damaged. */
const MAX_NAME_CHARACTERS = 1024 * 1024;
/** Headers of one file, or the zeros after the last, are longer in no tar that is not damaged. */
const MAX_BYTES_WITHOUT_ENTRY = 16 * 1024 * 1024;
/** A tar that unpacks to more is refused before it fills the disk. */
const MAX_UNPACKED_BYTES = 256 * 1024 ** 3;
/** Text becomes 5 to 20 times as large, a bomb up to 1,032 times. Above this size a ratio that no export has is refused. */
const MAX_RATIO = 100;
const MAX_BYTES_OF_ANY_RATIO = 512 * 1024 ** 2;

type TarEntry = { name: string; start: number; bytes: number };

/** Returns whether a file that begins with these bytes (Latin-1) may be a tar or a compressed tar. */
export function mayBeTar(head: string): boolean {
  return head.startsWith(GZIP_MAGIC) || head.slice(257, 262) === 'ustar';
}

/**
 * Opens a tar. Of several entries with one name the last counts, as tar does when it unpacks. Links and devices are
 * unreadable. Names are only compared: nothing is written under them. Throws {@link UnreadableError}, and Fault 'disk' where
 * a compressed one cannot be unpacked for want of space.
 */
export async function openTar(path: string, signal?: AbortSignal): Promise<FileSet> {
  const file = await openPlain(path, signal);
  try {
    const entries = new Map<string, TarEntry>();
    const unreadable: Array<[string, string]> = [];
    const hidden: string[] = [];
    for await (const entry of entriesOf(file.createReadStream({ start: 0, ...READING }))) {
      signal?.throwIfAborted();
      if ('reason' in entry) unreadable.push([entry.name, entry.reason]);
      else {
        if (entries.has(entry.name)) hidden.push(entry.name);
        entries.set(entry.name, entry);
      }
      checkFileCount(entries.size + unreadable.length + hidden.length);
    }
    const stream = (name: string) => streamEntry(file, entries.get(name));
    return {
      names: [...entries.keys()],
      unreadable,
      hidden,
      async read(name, maxBytes) {
        const entry = entries.get(name);
        if (entry !== undefined && entry.bytes > maxBytes) throw new TooLargeError(maxBytes);
        return joined(stream(name), entry?.bytes ?? 0);
      },
      stream,
      close: () => void file.close().catch(() => {}),
    };
  } catch (error) {
    await file.close();
    signal?.throwIfAborted();
    throw error instanceof UnreadableError ? error : new UnreadableError(unreadableReason(error));
  }
}

/** Opens the tar, unpacked. The temporary file has no name any more once it is open, so that nothing is left behind. */
async function openPlain(path: string, signal: AbortSignal | undefined): Promise<FileHandle> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    throw new UnreadableError(unreadableReason(error));
  }
  if ((await beginningOf(file)) !== GZIP_MAGIC) return file;
  await file.close();
  const folder = await mkdtemp(join(tmpdir(), 'arx-untar-')).catch((error: unknown) => {
    throw diskFault(error, tmpdir());
  });
  try {
    const unpacked = join(folder, 'tar');
    await unpack(path, unpacked, signal);
    return await open(unpacked, 'r');
  } finally {
    // Some systems keep a file that is open: it stays until they clean up their temporary files.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function headOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    return await beginningOf(file);
  } finally {
    await file.close();
  }
}

async function beginningOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return buffer.toString('latin1', 0, bytesRead);
}

async function unpack(path: string, to: string, signal: AbortSignal | undefined): Promise<void> {
  let bytes = 0;
  try {
    const { size } = await stat(path);
    const maxBytes = Math.min(MAX_UNPACKED_BYTES, Math.max(MAX_BYTES_OF_ANY_RATIO, MAX_RATIO * size));
    await pipeline(
      createReadStream(path),
      createGunzip(),
      async function* counted(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > maxBytes) throw new UnreadableError('unpacks to too many bytes for its size');
          yield chunk;
        }
      },
      createWriteStream(to, { mode: 0o600 }),
      { signal },
    );
  } catch (error) {
    signal?.throwIfAborted();
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (error instanceof UnreadableError) throw error;
    if (code.startsWith('Z_')) throw new UnreadableError('is damaged (cannot be unpacked)');
    throw diskFault(error, to);
  }
}

function truncated(): UnreadableError {
  return new UnreadableError('is damaged (it ends inside a file)');
}

/**
 * Yields the names in a tar while it is read, up to `maxBytes` of it unpacked, without a temporary file. Ends where it is
 * damaged. Throws the error of the file system.
 */
export async function* tarNames(path: string, maxBytes: number): AsyncGenerator<string> {
  const source = createReadStream(path);
  const isCompressed = (await headOf(path)) === GZIP_MAGIC;
  const chunks: AsyncIterable<Buffer> = isCompressed ? source.pipe(createGunzip()) : source;
  source.on('error', (error) => void (chunks as unknown as Readable).destroy(error));
  try {
    for await (const entry of entriesOf(chunks)) {
      if ('start' in entry) yield entry.name;
      if ('start' in entry && entry.start > maxBytes) return;
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!(error instanceof UnreadableError) && !code.startsWith('Z_')) throw error;
  } finally {
    source.destroy();
  }
}

/** Yields the files in order, and what is no file with the reason. Throws {@link UnreadableError} for a damaged tar. */
async function* entriesOf(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<TarEntry | { name: string; reason: string }> {
  const { extract } = await import('tar-stream');
  const reader = extract({ allowUnknownFormat: true });
  let bytesWithoutEntry = 0;
  const whole = pipeline(
    chunks,
    // tar-stream collects a name of any length in memory.
    async function* bounded(source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        bytesWithoutEntry += chunk.length;
        if (bytesWithoutEntry > MAX_BYTES_WITHOUT_ENTRY)
          throw new UnreadableError('is damaged (a name in the tar is too long)');
        yield chunk;
      }
    },
    reader,
  );
  // The loop throws the error first.
  whole.catch(() => {});
  try {
    for await (const entry of reader) {
      const { type, size: bytes = Number.NaN } = entry.header;
      // tar-stream waits for ever for the end of such a file.
      if (!Number.isSafeInteger(bytes) || bytes < 0) throw truncated();
      const name = entry.header.name.replace(/^(?:\.\/)+/, '');
      if (name.length > MAX_NAME_CHARACTERS)
        throw new UnreadableError('is damaged (a name in the tar is too long)');
      // The place of the header, which the types lack.
      const start = (entry as unknown as { offset: number }).offset + BLOCK_BYTES;
      if (type === 'file' || type === 'contiguous-file') yield { name, start, bytes };
      else if (type === 'link' || type === 'symlink') yield { name, reason: 'is a link' };
      else if (type !== 'directory') yield { name, reason: 'is not a regular file' };
      bytesWithoutEntry = 0;
      entry.on('data', () => (bytesWithoutEntry = 0));
    }
    await whole;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof UnreadableError || code !== undefined) throw error;
    throw message === 'Unexpected end of data'
      ? truncated()
      : new UnreadableError('is damaged (a header of the tar is not valid)');
  } finally {
    reader.destroy();
  }
}

async function* streamEntry(file: FileHandle, entry: TarEntry | undefined): AsyncGenerator<Uint8Array> {
  if (entry === undefined) throw new UnreadableError('is not there');
  yield* rangeOf(file, entry.start, entry.start + entry.bytes);
}
