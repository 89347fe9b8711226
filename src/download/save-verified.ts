// Saves bytes that are in this process as a file, with the same checks as a download.
import type { World } from '../world.ts';
import { openDiskWorker } from './disk-worker-client.ts';
import { findExisting, type SavedFile, type TargetFile } from './existing-file.ts';
import { createFileWriter, type SaveOptions } from './file-writer.ts';
import { emptyScan } from './folder-scan.ts';
import { createUniqueKeys } from './partial-names.ts';

/**
 * Writes a stream under the target's name if it has the target's hash. Returns the file that is there already if it has
 * the same bytes. Throws as {@link findExisting} and {@link FileWriter.receive}.
 */
export async function saveVerified(
  bytes: AsyncIterable<Uint8Array>,
  target: TargetFile,
  { force, world }: { force: boolean; world: SaveOptions['world'] & Pick<World, 'randomBytes'> },
): Promise<SavedFile> {
  const options: SaveOptions = {
    world,
    force,
    uniqueKey: createUniqueKeys(world.randomBytes),
    diskWorker: openDiskWorker({ signal: world.signal, thread: undefined }),
    scan: emptyScan(),
  };
  const existing = await findExisting(target, options);
  if (existing !== undefined) return existing;
  const writer = createFileWriter(target, options);
  try {
    return await writer.receive({ bytes, from: 0 });
  } finally {
    await writer.close();
  }
}
