// A set of files that are read by name: the files of a folder, or the entries of a zip or tar.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
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

/** Says why a file cannot be read: lower case, without its path and without a final full stop. */
export class UnreadableError extends Error {}

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
      const found = await file.stat();
      if (!found.isFile()) throw new UnreadableError('is not a regular file');
      if (found.size > maxBytes) throw new TooLargeError(maxBytes);
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw error instanceof UnreadableError ? error : new UnreadableError(unreadableReason(error));
  }
}

const CHUNK_BYTES = 1024 * 1024;

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
