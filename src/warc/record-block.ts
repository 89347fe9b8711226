// A block on its way into a record: hashed as it comes, in memory while it is small, else in a file without a name.
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { writeAll } from '../disk/durable-write.ts';

const MOST_IN_MEMORY = 256 * 1024;
const READ_BYTES = 1024 * 1024;

/** `payload` is what follows the head. Digests are labelled as WARC has them. */
export type Block = {
  readonly length: number;
  readonly payloadLength: number;
  digests(): { block: string; payload: string };
  /** Whether it is in memory. */
  isSmall(): boolean;
  pieces(): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
};

export type Spool = Block & { add(bytes: Uint8Array): Promise<void> };

/** `scratch` makes the file, where it is needed. Throws what the system does. */
export function createSpool(head: Uint8Array, scratch: () => Promise<FileHandle>): Spool {
  const whole = createHash('sha256').update(head);
  const payload = createHash('sha256');
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
      whole.update(bytes);
      payload.update(bytes);
      const at = length;
      length += bytes.length;
      if (file === undefined && length <= MOST_IN_MEMORY) {
        held.push(bytes);
        return;
      }
      if (file === undefined) {
        file = await scratch();
        await writeAll(file, Buffer.concat(held), 0);
        held = [];
      }
      await writeAll(file, bytes, at);
    },
    digests: () => ({
      block: `sha256:${whole.copy().digest('hex')}`,
      payload: `sha256:${payload.copy().digest('hex')}`,
    }),
    isSmall: () => file === undefined,
    async *pieces() {
      if (file === undefined) {
        yield* held;
        return;
      }
      const piece = Buffer.allocUnsafe(READ_BYTES);
      for (let at = 0; at < length;) {
        const { bytesRead } = await file.read(piece, 0, Math.min(READ_BYTES, length - at), at);
        if (bytesRead === 0) throw Object.assign(new Error('the file became shorter'), { code: 'EIO' });
        // The reader compresses it in its own time.
        yield Buffer.from(piece.subarray(0, bytesRead));
        at += bytesRead;
      }
    },
    close: async () => {
      held = [];
      await file?.close().catch(() => {});
    },
  };
}
