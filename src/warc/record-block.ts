// The block of a WARC record: hashed while it is written; kept in memory while small, else in an unnamed file.
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { writeAll } from '../disk/durable-write.ts';

const MAX_MEMORY_BYTES = 256 * 1024;
const READ_BYTES = 1024 * 1024;

/** The content of a record: the head of an HTTP message and its payload. */
export type Block = {
  readonly length: number;
  /** Bytes after the head. */
  readonly payloadLength: number;
  /** Returns the digests of the block and of its payload, labelled as in WARC: `sha256:<hex>`. */
  digests(): { block: string; payload: string };
  /** Returns whether the block is in memory. */
  isInMemory(): boolean;
  chunks(): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
};

/** A block that can grow. `add` throws the error of the file system. */
export type WritableBlock = Block & { add(bytes: Uint8Array): Promise<void> };

/** Returns a block that begins with `head`. `openFile` opens an empty file when the block outgrows memory. */
export function createBlock(head: Uint8Array, openFile: () => Promise<FileHandle>): WritableBlock {
  const blockHash = createHash('sha256').update(head);
  const payloadHash = createHash('sha256');
  let held: Uint8Array[] = [head];
  let file: FileHandle | undefined;
  let length = head.length;
  return {
    get length() {
      return length;
    },
    get payloadLength() {
      return length - head.length;
    },
    async add(bytes) {
      blockHash.update(bytes);
      payloadHash.update(bytes);
      const at = length;
      length += bytes.length;
      if (file === undefined && length <= MAX_MEMORY_BYTES) {
        held.push(bytes);
        return;
      }
      if (file === undefined) {
        file = await openFile();
        await writeAll(file, Buffer.concat(held), 0);
        held = [];
      }
      await writeAll(file, bytes, at);
    },
    digests: () => ({
      block: `sha256:${blockHash.copy().digest('hex')}`,
      payload: `sha256:${payloadHash.copy().digest('hex')}`,
    }),
    isInMemory: () => file === undefined,
    async *chunks() {
      if (file === undefined) {
        yield* held;
        return;
      }
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      for (let at = 0; at < length;) {
        const { bytesRead } = await file.read(buffer, 0, Math.min(READ_BYTES, length - at), at);
        if (bytesRead === 0) throw Object.assign(new Error('the file became shorter'), { code: 'EIO' });
        // A copy, because the consumer may still compress it when the buffer is reused.
        yield Buffer.from(buffer.subarray(0, bytesRead));
        at += bytesRead;
      }
    },
    close: async () => {
      held = [];
      await file?.close().catch(() => {});
    },
  };
}
