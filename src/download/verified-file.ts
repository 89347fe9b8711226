// Keeps a stream as a file only when its hash is right: temporary file, digest, fsync, then its name, never over another.
import { constants } from 'node:fs';
import { lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { sameHash } from '../contract/scalars.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { writeAll } from '../disk/durable-write.ts';
import { Fault, type FaultDetail } from '../faults.ts';
import type { World } from '../world.ts';
import { openDiskWorker, type DiskWorker } from './disk-worker-client.ts';
import { digestFile } from '../verify/digest.ts';
import { nameKey } from './safe-name.ts';
import {
  createUniqueKeys,
  partialKeyOf,
  emptyScan,
  partialFileName,
  strongEtag,
  type ResumePoint,
  type FolderScan,
} from './partial-files.ts';

/** `name` is one safe segment (name.ts); `sha256` the catalogue's, in lower case; `bytes` its size, where it is known. */
export type TargetFile = { dir: string; name: string; sha256: string; bytes?: number };

/** `kept`: written now. `present`: it was already here and verified, nothing was written. */
export type SavedFile = { path: string; outcome: 'kept' | 'present'; bytes: number; sha256: string };

export type SaveOptions = {
  world: Pick<World, 'signal' | 'pid' | 'uid'>;
  /** See {@link createUniqueKeys}. */
  freshKey: () => string;
  /** Replace a regular file of another hash, at once and only by verified bytes. */
  force: boolean;
  desk: DiskWorker;
  survey: FolderScan;
  onBytes?: (count: number) => void;
};

/** Bytes of a file as they come: `from` 0, or where the last {@link FileWriter.resume} said. A piece is ours until the next. */
export type IncomingFile = {
  bytes: AsyncIterable<Uint8Array>;
  from: number;
  size?: number;
  etag?: string;
};

/** One file on its way to its name, over as many tries as it takes. */
export type FileWriter = {
  /** The file, where a part that was left is all of it. */
  whole(): Promise<SavedFile | undefined>;
  /** What is here already and may be gone on with. */
  resume(): ResumePoint | undefined;
  /** Forgets what is here. */
  restart(): Promise<void>;
  /**
   * Writes the bytes under the target's name if, and only if, the whole has the target's hash and size. Durable when it
   * resolves. Fault `integrity` ({@link WrongContent}) with both hashes where they differ, `disk` where it cannot be
   * written, `unsafe` as in {@link findExisting}; the stream's own errors pass, and more may be taken then.
   */
  take(file: IncomingFile): Promise<SavedFile>;
  /** To be called at last. What cannot be gone on with is removed. */
  end(): Promise<void>;
};

/** The stream was whole, but not the target's: what it was instead. */
export class WrongContent extends Fault {
  readonly sha256: string;
  readonly bytes: number;

  constructor(message: string, { sha256, bytes }: { sha256: string; bytes: number }, detail: FaultDetail) {
    super('integrity', message, detail);
    this.sha256 = sha256;
    this.bytes = bytes;
  }
}

/** Whether {@link findExisting} has to be asked: what has come to the folder since is met when the name is given. */
export function mayExist({ name }: TargetFile, { force, survey }: SaveOptions): boolean {
  return force || survey.names.has(nameKey(name));
}

/**
 * Looks at the target before anything is fetched: undefined where it is free (or to be replaced), the outcome where the
 * same bytes are there. Fault `unsafe` for other bytes without force (hint --force) and for what is not a regular file,
 * FIFOs and symlinks included, without ever waiting on it (faults C9 to C12).
 */
export async function findExisting(target: TargetFile, options: SaveOptions): Promise<SavedFile | undefined> {
  const path = join(target.dir, target.name);
  try {
    const found = await lstat(path);
    if (!found.isFile()) throw new Fault('unsafe', `${target.name} exists and is not a regular file`);
    const { sha256, bytes } = await digestFile(path, options.world);
    if (sameHash(sha256, target.sha256)) return { path, outcome: 'present', bytes, sha256 };
    if (options.force) return undefined;
    throw new Fault('unsafe', `${target.name} exists with another content`, {
      hint: 'replace it with --force',
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw diskFault(error, target.name);
  }
}

/** Somebody else took the name meanwhile: it is fine if theirs are the same bytes. */
export async function acceptExisting(target: TargetFile, options: SaveOptions): Promise<SavedFile> {
  const found = await findExisting(target, options);
  if (found === undefined) throw new Fault('disk', `${target.name} vanished while it was written`);
  return found;
}

type Part = { name: string; file: FileHandle; at: number; etag: string | undefined };

export function createFileWriter(target: TargetFile, options: SaveOptions): FileWriter {
  const { dir, name, sha256 } = target;
  const { desk, force, survey, freshKey } = options;
  const { signal, pid } = options.world;
  const path = join(dir, name);
  /** Its name is no other keeper's, from before it is made until nothing more is done by it. */
  let part: Part | undefined;

  async function leave(end: (path: string) => Promise<void> = async () => {}): Promise<void> {
    const left = part;
    part = undefined;
    if (left === undefined) return;
    await desk.digest(left.file.fd).catch(() => '');
    await left.file.close().catch(() => {});
    await end(join(dir, left.name));
    survey.inUse.delete(left.name);
  }
  const drop = () => leave((dropped) => rm(dropped, { force: true }).catch(() => {}));

  /** Takes over the part that somebody dead left; only one can. */
  async function claim(): Promise<Part | undefined> {
    const key = partialKeyOf(sha256);
    const left = survey.resumable.get(key);
    survey.resumable.delete(key);
    if (left === undefined) return undefined;
    const own = partialFileName(key, pid, left.etag);
    survey.inUse.add(own);
    try {
      await rename(join(dir, left.name), join(dir, own));
    } catch (error) {
      survey.inUse.delete(own);
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = await open(join(dir, own), O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    const claimed: Part = { name: own, file, at: 0, etag: left.etag };
    part = claimed;
    const { size, nlink, uid } = await file.stat();
    // Nobody else's file is written to, by no other name of it either.
    const isOurs = nlink === 1 && (options.world.uid === undefined || uid === options.world.uid);
    if (!isOurs || size > (target.bytes ?? Infinity)) await drop();
    else claimed.at = size;
    return part;
  }

  async function create(etag: string | undefined): Promise<Part> {
    const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    for (let attempt = 0; ; attempt++) {
      // Somebody else's file or symlink of that name: take another name, never theirs.
      const tag = attempt === 0 ? etag : undefined;
      const key = tag === undefined ? freshKey() : partialKeyOf(sha256);
      const own = partialFileName(key, pid, tag);
      if (survey.inUse.has(own)) continue;
      survey.inUse.add(own);
      try {
        const file = await open(join(dir, own), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
        return { name: own, file, at: 0, etag: tag };
      } catch (error) {
        survey.inUse.delete(own);
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt >= 8) throw error;
      }
    }
  }

  /** An endless body must not fill the disk when the size is known. */
  function checkLength(bytes: number, most: number): void {
    if (bytes > most) throw new Fault('integrity', `${name} is longer than the ${most} bytes it should have`);
  }

  async function write(file: IncomingFile): Promise<SavedFile> {
    const writing = (part ??= await create(strongEtag(file.etag)));
    for await (const piece of file.bytes) {
      signal.throwIfAborted();
      checkLength(writing.at + piece.length, target.bytes ?? Infinity);
      await writeAll(writing.file, piece, writing.at);
      writing.at += piece.length;
      // The last one is waited for, and covers what an earlier one could not do.
      desk.hash(writing.file.fd, writing.at).catch(() => {});
      options.onBytes?.(piece.length);
    }
    signal.throwIfAborted();
    await desk.hash(writing.file.fd, writing.at);
    return finish(writing);
  }

  async function finish(writing: Part): Promise<SavedFile> {
    const got = { sha256: await desk.digest(writing.file.fd), bytes: writing.at };
    if (got.sha256 !== sha256 || got.bytes !== (target.bytes ?? got.bytes)) throw wrongBytes(got, target);
    signal.throwIfAborted();
    const temporary = join(dir, writing.name);
    const outcome = await desk.settle({ fd: writing.file.fd, temporary, path, force });
    if (outcome === 'kept') {
      await leave();
      return { path, outcome, ...got };
    }
    await drop();
    return acceptExisting(target, options);
  }

  /** What failed on the disk or came wrong is not gone on with. */
  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const fault = diskFault(error, name);
      if (fault instanceof Fault && ['disk', 'integrity', 'unsafe'].includes(fault.kind)) await drop();
      throw fault;
    }
  }

  return {
    whole: () =>
      guarded(async () => {
        const claimed = await claim();
        if (claimed === undefined) return undefined;
        await desk.hash(claimed.file.fd, claimed.at);
        return (await desk.peek(claimed.file.fd)) === sha256 ? finish(claimed) : undefined;
      }),
    resume: () =>
      part?.etag === undefined || part.at === 0 ? undefined : { from: part.at, ifRange: part.etag },
    restart: drop,
    take: (file) =>
      guarded(async () => {
        if (file.from === 0) await drop();
        else if (file.from !== part?.at) throw new Fault('internal', `${name}: nothing to go on with`);
        return write(file);
      }),
    end: () => (part?.etag === undefined || part.at === 0 ? drop() : leave()),
  };
}

/** Keeps one stream that is here: {@link findExisting}, else a {@link FileWriter} for it alone, without a thread. */
export async function saveVerified(
  bytes: AsyncIterable<Uint8Array>,
  target: TargetFile,
  { force, world }: { force: boolean; world: SaveOptions['world'] & Pick<World, 'randomBytes'> },
): Promise<SavedFile> {
  const options: SaveOptions = {
    world,
    force,
    freshKey: createUniqueKeys(world.randomBytes),
    desk: openDiskWorker({ signal: world.signal, thread: undefined }),
    survey: emptyScan(),
  };
  const here = await findExisting(target, options);
  if (here !== undefined) return here;
  const keeper = createFileWriter(target, options);
  try {
    return await keeper.take({ bytes, from: 0 });
  } finally {
    await keeper.end();
  }
}

function wrongBytes(got: { sha256: string; bytes: number }, target: TargetFile): WrongContent {
  const sizes = target.bytes === undefined ? '' : ` (${got.bytes} bytes of ${target.bytes})`;
  return new WrongContent(
    `${target.name}: expected sha256 ${target.sha256}, got ${got.sha256}${sizes}`,
    got,
    {
      kept: 'nothing was written under its name',
      hint: 'list the attachments again: the file may have changed since',
    },
  );
}
