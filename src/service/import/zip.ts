// Reads the entries of a zip file by name, one at a time, each up to a size limit.
import { Buffer } from 'node:buffer';
import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Entry, RandomAccessReader, ZipFile } from 'yauzl';
import { checkFileCount, type FileSet, joined, rangeOf, TooLargeError, UnreadableError } from './file-set.ts';
import { unreadableReason } from './unreadable-reason.ts';

/**
 * Opens a zip by its central directory. Of several entries with one name the first counts. Names with `..` and absolute
 * names are accepted, because names are only compared: nothing is written under them. Throws {@link UnreadableError}, also for
 * entries that overlap, which would be unpacked again and again.
 * `read` refuses entries that are encrypted, damaged or too large.
 */
export async function openZip(path: string, signal?: AbortSignal): Promise<FileSet> {
  const { default: yauzl } = await import('yauzl');
  let zip: ZipFile | undefined;
  let file: FileHandle | undefined;
  const entries = new Map<string, Entry>();
  const hidden: string[] = [];
  try {
    file = await open(path, 'r');
    const { size } = await file.stat();
    const reader = blockReader(yauzl.RandomAccessReader, file);
    zip = await yauzl.fromRandomAccessReaderPromise(reader, size, { autoClose: false, decodeStrings: false });
    checkFileCount(zip.entryCount);
    let compressed = 0;
    for await (const entry of zip.eachEntry()) {
      signal?.throwIfAborted();
      compressed += entry.compressedSize;
      // Entries that do not overlap cannot be longer than the zip.
      if (compressed > size) throw new UnreadableError('is damaged (its entries overlap)');
      const name = entry.fileNameRaw.toString('utf8');
      forgetTexts(entry);
      if (name.endsWith('/')) continue;
      if (entries.has(name)) hidden.push(name);
      else entries.set(name, entry);
    }
  } catch (error) {
    if (zip === undefined) await file?.close();
    zip?.close();
    signal?.throwIfAborted();
    throw unreadable(error);
  }
  const opened = zip;
  return {
    names: [...entries.keys()],
    unreadable: [],
    hidden,
    read: (name, maxBytes) => readEntry(opened, entries.get(name), maxBytes),
    stream: (name) => streamEntry(opened, entries.get(name)),
    close: () => opened.close(),
  };
}

const NOTHING = Buffer.alloc(0);

/** What only the directory needs takes most of the memory of an entry. */
function forgetTexts(entry: Entry): void {
  const none = { fileNameRaw: NOTHING, extraFieldRaw: NOTHING, fileCommentRaw: NOTHING, extraFields: [] };
  Object.assign(entry, none, { fileName: NOTHING, fileComment: NOTHING, comment: NOTHING });
}

/** yauzl reads each entry of the directory in two steps, which would be two calls of the system. */
const BLOCK_BYTES = 1024 * 1024;

/** Returns what yauzl reads a file with: blocks, of which the last one is kept. `close` closes the file. */
function blockReader(base: typeof RandomAccessReader, file: FileHandle): RandomAccessReader {
  let kept = { bytes: NOTHING, start: 0 };
  type Done = (error: Error | null, bytesRead: number) => void;
  const blockAt = async (start: number, length: number): Promise<typeof kept> => {
    const buffer = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, length));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    return (kept = { bytes: buffer.subarray(0, bytesRead), start });
  };
  class BlockReader extends base {
    override read(into: Buffer, offset: number, length: number, position: number, done: Done): void {
      const copyOf = ({ bytes, start }: typeof kept): void =>
        done(null, bytes.subarray(position - start, position - start + length).copy(into, offset));
      if (position >= kept.start && position + length <= kept.start + kept.bytes.length) copyOf(kept);
      else blockAt(position, length).then(copyOf, (error: Error) => done(error, 0));
    }
    override _readStreamForRange(from: number, to: number): Readable {
      return Readable.from(rangeOf(file, from, to), { objectMode: false });
    }
    override close(done: (error: Error | null) => void): void {
      file.close().then(() => done(null), done);
    }
  }
  return new BlockReader();
}

async function readEntry(zip: ZipFile, entry: Entry | undefined, maxBytes: number): Promise<Uint8Array> {
  if (entry !== undefined && !entry.isEncrypted() && entry.uncompressedSize > maxBytes)
    throw new TooLargeError(maxBytes);
  return joined(streamEntry(zip, entry), entry?.uncompressedSize ?? 0);
}

async function* streamEntry(zip: ZipFile, entry: Entry | undefined): AsyncGenerator<Uint8Array> {
  if (entry === undefined) throw new UnreadableError('is not there');
  if (entry.isEncrypted()) throw new UnreadableError('is encrypted');
  let checksum = 0;
  // yauzl fails as soon as the stream is longer than the entry declares.
  const source = await zip.openReadStreamPromise(entry).catch((error: unknown) => {
    throw unreadable(error);
  });
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        throw unreadable(error);
      });
      if (next.done === true) break;
      checksum = crc32(next.value, checksum);
      yield next.value;
    }
  } finally {
    source.destroy();
  }
  if (checksum !== entry.crc32) throw new UnreadableError('is damaged (checksum differs)');
}

function unreadable(error: unknown): UnreadableError {
  if (error instanceof UnreadableError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && !code.startsWith('Z_')) return new UnreadableError(unreadableReason(error));
  const text = message.split('. ', 1)[0] ?? '';
  return new UnreadableError(
    `is damaged (${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, '')})`,
  );
}
