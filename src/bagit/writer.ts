// Writes a BagIt 1.0 bag (RFC 8493): the payload is hashed while it is written, then come the tag files.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { diskFault } from '../disk/disk-fault.ts';
import { Fault } from '../faults.ts';
import type { BagTarget } from './target.ts';
import { escapePath } from './tag-files.ts';

/** `path` is relative to the bag's base directory. */
export type WrittenFile = { path: string; bytes: number; sha256: string };

/** Writes one bag: first each payload file, then the tag files. End it with {@link BagWriter.finish}. */
export type BagWriter = {
  /** Adds a payload file; `path` is relative to data/. */
  add(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile>;
  /**
   * Writes the tag files and gives the bag its name. `info`: lines of bag-info.txt, before Payload-Oxum. Returns the
   * Payload-Oxum, and the SHA-256 of the tag manifest, which commits to the whole bag.
   */
  finish(info: readonly [label: string, value: string][]): Promise<{ oxum: string; sha256: string }>;
};

/** Returns a writer of one bag. */
export function createBagWriter(target: BagTarget): BagWriter {
  const payload: WrittenFile[] = [];
  const tags: WrittenFile[] = [];
  const write = async (
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    list: WrittenFile[],
  ): Promise<WrittenFile> => {
    const hash = createHash('sha256');
    let count = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const chunk of bytes) {
        hash.update(chunk);
        count += chunk.length;
        yield chunk;
      }
    }
    await target.add(path, counted());
    const written = { path, bytes: count, sha256: hash.digest('hex') };
    list.push(written);
    return written;
  };
  const tag = (path: string, text: Iterable<string>): Promise<WrittenFile> =>
    write(path, textBytes(text), tags);
  return {
    add: (path, bytes) => write(`data/${path}`, bytes, payload),
    async finish(info) {
      const octets = payload.reduce((sum, { bytes }) => sum + bytes, 0);
      const oxum = `${octets}.${payload.length}`;
      await tag('bagit.txt', ['BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n']);
      await tag('bag-info.txt', [infoText([...info, ['Payload-Oxum', oxum]])]);
      await tag('manifest-sha256.txt', manifestText(payload));
      const { sha256 } = await write('tagmanifest-sha256.txt', textBytes(manifestText(tags)), []);
      await target.finish();
      return { oxum, sha256 };
    },
  };
}

/** One line per file, sorted by path. */
function* manifestText(files: WrittenFile[]): Generator<string> {
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, sha256 } of files) yield `${sha256}  ${escapePath(path)}\n`;
}

/** White space in a value becomes one space, since a value is one line. */
function infoText(info: readonly [string, string][]): string {
  return info.map(([label, value]) => `${label}: ${value.replaceAll(/\s+/g, ' ').trim()}\n`).join('');
}

const CHUNK_BYTES = 1024 * 1024;

/** Yields the bytes of all texts in chunks of about 1 MiB. */
export async function* textBytes(texts: Iterable<string>): AsyncGenerator<Uint8Array> {
  let waiting = '';
  for (const text of texts) {
    waiting += text;
    if (waiting.length < CHUNK_BYTES) continue;
    yield Buffer.from(waiting);
    waiting = '';
  }
  if (waiting !== '') yield Buffer.from(waiting);
}

/**
 * Yields the bytes of a regular file. Throws Fault 'unsafe' for a symlink or FIFO, 'disk' if it cannot be read. It reads
 * synchronously: for a small file, a read in libuv's thread pool costs ten times as much.
 */
export async function* fileBytes(
  path: string,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = fstatSync(file);
      if (!found.isFile()) throw new Fault('unsafe', `${name} is not a regular file`);
      const chunkBytes = Math.min(CHUNK_BYTES, found.size + 1);
      for (let isEnd = false; !isEnd;) {
        signal.throwIfAborted();
        // A new buffer for each chunk: the reader may hold several.
        const chunk = Buffer.allocUnsafe(chunkBytes);
        const count = readSync(file, chunk);
        // A short read is the end of the file.
        isEnd = count < chunkBytes;
        if (count > 0) yield chunk.subarray(0, count);
      }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw diskFault(error, path);
  }
}
