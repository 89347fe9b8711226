// Writes a file of any size whose content is not known before: it gets its name when it is complete.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { commitFile } from '../disk/atomic-file.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { writeAll } from '../disk/durable-write.ts';
import type { World } from '../world.ts';
import { acceptExisting, findExisting, type SavedFile } from './existing-file.ts';
import { scanFolder } from './folder-scan.ts';
import { createUniqueKeys, partialFileName } from './partial-names.ts';

type WritingWorld = Pick<World, 'now' | 'running' | 'pid' | 'randomBytes' | 'signal'>;

/**
 * Writes all chunks to a file of the folder. Nothing stays of it where that fails. Returns the file that has the name already if it has the
 * same bytes. Removes partial files that killed runs left in the folder. Throws Fault 'unsafe' for other content without `force`, Fault
 * 'disk', and what the chunks throw.
 */
export async function writeCompleteFile(
  { dir, name }: { dir: string; name: string },
  chunks: AsyncIterable<Uint8Array>,
  { force, world }: { force: boolean; world: WritingWorld },
): Promise<SavedFile> {
  await scanFolder(dir, world);
  const temporary = join(dir, partialFileName(createUniqueKeys(world.randomBytes)(), world.pid));
  const path = join(dir, name);
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  let file: FileHandle | undefined;
  try {
    file = await open(temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of chunks) {
      world.signal.throwIfAborted();
      await writeAll(file, chunk, bytes);
      hash.update(chunk);
      bytes += chunk.length;
    }
    const sha256 = hash.digest('hex');
    const target = { dir, name, sha256, bytes };
    // Only a regular file is replaced, and one of the same bytes is left as it is.
    const outcome = commitFile({ temporary, path, force: false }, file.fd);
    if (outcome === 'kept') return { path, outcome, bytes, sha256 };
    const existing = force
      ? await findExisting(target, { world, force })
      : await acceptExisting(target, { world, force });
    if (existing !== undefined) return existing;
    commitFile({ temporary, path, force: true }, file.fd);
    return { path, outcome: 'kept', bytes, sha256 };
  } catch (error) {
    throw diskFault(error, path);
  } finally {
    await file?.close().catch(() => {});
    await rm(temporary, { force: true }).catch(() => {});
  }
}
