// Keeps a stream as a file only when its hash is right: temporary file, digest, fsync, then its name, never over another.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { sameHash } from '../contract/quantity.ts';
import { Fault, type FaultDetail } from '../faults.ts';
import { digestFile } from './digest.ts';
import { diskFault } from '../disk-fault.ts';

/** `name` is one safe segment (name.ts); `sha256` the catalogue's, in either case; `bytes` its size, where it is known. */
export type Target = { dir: string; name: string; sha256: string; bytes?: number };

/** `kept`: written now. `present`: it was already here and verified, nothing was written. */
export type Kept = { path: string; outcome: 'kept' | 'present'; bytes: number; sha256: string };

export type KeepOptions = {
  /** Replace a regular file of another hash, at once and only by verified bytes. */
  force: boolean;
  randomBytes: (count: number) => Uint8Array;
  signal: AbortSignal;
  onBytes?: (count: number) => void;
};

/** Temporary files of ours, in the target folder; a killed run leaves them and they may be deleted at any time. */
export const TEMPORARY = /^\.arx-[0-9a-f]{16}\.part$/;
/** A download that still runs writes more often, or is given up as too slow. */
const STALE_MS = 3_600_000;

/** The stream was whole, but not the target's: what it was instead. */
export class WrongBytes extends Fault {
  readonly sha256: string;
  readonly bytes: number;

  constructor(message: string, { sha256, bytes }: { sha256: string; bytes: number }, detail: FaultDetail) {
    super('integrity', message, detail);
    this.sha256 = sha256;
    this.bytes = bytes;
  }
}

/** Removes temporaries in the folder that nothing was written to for an hour; `now` in milliseconds since the epoch. */
export async function removeStale(dir: string, now: number): Promise<void> {
  try {
    for (const name of await readdir(dir)) {
      if (!TEMPORARY.test(name)) continue;
      const path = join(dir, name);
      const found = await lstat(path).catch(() => undefined);
      if (found?.isFile() === true && now - found.mtimeMs > STALE_MS) await rm(path, { force: true });
    }
  } catch (error) {
    throw diskFault(error, dir);
  }
}

/**
 * Looks at the target before anything is fetched: undefined where it is free (or to be replaced), the outcome where the
 * same bytes are there. Fault `unsafe` for other bytes without force (hint --force) and for what is not a regular file,
 * FIFOs and symlinks included, without ever waiting on it (faults C9 to C12).
 */
export async function present(target: Target, options: KeepOptions): Promise<Kept | undefined> {
  const path = join(target.dir, target.name);
  try {
    const found = await lstat(path);
    if (!found.isFile()) throw new Fault('unsafe', `${target.name} exists and is not a regular file`);
    const { sha256, bytes } = await digestFile(path, options);
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

/**
 * Writes the stream under the target's name if, and only if, it has the target's hash and size. Durable when it
 * resolves. Fault `integrity` ({@link WrongBytes}) with both hashes where they differ, `disk` where it cannot be written, `unsafe` as in
 * {@link present}; the stream's own errors pass. Whatever fails, nothing new stands under the name and no temporary stays.
 */
export async function keep(
  stream: AsyncIterable<Uint8Array>,
  target: Target,
  options: KeepOptions,
): Promise<Kept> {
  const already = await present(target, options);
  if (already !== undefined) return already;
  const path = join(target.dir, target.name);
  const temporary = await createTemporary(target, options.randomBytes);
  let named = false;
  try {
    const { sha256, bytes } = await write(stream, temporary.file, target, options);
    check({ sha256, bytes }, target);
    await onDisk(target, () => temporary.file.sync());
    options.signal.throwIfAborted();
    named = await settle(temporary.path, path, target, options.force);
    await onDisk(target, () => syncFolder(target.dir));
    if (!named) return await raced(target, options);
    return { path, outcome: 'kept', bytes, sha256 };
  } finally {
    await temporary.file.close();
    await rm(temporary.path, { force: true }).catch(() => undefined);
  }
}

async function createTemporary(
  { dir, name }: Target,
  randomBytes: KeepOptions['randomBytes'],
): Promise<{ path: string; file: FileHandle }> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  for (let attempt = 0; ; attempt++) {
    const path = join(dir, `.arx-${Buffer.from(randomBytes(8)).toString('hex')}.part`);
    try {
      return { path, file: await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600) };
    } catch (error) {
      // Somebody else's file or symlink of that name: take another name, never theirs.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt >= 8) throw diskFault(error, name);
    }
  }
}

async function write(
  stream: AsyncIterable<Uint8Array>,
  file: FileHandle,
  target: Target,
  { signal, onBytes }: KeepOptions,
): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream) {
    signal.throwIfAborted();
    hash.update(chunk);
    bytes += chunk.length;
    // An endless body must not fill the disk when the size is known.
    if (target.bytes !== undefined && bytes > target.bytes)
      throw new Fault(
        'integrity',
        `${target.name} is longer than the ${target.bytes} bytes of the catalogue`,
      );
    await onDisk(target, () => writeAll(file, chunk));
    onBytes?.(chunk.length);
  }
  signal.throwIfAborted();
  return { sha256: hash.digest('hex'), bytes };
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, at, chunk.length - at);
    at += bytesWritten;
  }
}

function check(got: { sha256: string; bytes: number }, target: Target): void {
  const sized = target.bytes === undefined || got.bytes === target.bytes;
  if (sized && sameHash(got.sha256, target.sha256)) return;
  const expected = target.sha256.toLowerCase();
  const sizes = target.bytes === undefined ? '' : ` (${got.bytes} bytes of ${target.bytes})`;
  throw new WrongBytes(`${target.name}: expected sha256 ${expected}, got ${got.sha256}${sizes}`, got, {
    kept: 'nothing was written under its name',
    hint: 'list the attachments again: the file may have changed since',
  });
}

/** True when the temporary took the name. link() refuses a name that exists; a file system without links gets one more look. */
async function settle(temporary: string, path: string, target: Target, force: boolean): Promise<boolean> {
  return await onDisk(target, async () => {
    if (force) {
      await rename(temporary, path);
      return true;
    }
    try {
      await link(temporary, path);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code ?? '')) throw error;
      // Opening the name exclusively reserves it, then our own empty file is replaced.
      const reserved = await open(path, 'wx', 0o600).catch((refusal: NodeJS.ErrnoException) => {
        if (refusal.code === 'EEXIST') return undefined;
        throw refusal;
      });
      if (reserved === undefined) return false;
      await reserved.close();
      await rename(temporary, path);
      return true;
    }
  });
}

/** Somebody else took the name meanwhile: it is fine if theirs are the same bytes. */
async function raced(target: Target, options: KeepOptions): Promise<Kept> {
  const found = await present(target, options);
  if (found === undefined) throw new Fault('disk', `${target.name} vanished while it was written`);
  return found;
}

async function onDisk<T>({ name }: Target, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskFault(error, name);
  }
}

async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  await folder.sync().finally(() => folder.close());
}
