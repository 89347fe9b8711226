// Pulls the files of a few catalogue rows into a folder, for commands other than `arx attachments pull`.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { openDiskWorker } from '../../download/disk-worker-client.ts';
import type { ManifestEntry } from '../../download/manifest.ts';
import { scanFolder } from '../../download/folder-scan.ts';
import { createUniqueKeys } from '../../download/partial-names.ts';
import { formatCount } from '../../format/numbers.ts';
import { createPuller, type PullerOptions, type PullResult } from '../../download/puller.ts';

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

/**
 * Counts the files that have another name than in the catalogue. `end` says how many; `-v` names each. `isPlan`: nothing is written, so
 * they would have it.
 */
export function renamedNotices(
  app: Pick<App, 'notice' | 'log' | 'verbose'>,
  { isPlan = false } = {},
): {
  add(text: string): void;
  end(): void;
} {
  let first = '';
  let count = 0;
  return {
    add: (text) => {
      if (count === 0) first = text;
      count += 1;
      app.log(text);
    },
    end: () => {
      if (count === 0 || app.verbose) return;
      app.notice(
        count === 1
          ? first
          : `${formatCount(count)} files ${isPlan ? 'would be' : 'are'} kept under another name than in the catalogue; -v names them, --json has the path of each id`,
      );
    },
  };
}
