// Reads the entries of a tar file by name. A compressed one (tar.gz) is unpacked into a temporary file first.
import { Buffer } from 'node:buffer';
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { diskFault } from '../../disk/disk-fault.ts';
import { type FileSet, UnreadableError } from './file-set.ts';
import { unreadableReason } from './unreadable-reason.ts';

const GZIP_MAGIC = '\u001f\u008b';
const BLOCK_BYTES = 512;
const CHUNK_BYTES = 1024 * 1024;
/** More than any export holds. */
const MAX_ENTRIES = 2_000_000;
/** Names and attributes in entries of their own are longer in no tar that is not damaged. */
const MAX_LONG_NAME_BYTES = 1024 * 1024;
/** A tar that unpacks to more is refused before it fills the disk. */
const MAX_UNPACKED_BYTES = 256 * 1024 ** 3;

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
export async function openTar(path: string): Promise<FileSet> {
  const file = await openPlain(path);
  try {
    const entries = new Map<string, TarEntry>();
    const unreadable: Array<[string, string]> = [];
    const hidden: string[] = [];
    for await (const entry of entriesOf(fileSequence(file))) {
      if ('reason' in entry) unreadable.push([entry.name, entry.reason]);
      else {
        if (entries.has(entry.name)) hidden.push(entry.name);
        entries.set(entry.name, entry);
      }
      if (entries.size > MAX_ENTRIES) throw new UnreadableError('names too many files');
    }
    const stream = (name: string) => streamEntry(file, entries.get(name));
    return {
      names: [...entries.keys()],
      unreadable,
      hidden,
      async read(name, maxBytes) {
        const entry = entries.get(name);
        if (entry !== undefined && entry.bytes > maxBytes)
          throw new UnreadableError(`is larger than ${maxBytes} bytes`);
        const chunks: Uint8Array[] = [];
        for await (const chunk of stream(name)) chunks.push(chunk);
        return Buffer.concat(chunks);
      },
      stream,
      close: () => void file.close().catch(() => {}),
    };
  } catch (error) {
    await file.close();
    throw error instanceof UnreadableError ? error : new UnreadableError(unreadableReason(error));
  }
}

/** Opens the tar, unpacked. The temporary file has no name any more once it is open, so that nothing is left behind. */
async function openPlain(path: string): Promise<FileHandle> {
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
    await unpack(path, unpacked);
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

async function unpack(path: string, to: string): Promise<void> {
  let bytes = 0;
  try {
    await pipeline(
      createReadStream(path),
      createGunzip(),
      async function* counted(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > MAX_UNPACKED_BYTES) throw new UnreadableError('unpacks to too many bytes');
          yield chunk;
        }
      },
      createWriteStream(to, { mode: 0o600 }),
    );
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (error instanceof UnreadableError) throw error;
    if (code.startsWith('Z_')) throw new UnreadableError('is damaged (cannot be unpacked)');
    throw diskFault(error, to);
  }
}

/** Bytes that are read in order. `take` returns fewer at the end. */
type Sequence = { take(bytes: number): Promise<Buffer>; skip(bytes: number): Promise<void> };

function fileSequence(file: FileHandle): Sequence {
  let at = 0;
  return {
    async take(bytes) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
      at += bytesRead;
      return buffer.subarray(0, bytesRead);
    },
    async skip(bytes) {
      at += bytes;
      // Whether there are so many shows when the last of them is read.
      if (bytes > 0 && (await file.read(Buffer.alloc(1), 0, 1, at - 1)).bytesRead === 0) throw truncated();
    },
  };
}

function streamSequence(chunks: AsyncIterator<Buffer>): Sequence {
  let rest: Buffer = Buffer.alloc(0);
  const fill = async (): Promise<boolean> => {
    const next = await chunks.next();
    if (next.done === true) return false;
    rest = next.value;
    return true;
  };
  return {
    async take(bytes) {
      const parts: Buffer[] = [];
      for (let left = bytes; left > 0;) {
        if (rest.length === 0 && !(await fill())) break;
        const part = rest.subarray(0, left);
        rest = rest.subarray(part.length);
        left -= part.length;
        parts.push(part);
      }
      return Buffer.concat(parts);
    },
    async skip(bytes) {
      for (let left = bytes; left > 0;) {
        if (rest.length === 0 && !(await fill())) throw truncated();
        const skipped = Math.min(left, rest.length);
        rest = rest.subarray(skipped);
        left -= skipped;
      }
    },
  };
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
    for await (const entry of entriesOf(streamSequence(chunks[Symbol.asyncIterator]()))) {
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
async function* entriesOf(source: Sequence): AsyncGenerator<TarEntry | { name: string; reason: string }> {
  let longName: string | undefined;
  let longBytes: number | undefined;
  for (let at = 0; ;) {
    const header = await source.take(BLOCK_BYTES);
    at += BLOCK_BYTES;
    if (header.length < BLOCK_BYTES) return;
    if (header.every((byte) => byte === 0)) continue;
    if (!hasChecksum(header)) throw new UnreadableError('is damaged (a header of the tar is not valid)');
    const type = String.fromCharCode(header[156] || 0x30);
    const bytes = (type === 'x' ? undefined : longBytes) ?? numberIn(header.subarray(124, 136));
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw truncated();
    const start = at;
    const padded = Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
    at += padded;
    if (type === 'L' || type === 'x' || type === 'g') {
      if (bytes > MAX_LONG_NAME_BYTES)
        throw new UnreadableError('is damaged (a name in the tar is too long)');
      const content = (await source.take(padded)).subarray(0, bytes);
      if (content.length < bytes) throw truncated();
      if (type === 'L') longName = textIn(content);
      if (type === 'x') {
        const attributes = attributesIn(content);
        longName = attributes.get('path') ?? longName;
        const declared = attributes.get('size');
        if (declared !== undefined) longBytes = Number(declared);
      }
      continue;
    }
    const name = (longName ?? nameIn(header)).replace(/^(?:\.\/)+/, '');
    longName = undefined;
    longBytes = undefined;
    if (type === '0' || type === '7') yield { name, start, bytes };
    else if (type === '1' || type === '2') yield { name, reason: 'is a link' };
    else if (type !== '5' && type !== 'K') yield { name, reason: 'is not a regular file' };
    await source.skip(padded);
  }
}

async function* streamEntry(file: FileHandle, entry: TarEntry | undefined): AsyncGenerator<Uint8Array> {
  if (entry === undefined) throw new UnreadableError('is not there');
  const { start, bytes } = entry;
  for (let at = 0; at < bytes;) {
    const length = Math.min(CHUNK_BYTES, bytes - at);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, start + at);
    if (bytesRead === 0) throw new UnreadableError('is damaged (it ends too early)');
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** The sum of all bytes of the header, with spaces in place of the sum itself. */
function hasChecksum(header: Buffer): boolean {
  let sum = 8 * 0x20;
  for (const [at, byte] of header.entries()) if (at < 148 || at >= 156) sum += byte;
  return numberIn(header.subarray(148, 156)) === sum;
}

/** An octal number, or a binary one (GNU) where the first bit is set. */
function numberIn(field: Buffer): number {
  if ((field[0]! & 0x80) !== 0) return field.subarray(1).reduce((value, byte) => value * 256 + byte, 0);
  return Number.parseInt(textIn(field).trim() || '0', 8);
}

function nameIn(header: Buffer): string {
  const name = textIn(header.subarray(0, 100));
  const isPosix = header.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? textIn(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** The attributes of a pax header: lines of `<length> <name>=<value>`. */
function attributesIn(content: Buffer): Map<string, string> {
  const attributes = new Map<string, string>();
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : Number(content.toString('latin1', at, space));
    if (!Number.isSafeInteger(length) || length <= space - at || at + length > content.length) break;
    const [, name = '', value = ''] =
      /^([^=]*)=([\s\S]*)\n$/.exec(content.toString('utf8', space + 1, at + length)) ?? [];
    if (name !== '') attributes.set(name, value);
    at += length;
  }
  return attributes;
}

function textIn(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}
