// Reads the entries of a zip file by name, one at a time, each up to a size limit.
import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { type FileSet, UnreadableError } from './file-set.ts';
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
    close: () => opened.close(),
  };
}

async function readEntry(zip: ZipFile, entry: Entry | undefined, maxBytes: number): Promise<Uint8Array> {
  if (entry === undefined) throw new UnreadableError('is not there');
  if (entry.isEncrypted()) throw new UnreadableError('is encrypted');
  if (entry.uncompressedSize > maxBytes) throw new UnreadableError(`is larger than ${maxBytes} bytes`);
  try {
    // yauzl fails as soon as the stream is longer than the entry declares.
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    const content = Buffer.concat(chunks);
    if (crc32(content) !== entry.crc32) throw new UnreadableError('is damaged (checksum differs)');
    return content;
  } catch (error) {
    throw unreadable(error);
  }
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
