// A set of files that are read by name: the files of a folder, or the entries of a zip or tar.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { readAtMost } from '../../disk/regular-file.ts';
import { filesBelow } from './folder-listing.ts';
import { unreadableReason } from './unreadable-reason.ts';

/** Files that are read by name. */
export type FileSet = {
  /** Names with `/` between their parts, in no particular order. */
  names: readonly string[];
  /** Entries that cannot be read, such as links and folders that could not be listed, each with the reason. */
  unreadable: ReadonlyArray<readonly [name: string, reason: string]>;
  /** Files that another of the same name hides. */
  hidden: readonly string[];
  /** Returns the bytes of a file. Throws {@link UnreadableError} when it is absent, damaged or longer than `maxBytes`. */
  read(name: string, maxBytes: number): Promise<Uint8Array>;
  /** Yields the bytes of a file, however long. Throws {@link UnreadableError}, for damage also after bytes that it yielded. */
  stream(name: string): AsyncIterable<Uint8Array>;
  close(): void;
};

/**
 * Returns the path of a file of a set for a message: an entry of a zip keeps its own name, whose `..` would lead out of the zip. A set
 * that is one file has it under an empty name.
 */
export function pathInside(path: string, name: string): string {
  const set = join(path).replace(/\/$/, '');
  return name === '' ? set : `${set}/${name}`;
}

/** Says why a file cannot be read: lower case, without its path and without a final full stop. */
export class UnreadableError extends Error {}

/** Files that a zip or tar may hold: their names are in memory, 600 bytes for each. */
export const MAX_PACKED_FILES = 500_000;

/** Throws {@link UnreadableError} where a zip or tar holds more files than may be. */
export function checkFileCount(count: number): void {
  if (count > MAX_PACKED_FILES)
    throw new UnreadableError(
      `names more than ${MAX_PACKED_FILES} files; import the folder that it unpacks to`,
    );
}

/** A file is longer than it may be. */
export class TooLargeError extends UnreadableError {
  constructor(maxBytes: number) {
    super(`is larger than ${maxBytes} bytes`);
  }
}

/** Returns bytes of a known length, in one buffer from the beginning: joining chunks would take them twice. */
export async function joined(chunks: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for await (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes.subarray(0, at);
}

/** Opens the files of a folder and of all folders below it. Throws {@link UnreadableError} when it cannot be listed. */
export async function openFolder(root: string): Promise<FileSet> {
  const names: string[] = [];
  const unreadable: Array<[string, string]> = [];
  for await (const found of filesBelow(root, { maildirs: false })) {
    if (!('relative' in found)) continue;
    const { relative, unreadReason } = found;
    if (unreadReason === undefined) names.push(relative);
    else if (relative === '') throw new UnreadableError(unreadReason);
    else unreadable.push([relative, unreadReason]);
  }
  return {
    names,
    unreadable,
    hidden: [],
    read: (name, maxBytes) => readRegularFile(join(root, name), maxBytes),
    stream: (name) => streamRegularFile(join(root, name)),
    close: () => {},
  };
}

/** Returns the bytes of a regular file. Refuses a link and does not block on a pipe. Throws {@link UnreadableError}. */
export async function readRegularFile(path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) throw new UnreadableError('is not a regular file');
      const bytes = await readAtMost(file, maxBytes);
      if (bytes === undefined) throw new TooLargeError(maxBytes);
      return bytes;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw error instanceof UnreadableError ? error : new UnreadableError(unreadableReason(error));
  }
}

const CHUNK_BYTES = 1024 * 1024;

/** Yields the bytes of an open file from `start` to before `end`. Throws {@link UnreadableError} where the file ends before. */
export async function* rangeOf(file: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end;) {
    const length = Math.min(CHUNK_BYTES, end - at);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
    if (bytesRead === 0) throw new UnreadableError('is damaged (it ends too early)');
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** As {@link readRegularFile}, for a file of any length. */
export async function* streamRegularFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) throw new UnreadableError('is not a regular file');
      for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: CHUNK_BYTES }))
        yield chunk as Uint8Array;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw error instanceof UnreadableError || (error as NodeJS.ErrnoException).code === undefined
      ? error
      : new UnreadableError(unreadableReason(error));
  }
}
