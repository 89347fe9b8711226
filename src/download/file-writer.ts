// Writes a downloaded file: partial file, SHA-256, fsync, then its name. A wrong file never gets the name.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../disk/disk-fault.ts';
import { writeAll } from '../disk/durable-write.ts';
import { Fault } from '../faults.ts';
import { MAY_HAVE_CHANGED, OTHER_SIZE } from './held-stream.ts';
import type { World } from '../world.ts';
import type { DiskWorker } from './disk-worker-client.ts';
import { acceptExisting, type SavedFile, type TargetFile } from './existing-file.ts';
import { createPartialFile, takeOverPartialFile, type PartialFile } from './partial-file.ts';
import type { FolderScan } from './folder-scan.ts';
import { strongEtag, type ResumePoint } from './partial-names.ts';
import { WrongContent } from './wrong-content.ts';

/** How downloaded files are written. One object serves all files of a pull. */
export type SaveOptions = {
  world: Pick<World, 'signal' | 'pid' | 'uid'>;
  /** Makes names of partial files, see {@link createUniqueKeys}. */
  uniqueKey: () => string;
  /** Replace a regular file of another hash, in one step and only by verified bytes. */
  force: boolean;
  diskWorker: DiskWorker;
  scan: FolderScan;
  onBytes?: (count: number) => void;
};

/**
 * Bytes of a file as they arrive. `from` is 0, or the offset of the last {@link FileWriter.resumePoint}. A chunk may be
 * used until the next one is asked for.
 */
export type IncomingFile = {
  bytes: AsyncIterable<Uint8Array>;
  from: number;
  size?: number;
  etag?: string;
};

/** Writes one file, over as many tries as it takes. */
export type FileWriter = {
  /** Finishes the file if the partial file of an earlier run is all of it. Otherwise that one can be resumed. */
  completePartial(): Promise<SavedFile | undefined>;
  /** Returns where the download can continue; undefined for the whole file. */
  resumePoint(): ResumePoint | undefined;
  /** Removes the partial file. */
  discard(): Promise<void>;
  /**
   * Writes the bytes, and gives the file its name only if the whole has the target's hash and size. The file is durable
   * when it resolves. Throws {@link WrongContent} where they differ, Fault 'disk' where the file cannot be written, and
   * as {@link acceptExisting}. Errors of the stream pass; then it may be called again.
   */
  receive(file: IncomingFile): Promise<SavedFile>;
  /** Must be called last. Removes a partial file that cannot be resumed. */
  close(): Promise<void>;
};

/** Returns a writer for `target`, which no file must have yet unless `force` is set (see {@link findExisting}). */
export function createFileWriter(target: TargetFile, options: SaveOptions): FileWriter {
  const { dir, name, sha256 } = target;
  const { diskWorker, force, scan } = options;
  const { signal } = options.world;
  const partialOptions = { dir, sha256, scan, uniqueKey: options.uniqueKey, world: options.world };
  const maxBytes = target.bytes ?? Infinity;
  let partial: PartialFile | undefined;

  async function closePartial({ remove }: { remove: boolean }): Promise<void> {
    const closed = partial;
    partial = undefined;
    if (closed === undefined) return;
    await diskWorker.digest(closed.handle.fd).catch(() => '');
    await closed.handle.close().catch(() => {});
    if (remove) await rm(join(dir, closed.name), { force: true }).catch(() => {});
    // Only now may another writer of this run use the name.
    scan.inUse.delete(closed.name);
  }
  const discard = () => closePartial({ remove: true });
  const resumePoint = () =>
    partial?.etag === undefined || partial.length === 0
      ? undefined
      : { from: partial.length, ifRange: partial.etag };

  async function append(file: IncomingFile): Promise<SavedFile> {
    const writing = (partial ??= await createPartialFile(partialOptions, strongEtag(file.etag)));
    const { handle } = writing;
    for await (const chunk of file.bytes) {
      signal.throwIfAborted();
      // An endless body must not fill the disk.
      if (writing.length + chunk.length > maxBytes) {
        throw new WrongContent(`${name} is longer than the ${maxBytes} bytes it should have`, undefined, {});
      }
      await writeAll(handle, chunk, writing.length);
      writing.length += chunk.length;
      // A failure here shows in the last call, which is awaited and hashes what is missing.
      diskWorker.hash(handle.fd, writing.length).catch(() => {});
      options.onBytes?.(chunk.length);
    }
    signal.throwIfAborted();
    await diskWorker.hash(handle.fd, writing.length);
    return finish(writing);
  }

  async function finish({ handle, length, name: temporary }: PartialFile): Promise<SavedFile> {
    const actual = { sha256: await diskWorker.digest(handle.fd), bytes: length };
    if (actual.sha256 !== sha256 || actual.bytes !== (target.bytes ?? actual.bytes)) {
      throw wrongContent(actual, target);
    }
    signal.throwIfAborted();
    const path = join(dir, name);
    const outcome = await diskWorker.commit({ fd: handle.fd, temporary: join(dir, temporary), path, force });
    if (outcome === 'kept') {
      await closePartial({ remove: false });
      return { path, outcome, ...actual };
    }
    await discard();
    return acceptExisting(target, options);
  }

  /** After a failure of the disk, or wrong bytes, the partial file is not resumed. */
  async function discardOnFailure<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const fault = diskFault(error, join(dir, name));
      if (fault instanceof Fault && ['disk', 'integrity', 'unsafe'].includes(fault.kind)) await discard();
      throw fault;
    }
  }

  return {
    completePartial: () =>
      discardOnFailure(async () => {
        partial = await takeOverPartialFile(partialOptions, maxBytes);
        if (partial === undefined) return undefined;
        const { handle, length } = partial;
        await diskWorker.hash(handle.fd, length);
        return (await diskWorker.currentDigest(handle.fd)) === sha256 ? finish(partial) : undefined;
      }),
    resumePoint,
    discard,
    receive: (file) =>
      discardOnFailure(async () => {
        if (file.from === 0) await discard();
        else if (file.from !== partial?.length) {
          throw new Fault('internal', `${name}: nothing to resume at byte ${file.from}`);
        }
        return append(file);
      }),
    close: () => closePartial({ remove: resumePoint() === undefined }),
  };
}

function wrongContent(actual: { sha256: string; bytes: number }, target: TargetFile): WrongContent {
  const isOtherSize = target.bytes !== undefined && target.bytes !== actual.bytes;
  const sizes = isOtherSize ? `: ${actual.bytes} bytes came, the row states ${target.bytes}` : '';
  return new WrongContent(
    `${target.name}: expected sha256 ${target.sha256}, got ${actual.sha256}${sizes}`,
    actual,
    {
      kept: 'nothing was written under its name',
      hint: isOtherSize ? OTHER_SIZE : MAY_HAVE_CHANGED,
    },
  );
}
