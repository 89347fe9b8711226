// Downloads small files through the small-file fetcher, also before it is known which place their rows have in the list.
import type { Attachment } from '../contract/attachment.ts';
import { isPullable } from '../contract/attachment-file.ts';
import { diskFault } from '../disk/disk-fault.ts';
import type { World } from '../world.ts';
import { checkedFileUrl } from './allowed-origins.ts';
import { acceptExisting, type SavedFile, type TargetFile } from './existing-file.ts';
import type { SaveOptions } from './file-writer.ts';
import { partialFileName, partialKeyOf } from './partial-names.ts';
import { MAX_SMALL_FILE_BYTES, type PendingDownload, type SmallFileFetcher } from './small-file-fetcher.ts';

/** What small files are downloaded with, and the origins they may come from. */
export type SmallFilesOptions = {
  fetcher: SmallFileFetcher;
  allowedOrigins: ReadonlySet<string>;
  /** See {@link checkedFileUrl}. */
  baseUrl?: string | undefined;
  save: SaveOptions;
  world: Pick<World, 'pid'>;
};

/** Downloads the small files of one pull. */
export type SmallFiles = {
  /**
   * Requests the file of a row that some page shows, if the folder is empty and the file is small. It gets its name only
   * by {@link SmallFiles.download}.
   */
  prefetch(row: Attachment): void;
  /**
   * Downloads a file. `onRequest` is called if a request is made. Returns undefined if the file must be downloaded by
   * `downloadResumable`: it is large, can be resumed, or the response was not as expected. Throws Fault 'disk', and as
   * {@link acceptExisting}.
   */
  download(
    row: { id: string; file_url: string },
    target: TargetFile,
    onRequest: () => void,
  ): Promise<SavedFile | undefined>;
};

/** Files that are prefetched and not yet named. */
const MAX_PREFETCHED_FILES = 10_000;

/** Returns the downloads of small files into one folder. */
export function createSmallFiles({
  fetcher,
  allowedOrigins,
  baseUrl,
  save,
  world,
}: SmallFilesOptions): SmallFiles {
  /** By id; undefined once it was downloaded. */
  const prefetched = new Map<
    string,
    { sha256: string; size: number | undefined; pending: PendingDownload } | undefined
  >();
  let prefetchedCount = 0;

  function request(url: string, sha256: string, size: number | undefined): PendingDownload | undefined {
    if (!fetcher.isEnabled() || (size ?? 0) > MAX_SMALL_FILE_BYTES) return undefined;
    if (save.scan.resumable.has(partialKeyOf(sha256))) return undefined;
    try {
      const temporary = partialFileName(save.uniqueKey(), world.pid);
      return fetcher.request(checkedFileUrl(url, allowedOrigins, baseUrl), { temporary, sha256, size });
    } catch {
      // `downloadResumable` reports an address that is not allowed.
      return undefined;
    }
  }
  function takePrefetched(id: string, { sha256, bytes }: TargetFile): PendingDownload | undefined {
    const known = prefetched.get(id);
    if (known === undefined) return undefined;
    prefetched.set(id, undefined);
    prefetchedCount -= 1;
    return known.sha256 === sha256 && known.size === bytes ? known.pending : undefined;
  }
  return {
    prefetch: (row) => {
      const mayExist = save.force || save.scan.names.size > 0;
      if (mayExist || prefetchedCount >= MAX_PREFETCHED_FILES) return;
      if (prefetched.has(row.id) || !isPullable(row) || row.sha256 === undefined) return;
      const [sha256, size] = [row.sha256.toLowerCase(), row.bytes];
      const pending = request(row.file_url, sha256, size);
      if (pending === undefined) return;
      prefetched.set(row.id, { sha256, size, pending });
      prefetchedCount += 1;
    },
    download: async (row, target, onRequest) => {
      const { dir, name, sha256 } = target;
      const pending = takePrefetched(row.id, target) ?? request(row.file_url, sha256, target.bytes);
      if (pending === undefined) return undefined;
      onRequest();
      const stored = await pending.commit({ name, force: save.force }).catch((error: unknown) => {
        throw diskFault(error, `${dir}/${name}`);
      });
      // A server may answer pipelined requests in another order, so wrong bytes are downloaded again.
      if (stored === 'unsupported' || stored.outcome === 'wrong') return undefined;
      if (stored.outcome === 'taken') return acceptExisting(target, save);
      save.onBytes?.(stored.bytes);
      return { ...stored, path: `${dir}/${name}`, outcome: 'kept' };
    },
  };
}
