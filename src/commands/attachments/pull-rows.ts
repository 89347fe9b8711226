// Pulls the files of a few catalogue rows into a folder, for commands other than `arx attachments pull`.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { openDiskWorker } from '../../download/disk-worker-client.ts';
import type { ManifestEntry } from '../../download/manifest.ts';
import { scanFolder } from '../../download/folder-scan.ts';
import { createUniqueKeys } from '../../download/partial-names.ts';
import { createPuller, type PullerOptions, type PullResult } from '../../download/puller.ts';
import { limitedNotices } from './notices.ts';

/** Pulls the rows that it gets one after the other. `close` must be called last. */
export type RowPuller = { pull(row: Attachment): Promise<PullResult>; close(): Promise<void> };

/** Returns a puller into a folder. No row gets a name that `entries` gives to another id. Writes no manifest. */
export async function openRowPuller(
  dir: string,
  { force, entries }: { force: boolean; entries: ReadonlyMap<string, ManifestEntry> },
  app: App,
): Promise<RowPuller> {
  const { world } = app;
  const diskWorker = openDiskWorker({ signal: world.signal, thread: undefined });
  const renamed = renamedNotices(app);
  const puller = createPuller({
    ...pullerOptionsOf(app),
    dir,
    entries,
    save: {
      world,
      force,
      diskWorker,
      scan: await scanFolder(dir, world),
      uniqueKey: createUniqueKeys(world.randomBytes),
    },
    exactNames: false,
    concurrency: 1,
    onRenamed: renamed.add,
  });
  return {
    pull: (row) => puller.pull(row),
    close: async () => {
      renamed.end();
      await diskWorker.close();
    },
  };
}

/** Returns the options of a puller that are the same for every command. */
export function pullerOptionsOf(app: App): Pick<PullerOptions, 'world' | 'access' | 'retries' | 'log'> {
  return { world: app.world, access: app.fileAccess, retries: app.settings.retries.value, log: app.log };
}

/** Returns the notices that files have another name than in the catalogue. */
export function renamedNotices(app: App): { add(text: string): void; end(): void } {
  const notices = limitedNotices(app.notice);
  return { add: notices.add, end: () => notices.end('files are kept under another name') };
}
