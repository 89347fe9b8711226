// Writes a BagIt 1.0 bag (RFC 8493): payload hashed on its way, manifests made of what was written, declaration last.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { diskFault } from '../disk/disk-fault.ts';
import { Fault } from '../faults.ts';
import type { BagTarget } from './target.ts';
import { escapePath } from './tag-files.ts';

/** A file as it was written, `path` relative to the bag's base directory. */
export type WrittenFile = { path: string; bytes: number; sha256: string };

export type BagWriter = {
  /** Adds a payload file; `path` is relative to data/. */
  add(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile>;
  /**
   * Writes the tag files and gives the bag its name; `info` are the lines of bag-info.txt before those that count the
   * payload. Returns them all, with the SHA-256 of the tag manifest, which commits to the whole bag.
   */
  finish(info: readonly [label: string, value: string][]): Promise<{ oxum: string; sha256: string }>;
};

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

/** The files in the order of their paths, one a line. */
function* manifestText(files: WrittenFile[]): Generator<string> {
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, sha256 } of files) yield `${sha256}  ${escapePath(path)}\n`;
}

/** A value is one line: what would end it becomes a space. */
function infoText(info: readonly [string, string][]): string {
  return info.map(([label, value]) => `${label}: ${value.replaceAll(/\s+/g, ' ').trim()}\n`).join('');
}

const CHUNK_BYTES = 1024 * 1024;

/** Texts one after the other, in pieces that are worth a write. */
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
 * The bytes of a regular file, a symlink or FIFO being Fault `unsafe`; those it cannot read, `disk`. Read at once, here:
 * for a small file a thread costs ten times what it does.
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
      const most = Math.min(CHUNK_BYTES, found.size + 1);
      for (let isEnd = false; !isEnd;) {
        signal.throwIfAborted();
        // Of its own for each piece: whoever takes them may keep some waiting.
        const chunk = Buffer.allocUnsafe(most);
        const count = readSync(file, chunk);
        // Less than was asked for is the end.
        isEnd = count < most;
        if (count > 0) yield chunk.subarray(0, count);
      }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw diskFault(error, name);
  }
}
