// What the store of files offers: files by the SHA-256 of their content, whole and durable or absent.
import { join } from 'node:path';

/** Headers that a file is sent with. */
export type FileHeaders = { type: string; disposition: string };

/** The stored files of an archive. */
export type Blobs = {
  /** The folder of the files; undefined where they are in no folder. */
  readonly dir: string | undefined;
  /** Where a mark names the archive; undefined where files and database are always one. */
  readonly mark: BlobsMark | undefined;
  /** Requests to the service that keeps the files, by what became of them. Absent where there is none. */
  readonly requests?: Readonly<Record<'answered' | 'repeated' | 'failed', number>>;
  /** Returns the hashes of stored files that begin with these two hexadecimal digits; of all files, where `begin` is empty. */
  names(begin: string): Promise<string[]>;
  /** Returns the size of a stored file in bytes, undefined where there is none, or a link, a pipe or a folder in its place. */
  size(sha256: string): Promise<number | undefined>;
  /**
   * Returns a stored file of this many bytes by one request, with the size that it has; undefined where there is none, or an empty
   * one. Of a longer one the end is missing. Absent where the size costs little.
   */
  readSmall?(sha256: string, bytes: number): Promise<{ bytes: Uint8Array; size: number } | undefined>;
  /**
   * Returns an address at which anyone can get the file for this many seconds, with these headers. Absent where files have no
   * addresses of their own.
   */
  address?(sha256: string, seconds: number, headers: FileHeaders): Promise<string>;
  /** Yields bytes `from` to `to` (inclusive) of a stored file, the whole file by default. */
  read(sha256: string, from?: number, to?: number): AsyncGenerator<Uint8Array>;
  /** Stores bytes whose hash the caller computed. Durable when it resolves. Does nothing where the file exists. */
  put(sha256: string, content: Uint8Array): Promise<void>;
  /**
   * Stores files of at most {@link MAX_SMALL_BYTES}, in the order of their hashes, whose hashes the caller computed. Absent where it saves
   * nothing.
   */
  putSmall?(files: readonly { sha256: string; content: Uint8Array }[]): Promise<void>;
  /** Stores what `chunks` yields. Resolves to false, storing nothing, when it has another hash. */
  putChunks(sha256: string, chunks: AsyncIterable<Uint8Array>): Promise<boolean>;
  /** Stores a copy of a file that is too big for memory. Resolves to false, storing nothing, when its hash differs by now. */
  putFile(sha256: string, path: string): Promise<boolean>;
  /** Returns whether new files can be stored, by permissions and free space. */
  writable(): Promise<boolean>;
  /** Removes unfinished files last written before this time, in milliseconds. Ignores errors. */
  removeUnfinished(before: number): Promise<void>;
};

/** A small file among the stored ones. */
export type BlobsMark = {
  /** The place of the files, for messages. */
  readonly place: string;
  readonly kind: 'folder' | 'bucket';
  /** The option of the command that named the place, for messages. */
  readonly option: string;
  /** Returns whether the place exists. */
  isThere(): Promise<boolean>;
  /** Returns the text of the file with this name, undefined where there is none. */
  read(name: string): Promise<string | undefined>;
  /** Writes a file whole, and where the place knows how, never over another. */
  write(name: string, text: string): Promise<void>;
};

/** The size up to which {@link Blobs.putSmall} takes files. */
export const MAX_SMALL_BYTES = 64 * 1024;

/** The pairs of hexadecimal digits with which hashes begin. */
export const SHARDS: readonly string[] = Array.from({ length: 256 }, (_, index) =>
  index.toString(16).padStart(2, '0'),
);

/** Returns the path of the file with this hash in a folder: `<dir>/ab/cdef…`. */
export function blobPath(dir: string, sha256: string): string {
  return join(dir, sha256.slice(0, 2), sha256.slice(2));
}
