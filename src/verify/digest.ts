// SHA-256 and size of a file on disk, and whether the file changed while it was read.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { Fault } from '../faults.ts';

/** `changed`: size or modification time differ from before, so no state of the file may have this hash. */
export type Digest = { sha256: string; bytes: number; changed: boolean };

const CHUNK_BYTES = 1024 * 1024;

/**
 * Returns the SHA-256 of a file. Follows no symlink at the end of the path and never waits on a FIFO. Throws Fault
 * 'unsafe' for anything but a regular file, the signal's reason, and system errors as they are. `onBytes` gets how many
 * bytes each read gave.
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
