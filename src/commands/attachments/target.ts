// A folder that files are fetched into, and fetching the files of a few rows into it.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { makeFolder } from '../../disk/make-folder.ts';
import { Fault } from '../../faults.ts';
import { openDiskWorker } from '../../download/disk-worker-client.ts';
import { openFolderHandle, type FolderHandle } from '../../download/folder-handle.ts';
import type { ManifestEntry } from '../../download/manifest.ts';
import { createUniqueKeys, scanFolder } from '../../download/partial-files.ts';
import { pullerFor, type Pulled } from './pulled-file.ts';

/** A symlink in the folder's own path is followed once, here (faults C13). A dry run makes none. */
export async function openTarget(dir: string, isDry: boolean): Promise<FolderHandle | undefined> {
  try {
    if (!isDry) await makeFolder(dir);
    return await openFolderHandle(dir);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (isDry && code === 'ENOENT') return undefined;
    if (code === 'EEXIST' || code === 'ENOTDIR') throw new Fault('unsafe', `${dir} is not a folder`);
    throw diskFault(error, dir);
  }
}

/** One after the other. Names that `entries` has are not given to them. */
export async function fetchInto(
  dir: string,
  rows: readonly Attachment[],
  { force, entries }: { force: boolean; entries: ReadonlyMap<string, ManifestEntry> },
  app: App,
): Promise<Pulled[]> {
  const { world } = app;
  const found = await scanFolder(dir, world);
  const desk = openDiskWorker({ signal: world.signal, thread: undefined });
  const keeping = { world, force, desk, survey: found, freshKey: createUniqueKeys(world.randomBytes) };
  const puller = pullerFor({ dir, app, input: { exactNames: false, concurrency: 1 }, keeping, entries });
  const pulled: Pulled[] = [];
  try {
    for (const row of rows) pulled.push(await puller.pull(row));
    puller.end();
  } finally {
    await desk.close();
  }
  return pulled;
}
