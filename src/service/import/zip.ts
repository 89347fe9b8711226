// Reads the entries of a zip file by name, one at a time, each up to a size limit.
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { type FileSet, joined, TooLargeError, UnreadableError } from './file-set.ts';
import { unreadableReason } from './unreadable-reason.ts';

/** More than any export holds. A zip that declares more is refused before its directory fills the memory. */
const MAX_ENTRIES = 2_000_000;

/**
 * Opens a zip by its central directory. Of several entries with one name the first counts. Names with `..` and absolute
 * names are accepted, because names are only compared: nothing is written under them. Throws {@link UnreadableError}.
 * `read` refuses entries that are encrypted, damaged or too large.
 */
export async function openZip(path: string): Promise<FileSet> {
  const { default: yauzl } = await import('yauzl');
  let zip: ZipFile | undefined;
  const entries = new Map<string, Entry>();
  const hidden: string[] = [];
  try {
    zip = await yauzl.openPromise(path, { autoClose: false, decodeStrings: false });
    if (zip.entryCount > MAX_ENTRIES) throw new UnreadableError('names too many files');
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileNameRaw.toString('utf8');
      if (name.endsWith('/')) continue;
      if (entries.has(name)) hidden.push(name);
      else entries.set(name, entry);
    }
  } catch (error) {
    zip?.close();
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
