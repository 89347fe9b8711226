// SHA-256 and size of a file on disk, with word of a file that changed while it was read.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { Fault } from '../faults.ts';

/** `changed`: size or time of change differ from before the reading, so the hash is of no one state of the file. */
export type Digest = { sha256: string; bytes: number; changed: boolean };

const CHUNK_BYTES = 1024 * 1024;

/**
 * Never follows a symlink at the end of the path and never waits on a FIFO; both are Fault `unsafe`, as is anything
 * but a regular file. System errors are thrown as they are. `onBytes` is told how many were read.
 */
export async function digestFile(
  path: string,
  options: { signal: AbortSignal; onBytes?: (count: number) => void },
): Promise<Digest> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const before = await file.stat({ bigint: true });
    if (!before.isFile()) throw new Fault('unsafe', 'not a regular file');
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let bytes = 0;
    for (;;) {
      options.signal.throwIfAborted();
      const { bytesRead } = await file.read(chunk, 0, chunk.length, bytes);
      if (bytesRead === 0) break;
      hash.update(chunk.subarray(0, bytesRead));
      bytes += bytesRead;
      options.onBytes?.(bytesRead);
    }
    const after = await file.stat({ bigint: true });
    const changed =
      after.mtimeNs !== before.mtimeNs || after.size !== before.size || after.size !== BigInt(bytes);
    return { sha256: hash.digest('hex'), bytes, changed };
  } finally {
    await file.close();
  }
}
