// Reads zip files by name: entries are unpacked one at a time and never beyond a limit.
import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { type NamedFiles, Unreadable, reasonOf } from './named-files.ts';

/** More than any export holds; a central directory that claims more is refused before it fills the memory. */
const MOST_ENTRIES = 2_000_000;

/**
 * Opens a zip by its central directory; of entries with one name the first counts. Throws {@link Unreadable}.
 * Names are not checked against `..` and absolute paths, for they are compared and never written to.
 */
export async function openZip(path: string): Promise<NamedFiles> {
  const { default: yauzl } = await import('yauzl');
  let zip: ZipFile | undefined;
  const entries = new Map<string, Entry>();
  try {
    zip = await yauzl.openPromise(path, { autoClose: false, decodeStrings: false });
    if (zip.entryCount > MOST_ENTRIES) throw new Unreadable('names too many files');
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileNameRaw.toString('utf8');
      if (!name.endsWith('/') && !entries.has(name)) entries.set(name, entry);
    }
  } catch (error) {
    zip?.close();
    throw unreadable(error);
  }
  const opened = zip;
  return {
    names: [...entries.keys()],
    unlisted: [],
    read: (name, most) => readEntry(opened, entries.get(name), most),
    close: () => opened.close(),
  };
}

async function readEntry(zip: ZipFile, entry: Entry | undefined, most: number): Promise<Uint8Array> {
  if (entry === undefined) throw new Unreadable('is not there');
  if (entry.isEncrypted()) throw new Unreadable('is encrypted');
  if (entry.uncompressedSize > most) throw new Unreadable(`is larger than ${most} bytes`);
  try {
    // yauzl ends the stream with an error as soon as it is longer than the entry declares.
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    const content = Buffer.concat(chunks);
    if (crc32(content) !== entry.crc32) throw new Unreadable('is damaged (checksum differs)');
    return content;
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): Unreadable {
  if (error instanceof Unreadable) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && !code.startsWith('Z_')) return new Unreadable(reasonOf(error));
  const text = message.split('. ', 1)[0] ?? '';
  return new Unreadable(`is damaged (${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, '')})`);
}
